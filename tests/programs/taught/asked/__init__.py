"""Servers that flags start, and a client that knows no cluster."""
