"""Runs inside TensorFlow 1.15.5, under Python 3.7: what a program builds and asks for."""
