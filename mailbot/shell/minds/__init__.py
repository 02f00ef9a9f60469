"""Where computer players think: what a worker does, worker processes on this machine, a fleet of others."""
