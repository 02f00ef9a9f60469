"""The store, kept in other places: dated backups that are checked, and all of it as lines for another server."""
