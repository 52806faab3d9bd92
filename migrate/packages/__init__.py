"""Edits the files in which a project asks for TensorFlow 1, and adds tf-keras."""

from migrate.packages.edits import Edit, describe_edit, edit_file, find_edits
from migrate.packages.users import find_users

__all__ = ["Edit", "describe_edit", "edit_file", "find_edits", "find_users"]
