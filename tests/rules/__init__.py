"""A case for every code: `CODE.py` is a program of which the tool says that."""
