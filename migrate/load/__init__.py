"""A program's files as modules: what an import of one of them finds."""
