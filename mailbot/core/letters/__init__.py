"""The facts that a letter or a file tells: drawn boards, tables, records, analyses. Pictures belong here.

Knows no command; the templates themselves are rendered by the shell.
"""
