"""What needs no program to be rewritten: one module per family of symbols."""
