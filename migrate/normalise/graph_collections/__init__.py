"""TF1 to TF1: what the graph's collections hold, written out where it is asked for."""
