"""Modules that `tf1to2` writes beside a migrated program. They import TensorFlow, never us."""
