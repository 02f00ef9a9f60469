"""Who is asking: password hashes, limits on guessing, the operator's password. It knows no commands."""
