"""What `tf1to2 demo` shows: a TensorFlow 1 program, and its proof."""
