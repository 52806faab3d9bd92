"""Moves code that builds a program's graph elsewhere to where its session is."""
