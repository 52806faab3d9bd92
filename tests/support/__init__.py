"""Tests of the modules that are written beside migrated programs."""
