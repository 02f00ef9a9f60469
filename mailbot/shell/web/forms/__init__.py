"""Pages that ask for something: log-in, sign-up, a form for each command, and the pages that gather them.

Each form becomes the line of a mail (web/asking.py), and is sent only once and only by a page of ours (web/seal.py).
"""
