"""What the operator may do to a board or a player, and the operator's mails. Tells the store nothing but effects."""
