"""What is in the process of a program that `tf1to2 verify` watches.

Runs under Python 3.7 and later, TensorFlow 1.15 and 2. Neither program is edited: the
session, the Estimator and the modules that are written beside a migrated program are
watched from outside.
"""
