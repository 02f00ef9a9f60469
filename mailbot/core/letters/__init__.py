"""The facts that a letter or a file tells: drawn boards, tables, records, analyses. Which pictures a letter shows.

Knows no command; the templates themselves are rendered by the shell.
"""
