"""TF1 to TF1: a run whose fetch the host chooses is one run for each value it can be."""
