"""Models what each symbol of TensorFlow 1 adds to a graph: tables and their logic."""
