"""An abstract interpreter for the Python that builds TensorFlow 1 graphs.

It runs a program's text with symbols for TensorFlow and with hosts for what only a run knows. It
never executes anything of the program.
"""
