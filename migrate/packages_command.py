"""`tf1to2 packages`: where a project asks for TensorFlow 1, as edits."""

from __future__ import annotations

import os
import pathlib
import sys

import click


@click.command()
@click.argument(
    "path",
    default=".",
    type=click.Path(exists=True, path_type=pathlib.Path),
)
@click.option("--diff", is_flag=True, help="Print a unified diff.")
@click.option("--write", is_flag=True, help="Change the files in place.")
def packages(path: pathlib.Path, diff: bool, write: bool) -> None:
    """Make a project require TensorFlow 2 and not TensorFlow 1.

    Reads requirements, setup.py, setup.cfg, pyproject.toml, Pipfile, tox.ini, conda and
    Kubernetes files, and Dockerfiles below PATH. Changes them only with --write. Exits
    with 1 if something is left to do.
    """
    if diff and write:
        raise click.UsageError("--diff and --write exclude each other")
    from migrate import packages
    from migrate.diff import make_unified_diff
    from migrate.disk import write as disk
    from migrate.report import display_path

    left = failed = False
    for edit in packages.find_edits(path):
        if diff:
            for line in make_unified_diff(edit.old, edit.new, os.fsencode(edit.path)):
                click.echo(line, nl=False)
        for told in packages.describe_edit(edit, display_path(edit.path)):
            click.echo(told, err=diff)
        left = left or bool(edit.by_hand) or (edit.changed and not write)
        if write and edit.changed:
            try:
                disk.check_writable(edit.path)
                disk.write_atomically(edit.path, edit.new)
            except OSError as error:
                reason = error.strerror or error
                click.echo(
                    f"{display_path(edit.path)}: cannot be written: {reason}", err=True
                )
                failed = True
    sys.exit(2 if failed else int(left))
