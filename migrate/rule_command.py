"""The command `tf1to2 rule`."""

from __future__ import annotations

import click


@click.command()
@click.argument("code", required=False)
def rule(code: str | None) -> None:
    """Explain a code, or list them all."""
    from migrate.codes import CODES, FAMILIES, MERGED
    from migrate.codes.pages import locate_page
    from migrate.codes.topics import find_related

    if code is None:
        for letter, family in FAMILIES.items():
            click.secho(f"{letter}  {family}", bold=True)
            for row in CODES.values():
                if row.id.startswith(letter):
                    click.echo(f"   {row.id}  {row.title}")
        return
    found = CODES.get(MERGED.get(code.upper(), code.upper()))
    if found is None:
        raise click.UsageError(f"no code {code}; `tf1to2 rule` lists them")
    click.secho(f"{found.id}  {found.title}", bold=True)
    _paragraph(found.explanation)
    for heading, text in (
        ("Why", found.why),
        ("What to do", found.recipe),
        ("What stays the same", found.promise),
        ("Refused when", found.refused_when),
    ):
        if text:
            _paragraph(f"{heading}: {text}")
    for heading, example in (("Before", found.before), ("After", found.after)):
        if example:
            click.secho(f"\n{heading}", bold=True)
            click.echo(
                "".join(f"    {line}\n" for line in example.splitlines()), nl=False
            )
    _paragraph(f"Related: {', '.join(find_related(found.id))}")
    click.echo(f"\nMore: {locate_page(found.id)}")


def _paragraph(text: str) -> None:
    click.echo(f"\n{click.wrap_text(text, width=88)}")
