"""Public programs that nobody here wrote, each put through `tf1to2 verify`.

`programs.toml` names them; their code stays where it is. `python -m reference proved`
fetches, runs and compares them, and docs/proved.md is written from what it measured.
"""
