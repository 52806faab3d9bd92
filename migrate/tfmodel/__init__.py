"""What each symbol of TensorFlow 1 adds to a graph: tables, and the logic that reads them."""
