"""A plan applied to a text, its imports, and what every result must pass."""
