"""Who is asking: password hashes, limits on guessing, the operator's password. Knows no command."""
