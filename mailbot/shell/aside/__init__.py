"""Mails that are not done at once: refused unread, kept for a person or counted, or stored until it is their turn."""
