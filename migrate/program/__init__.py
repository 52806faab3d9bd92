"""The typed intermediate representation: what a program trains and how it is distributed."""
