"""Finds the names that files of a tree take from each other, hand out and hide."""
