"""From the outbox to the wire: renders letters, composes them, hands them to the relay or a Maildir."""
