"""What the files of a run share: models, networks, hooks, and how these are found."""
