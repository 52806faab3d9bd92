"""Finds what the files of a run share: models, networks and hooks."""
