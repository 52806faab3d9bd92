"""`python -m migrate` is `tf1to2`."""

from migrate.cli import main

if __name__ == "__main__":
    main(prog_name="tf1to2")
