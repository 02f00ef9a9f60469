"""Pages to play on: a turn by the link of a letter or after log-in, moves to try, a drawing board, queues.

`laying` reads what has been laid so far; the others are pages. Each works without a script: a form with the places and
the pieces, step by step. `page.js` makes the drawing itself the form, and asks for the same pages.
"""
