"""Programs with a session: its graph, its runs, its iterators, hooks and workers."""
