"""From the octets of a mail to the words that a person wrote. It knows no games, players or commands."""
