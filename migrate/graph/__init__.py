"""Describes the graph and runs of a TensorFlow 1 program, without its syntax tree."""
