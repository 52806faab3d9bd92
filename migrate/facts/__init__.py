"""What a source text says, before anyone asks what it means: scopes, symbols, bindings."""
