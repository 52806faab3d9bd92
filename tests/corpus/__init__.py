"""The tool on real TF1 packages: what it rewrites of them, and what it must never do."""
