"""Public programs nobody here wrote or looks at: drawn by a rule, and never tuned to."""
