"""The store, kept in other places: dated backups that are checked before they have their names."""
