"""All other I/O: sockets, clocks, files, processes, and the composition root (app)."""
