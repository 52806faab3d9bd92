"""`tf1to2 demo`: one program of forty lines, before and after, and its proof."""

from __future__ import annotations

import importlib.resources
import json
import shutil
import textwrap
from typing import Any

import click

from migrate.options import Options

_NAME = "train.py"
_FOLDER = "migrate.demo"
_WIDE = 166  # Columns in which both programs stand beside each other, no line wrapped.
_COLOURS: dict[str, dict[str, Any]] = {
    "removed": {"fg": "red"},
    "added": {"fg": "green"},
    "dim": {"dim": True},
    "bold": {"bold": True},
}
_NEXT = (
    ("tf1to2", "see what is in this directory"),
    ("tf1to2 check PATH", "list programs, and what blocks them"),
    ("tf1to2 migrate PATH --diff", "see every change; nothing is written"),
    ("tf1to2 verify FILE", "prove the migration of your own program"),
)


def read_program() -> str:
    """The TensorFlow 1 program that is shown."""
    return importlib.resources.files(_FOLDER).joinpath(_NAME).read_text("utf-8")


def read_proof() -> dict[str, Any]:
    """Reads the verdict of `tf1to2 verify` on the program; a test computes it again."""
    file = importlib.resources.files(_FOLDER).joinpath("proof.json")
    proof: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return proof


def _paint_text(text: str, role: str) -> str:
    return click.style(text, **_COLOURS.get(role, {}))


@click.command()
@click.option("--program", is_flag=True, help="Print the TensorFlow 1 program alone.")
def demo(program: bool) -> None:
    """Show one program of 40 lines before and after, with its proof."""
    before = read_program()
    if program:
        click.echo(before, nl=False)
        return
    from migrate.compiler import migrate_text
    from migrate.terminal_diff import show_both

    width = min(shutil.get_terminal_size((_WIDE, 24)).columns, _WIDE)
    result = migrate_text(before, Options(), _NAME)
    for line in show_both(before.rstrip(), result.text.rstrip(), width, _paint_text):
        click.echo(line)
    proof = read_proof()
    click.echo()
    click.secho("The proof", bold=True)
    measured = f"Measured on {proof['day']} with {proof['versions']}. Ask again:"
    for line in (*proof["lines"], measured):
        for piece in textwrap.wrap(line, min(width, 100) - 2):
            click.echo(f"  {piece}")
    click.echo("    tf1to2 demo --program > train.py && tf1to2 verify train.py")
    click.echo()
    click.secho("Next", bold=True)
    for command, purpose in _NEXT:
        click.echo(f"  {command:<28}{_paint_text(purpose, 'dim')}")
