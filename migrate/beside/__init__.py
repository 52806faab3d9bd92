"""Writes the modules that programs need beside them, without the parts that none reaches."""
