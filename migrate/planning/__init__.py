"""Which plan a file gets, and the forms of it that are tried."""
