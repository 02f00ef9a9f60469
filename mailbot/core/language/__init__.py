"""From the words of a mail to a script of commands, and to the words that go on to other players.

Knows the shape of commands, not what they do.
"""
