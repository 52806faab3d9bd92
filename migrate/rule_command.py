"""The command `tf1to2 rule`."""

from __future__ import annotations

import click


@click.command()
@click.argument("code", required=False)
def rule(code: str | None) -> None:
    """Print the page of a code, such as S101. Without CODE, list all codes."""
    from migrate.codes import CODES, FAMILIES, MERGED
    from migrate.codes.terminal import read_page, show_page

    if code is None:
        for letter, family in FAMILIES.items():
            click.secho(f"{letter}  {family}", bold=True)
            for name in sorted(CODES):
                if name.startswith(letter):
                    click.echo(f"   {name}  {CODES[name].title}")
        return
    asked = code.upper()
    found = CODES.get(MERGED.get(asked, asked))
    if found is None:
        raise click.UsageError(
            f"there is no code {code}; `tf1to2 rule` lists all codes"
        )
    if found.id != asked:
        click.echo(f"{asked} is {found.id} now.\n")
    for line, role in show_page(read_page(found.id).rstrip()):
        click.secho(line, bold=role == "heading")
