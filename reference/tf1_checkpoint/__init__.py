"""TensorFlow 1 checkpoints: what is in one, how two differ, and another form of one.

Reading needs no TensorFlow: the files' format is small and has not changed since
TensorFlow 0.12. Only a conversion imports it, for the model it is to fit.
"""
