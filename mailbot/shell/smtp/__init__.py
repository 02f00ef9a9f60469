"""The hardened SMTP listener. It knows octets, sessions and limits, and hands whole mails to the reception."""
