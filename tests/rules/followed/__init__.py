"""Refused programs and what their recipes make of them: code -> (before, after)."""
