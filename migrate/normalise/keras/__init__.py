"""TF1 to TF1: Keras's models, layers and tensors in a program with a session."""
