"""The conversation: pure functions from mails and stored facts to effects. No I/O, no clock, no randomness.

The wings, in the order in which they may import each other:
mail, model, tokens <- effects, world <- games, language, tournaments <- ratings <- players <- letters <- commands
<- handle, due, operator, pages.
"""
