"""The page for browsers: one more door to the same requests, and a way to look at everything that the mails show.

`server` runs it on the daemon's own event loop. `site` is the table of addresses; `rooms` is what the pages may use.
A page reads over the reading connection. It changes something only by a request through the writer, as a mail does.
"""
