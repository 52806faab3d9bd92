"""Finds facts that a source text states: its scopes, symbols and bindings."""
