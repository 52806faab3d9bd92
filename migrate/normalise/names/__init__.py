"""TF1 to TF1: a name for each thing, and a statement for each name."""
