"""Rewrites or refuses single symbols, independent of the program: a module per family."""
