"""Plans the migration of a file: which plan it gets, and which forms are tried."""
