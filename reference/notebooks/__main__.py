"""`python -m reference.notebooks [NAME]...` builds and executes the notebooks."""

from __future__ import annotations

import os
import time

import click

from reference import environment
from reference.notebooks import build


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def main(names: tuple[str, ...]) -> None:
    """Builds stories and pairs, and records what TensorFlow 1.15.5 computes in them."""
    if environment.find_tf1() is None:
        raise click.ClickException(
            "TensorFlow 1.15.5 is needed to record: python -m reference env"
        )
    os.environ["TF1TO2_RECORD"] = "1"
    for name in names or build.stories():
        start = time.monotonic()
        build.write(name)
        click.echo(f"{name}: {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main(prog_name="python -m reference.notebooks")
