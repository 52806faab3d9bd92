"""Pages of `docs/` that are generated: `python -m reference.pages` writes them."""
