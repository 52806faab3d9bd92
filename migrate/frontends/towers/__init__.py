"""Reads how a program writes its towers: the lists, objects and scopes of their loop."""
