"""The command line: `tf1to2 migrate|check|rule`."""

from __future__ import annotations

import pathlib
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from migrate import __version__
from migrate.migration import STRATEGIES, Options

if TYPE_CHECKING:
    from migrate.pipeline import FileResult


def _shared(command: Callable[..., Any]) -> Callable[..., Any]:
    options = (
        click.argument("paths", nargs=-1, required=True),
        click.option("--report", "reports", multiple=True, metavar="FILE",
                     help="Write a report; .json .sarif .html .md .txt. Repeatable."),
        click.option("--select", multiple=True, metavar="CODES", help="Report only these codes."),
        click.option("--ignore", multiple=True, metavar="CODES", help="Do not report these codes."),
        click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out files."),
        click.option("--strategy", type=click.Choice(STRATEGIES), default=None,
                     help="Override the strategy that the program's own code implies."),
        click.option("--jobs", type=click.IntRange(0), default=None,
                     help="Processes; 0 takes one per processor."),
        click.option("--quiet", is_flag=True, help="Print only what was refused or failed."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tf1to2")
def main() -> None:
    """Migrate TensorFlow 1 distributed training to tf.distribute."""


@main.command("migrate")
@_shared
@click.option("--diff", is_flag=True, help="Print a unified diff.")
@click.option("--write", is_flag=True, help="Change the files in place, atomically.")
@click.option("--output", type=click.Path(path_type=pathlib.Path), metavar="DIR",
              help="Write a migrated copy of the tree; all else is copied.")
def migrate_command(
    diff: bool, write: bool, output: pathlib.Path | None, **shared: Any
) -> None:
    """Show (or, with --write or --output, do) the migration of files and trees.

    `-` reads a program from standard input and writes the result to standard output.
    """
    if (diff + write + (output is not None)) > 1:
        raise click.UsageError("--diff, --write and --output exclude each other")
    if shared["paths"] == ("-",):
        _stdin(shared)
        return
    from migrate import run

    results = _results(shared)
    if diff:
        for result in results:
            _print_diff(result)
    elif write:
        results = [
            run.write_result(r, r.path) if r.changed else r for r in results
        ]
    elif output is not None:
        results = _copy(shared, results, output)
    verb = "migrated" if write or output is not None else "would change"
    _finish(results, shared, verb, to_stderr=diff)


@main.command()
@_shared
def check(**shared: Any) -> None:
    """Report what a migration would find; exit with 1 if there is anything to migrate."""
    results = _results(shared)
    code = _report(results, shared, "would change", False)
    sys.exit(code or int(any(r.changed for r in results)))


@main.command()
@click.argument("code", required=False)
def rule(code: str | None) -> None:
    """Explain a code, or list them all."""
    from migrate.codes import CODES, FAMILIES

    if code is None:
        for letter, family in FAMILIES.items():
            click.secho(f"{letter}  {family}", bold=True)
            for row in CODES.values():
                if row.id.startswith(letter):
                    click.echo(f"   {row.id}  {row.title}")
        return
    found = CODES.get(code.upper())
    if found is None:
        raise click.UsageError(f"no code {code}; `tf1to2 rule` lists them")
    click.secho(f"{found.id}  {found.title}", bold=True)
    click.echo(found.explanation)
    if found.before:
        click.echo(f"\nBefore:\n{_indented(found.before)}\nAfter:\n{_indented(found.after)}")


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def _options(shared: dict[str, Any], paths: Sequence[pathlib.Path]) -> tuple[Options, Any]:
    from migrate import config

    first = paths[0] if paths and paths[0].exists() else pathlib.Path.cwd()
    try:
        defaults = config.load(first if first.is_dir() else first.parent)
    except (config.ConfigError, TypeError) as error:
        raise click.UsageError(str(error)) from None

    def codes(given: Sequence[str], default: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(c for g in given for c in g.split(",") if c) or default

    options = Options(
        shared["strategy"] or defaults.strategy,
        codes(shared["select"], defaults.select),
        codes(shared["ignore"], defaults.ignore),
    )
    if options.strategy not in STRATEGIES:
        raise click.UsageError(f"unknown strategy {options.strategy!r}")
    return options, defaults


def _results(shared: dict[str, Any]) -> list[FileResult]:
    from migrate import run

    paths = [pathlib.Path(p) for p in shared["paths"]]
    options, defaults = _options(shared, paths)
    jobs = shared["jobs"] if shared["jobs"] is not None else defaults.jobs
    tty = sys.stderr.isatty() and not shared["quiet"]

    def progress(done: int, total: int) -> None:
        if tty and total > 20:
            click.echo(f"\r{done}/{total} files", nl=done == total, err=True)

    results: list[FileResult] = []
    try:
        for result in run.migrate_all(
            paths,
            options,
            exclude=shared["exclude"] or defaults.exclude,
            jobs=jobs,
            progress=progress,
        ):
            results.append(result)
    except KeyboardInterrupt:
        click.echo(
            f"\nInterrupted after {len(results)} files; nothing was written.", err=True
        )
        sys.exit(2)
    return results


def _print_diff(result: FileResult) -> None:
    import difflib

    from migrate.pipeline import support_source

    def show(old: str, new: str, before: str, after: str) -> None:
        for line in difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), before, after
        ):
            colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[0])
            end = "" if line.endswith("\n") else "\n\\ No newline at end of file\n"
            click.secho(line + end, fg=colour, nl=False)

    if result.changed:
        name = str(result.path)
        show(
            result.old.decode("utf-8", "replace"),
            result.new.decode("utf-8", "replace"),
            name,
            name,
        )
        for support in result.support:
            path = result.path.parent / support
            if not path.exists() and path not in _shown:
                _shown.add(path)
                lines = support_source(support).count(b"\n")
                click.secho(f"+++ {path} (new, {lines} lines)", fg="green")


