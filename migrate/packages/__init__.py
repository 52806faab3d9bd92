"""Where a project asks for TensorFlow 1, as edits; and for tf-keras, which it may need too."""

from migrate.packages.edits import Edit, edit_file, find_edits, in_words
from migrate.packages.users import find_users

__all__ = ["Edit", "edit_file", "find_edits", "find_users", "in_words"]
