"""Bytes to text and back, losing nothing."""
