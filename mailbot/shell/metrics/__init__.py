"""What the server tells Prometheus of itself: plain counters where things happen, read when somebody asks."""
