"""Paired TF1 and TF2 programs, and the proof that they compute the same."""
