"""Finds a program's tasks, where its graph is placed, and how its workers keep pace."""