_shown: set[pathlib.Path] = set()


def _copy(
    shared: dict[str, Any], results: list[FileResult], output: pathlib.Path
) -> list[FileResult]:
    """Copies the trees and writes the migrated files over their copies."""
    from migrate import run

    roots = [pathlib.Path(p) for p in shared["paths"]]
    for root in roots:
        if root.is_dir() and output.resolve().is_relative_to(root.resolve()):
            raise click.UsageError("--output must not lie inside the tree")
        if root.is_dir():
            shutil.copytree(
                root,
                output,
                symlinks=True,
                dirs_exist_ok=True,
                ignore=shutil.ignore_patterns(".git", "__pycache__"),
            )
        elif root.is_file():
            output.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root, output / root.name)
    done = []
    for result in results:
        base = next(
            (r for r in roots if r.is_dir() and result.path.is_relative_to(r)), None
        )
        target = output / (result.path.relative_to(base) if base else result.path.name)
        done.append(run.write_result(result, target) if result.changed else result)
    return done


def _report(
    results: Sequence[FileResult], shared: dict[str, Any], verb: str, to_stderr: bool
) -> int:
    from migrate import report
    from migrate.findings import Outcome

    for result in results:
        for finding in result.findings:
            if finding.outcome not in (Outcome.REFUSED, Outcome.FAILED):
                continue
            if finding.code == "N100":
                continue
            where = report.place(result, finding.line, finding.column, finding.cell)
            colour = "red" if finding.outcome is Outcome.FAILED else "yellow"
            symbol = f"{finding.symbol}: " if finding.symbol else ""
            click.echo(
                f"{where}: {click.style(finding.code, fg=colour, bold=True)} "
                f"{symbol}{finding.reason}",
                err=True,
            )
            if finding.recipe:
                click.echo(f"    {finding.recipe}", err=True)
    summary = report.summarise(results)
    if not shared["quiet"]:
        if not to_stderr:
            for result in results:
                if result.changed:
                    click.echo(f"{result.path}: {verb}")
        click.secho(report.sentence(summary, verb), bold=True, err=to_stderr)
    for name in shared["reports"]:
        try:
            report.save(pathlib.Path(name), results)
        except (ValueError, OSError) as error:
            raise click.UsageError(str(error)) from None
    return summary.exit_code


def _finish(
    results: Sequence[FileResult], shared: dict[str, Any], verb: str, to_stderr: bool
) -> None:
    sys.exit(_report(results, shared, verb, to_stderr))


def _stdin(shared: dict[str, Any]) -> None:
    from migrate.pipeline import migrate_bytes

    data = sys.stdin.buffer.read()
    options, _ = _options(shared, [])
    result = migrate_bytes(pathlib.Path("stdin.py"), data, options)
    sys.stdout.buffer.write(result.new)
    sys.exit(_report([result], {**shared, "quiet": True}, "would change", True))


if __name__ == "__main__":
    main()
