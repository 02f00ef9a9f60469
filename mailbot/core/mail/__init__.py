"""From the octets of a mail to the words a person wrote. Knows no game, no player and no command."""
