"""`python -m tf1to2` is `tf1to2`."""

from .command import main

if __name__ == "__main__":
    main(prog_name="tf1to2")
