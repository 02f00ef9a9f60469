"""The hardened SMTP listener. Knows octets, sessions and limits; it hands whole mails to the reception."""
