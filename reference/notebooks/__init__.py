"""The paired notebooks in `notebooks/`: built from reviewed sources, executed, compared."""
