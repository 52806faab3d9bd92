"""TF1 to TF1: classes that build a graph, as ones whose methods build it in plain sight."""
