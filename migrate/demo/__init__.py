"""Holds the TensorFlow 1 program that `tf1to2 demo` shows, and its proof."""
