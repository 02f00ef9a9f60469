"""Mails that are not done at once: refused unread, kept for a person, counted, or stored until their turn."""
