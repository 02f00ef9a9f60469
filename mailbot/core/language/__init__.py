"""From the words of a mail to a script of commands, and to the words that go on to other players.

It knows the form of commands, not what they do.
"""
