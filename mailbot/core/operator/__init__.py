"""What the operator may do to a board or a player, and the operator's mails. It reaches the store only by effects."""
