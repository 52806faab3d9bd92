"""A result as a person would leave it: without remains of code that is gone, and laid out.

Nothing here changes what a program computes: each result is compared by its syntax tree, or
loses only statements without an effect.
"""
