"""Programs of Estimators: their Estimators, hooks, scaffolds, and sessions beside them."""
