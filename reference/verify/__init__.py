"""`tf1to2 verify`: a program and its migration, run from one start and compared."""
