"""The command line: `tf1to2 migrate|check|rule|verify|checkpoint`.

Exit codes: 0 done, 1 something is left to do (a program is refused, or still runs the
TensorFlow 1 way; a mistake is reported; or `check` found work), 2 usage or internal
error, an interrupt, or a file that could not be read, checked or written.
What is only needed once there is work to do is imported then: start-up is felt.
"""

from __future__ import annotations

import errno
import os
import pathlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from migrate import __version__
from migrate.disk import interrupts
from migrate.options import ESTIMATORS, FALLBACKS, STRATEGIES, Options
from migrate.verify_command import verify

if TYPE_CHECKING:
    from migrate.config import Config
    from migrate.disk.discover import Exclusions
    from migrate.pipeline import FileResult
    from migrate.report.summary import Run

_STDIN = "-"
_CODES = re.compile(r"[A-Z]\d{0,3}")
_MANY = 20  # Files worth a progress bar.
_COLOURS: dict[str, dict[str, Any]] = {
    "rewritten": {"fg": "blue"},
    "refused": {"fg": "yellow", "bold": True},
    "failed": {"fg": "red", "bold": True},
    "dim": {"dim": True},
}


# Commands of their own modules, imported when they are called.
_ELSEWHERE = {"checkpoint": "reference.tf1_checkpoint.command"}


class _Group(click.Group):
    """Keeps to the exit codes also where Python or click would give another."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_ELSEWHERE])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _ELSEWHERE:
            return super().get_command(ctx, cmd_name)
        import importlib

        module = importlib.import_module(_ELSEWHERE[cmd_name])
        command: click.Command = getattr(module, cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        interrupts.handle()
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            sys.exit(2)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except OSError as error:
            if error.errno == errno.EPIPE:  # `| head`; click ends quietly.
                raise
            _internal_error()
        except Exception:
            _internal_error()


def _internal_error() -> NoReturn:
    import traceback

    traceback.print_exc()
    click.echo("This is a fault of tf1to2: please report it.", err=True)
    sys.exit(2)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tf1to2")
def main() -> None:
    """Migrate TensorFlow 1 distributed training to tf.distribute."""


main.add_command(verify)


def _shared(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that `migrate` and `check` have in common."""
    options = (
        click.argument("paths", nargs=-1, required=True),
        click.option(
            "--report",
            "reports",
            multiple=True,
            metavar="FILE",
            type=click.Path(dir_okay=False, path_type=pathlib.Path),
            help="Write a report: .json .sarif .html .md .txt. Repeatable.",
        ),
        click.option(
            "--select",
            multiple=True,
            metavar="CODES",
            help="Report these codes only (C111, or all of a kind: C). Repeatable.",
        ),
        click.option(
            "--ignore",
            multiple=True,
            metavar="CODES",
            help="Do not report these codes. Repeatable.",
        ),
        click.option(
            "--exclude",
            multiple=True,
            metavar="GLOB",
            help="Leave out files, as .gitignore would. Repeatable.",
        ),
        click.option(
            "--strategy",
            type=click.Choice(STRATEGIES),
            help="Override the strategy that the program's own code implies.",
        ),
        click.option(
            "--estimators",
            type=click.Choice(ESTIMATORS),
            help="What a model_fn becomes: a Keras model where it can be one, which is "
            "the default, or a model_fn still.",
        ),
        click.option(
            "--fallback",
            type=click.Choice(FALLBACKS),
            help="Bring a refused program, whole, to graph mode on TensorFlow 2.21: it "
            "runs through tf.compat.v1, and is not yet tf.distribute.",
        ),
        click.option(
            "--python2",
            is_flag=True,
            help="Bring Python 2 sources to Python 3 first.",
        ),
        click.option(
            "--jobs",
            type=click.IntRange(0),
            metavar="N",
            help="Processes; 0, the default, takes one per processor.",
        ),
        click.option(
            "--quiet", "-q", is_flag=True, help="Print only what was refused or failed."
        ),
        click.option(
            "--verbose",
            "-v",
            is_flag=True,
            help="List what is rewritten and kept, too.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@main.command("migrate")
@_shared
@click.option("--diff", is_flag=True, help="Print a unified diff.")
@click.option("--write", is_flag=True, help="Change the files in place, atomically.")
@click.option(
    "--output",
    type=click.Path(path_type=pathlib.Path),
    metavar="DIR",
    help="Write a migrated copy of the tree; all else in it is copied.",
)
@click.option(
    "--notes",
    is_flag=True,
    help="Write what is refused into the refused files, as comments. Without it they "
    "are not touched.",
)
def migrate_command(
    diff: bool, write: bool, output: pathlib.Path | None, **shared: Any
) -> None:
    """Show (or, with --write or --output, do) the migration of files and trees.

    Without one of the three it only tells what would change. `-` reads a program from
    standard input and writes the result to standard output.
    """
    if diff + write + (output is not None) > 1:
        raise click.UsageError("--diff, --write and --output exclude each other")
    from migrate import results
    from migrate.show import print_diffs

    job = _Job(shared)
    if job.stdin:
        if write or output is not None:
            raise click.UsageError(
                "`-` writes to standard output: no --write, no --output"
            )
        _stdin(job, diff=diff)
    elif diff:
        shown: set[pathlib.Path] = set()
        job.finish(job.run(_checked, lambda p: print_diffs(p, shown)), to_stderr=True)
    elif write:
        job.finish(job.run(_writable, results.write_program), written=True)
    elif output is not None:
        job.finish(_copy(job, output), written=True)
    else:
        job.finish(job.run(_checked))


@main.command()
@_shared
def check(**shared: Any) -> None:
    """Tell what a migration would find; exit with 1 if there is anything to migrate."""
    job = _Job(shared)
    if job.stdin:
        _stdin(job, check=True)
    else:
        job.finish(job.run(_checked), check=True)


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
    _paragraph(found.explanation)
    for heading, text in (
        ("Promise", found.promise),
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


def _paragraph(text: str) -> None:
    click.echo(f"\n{click.wrap_text(text, width=88)}")


# -- one run --------------------------------------------------------------------------


class _Job:
    """The options of one call, checked, and the run that they ask for."""

    def __init__(self, shared: dict[str, Any]) -> None:
        from migrate import report

        names: tuple[str, ...] = shared["paths"]
        self.stdin = names == (_STDIN,)
        if _STDIN in names and not self.stdin:
            raise click.UsageError("`-` stands alone")
        self.paths = [pathlib.Path(name) for name in names if name != _STDIN]
        self.reports: tuple[pathlib.Path, ...] = shared["reports"]
        for path in self.reports:
            try:
                report.check_suffix(path)
            except ValueError as error:
                raise click.BadParameter(str(error), param_hint="--report") from None
        self.quiet: bool = shared["quiet"]
        self.verbose: bool = shared["verbose"]
        self.interrupted = False
        self._configs = self._load_configs()
        config = self._configs[0]
        self.options = Options(
            shared["strategy"] or config.strategy,
            _codes("--select", shared["select"]) or _codes("select", config.select),
            _codes("--ignore", shared["ignore"]) or _codes("ignore", config.ignore),
            python2=shared["python2"],
            estimators=shared["estimators"] or config.estimators,
            notes=shared.get("notes", False),
            fallback=shared["fallback"] or "",
        )
        self.jobs: int = config.jobs if shared["jobs"] is None else shared["jobs"]
        self._exclude: tuple[str, ...] = shared["exclude"]

    def _load_configs(self) -> list[Config]:
        """What holds for each path; all but its patterns is taken from the first one's."""
        from migrate import config

        starts = [p.absolute() for p in self.paths if os.path.exists(p)] or [
            pathlib.Path.cwd()
        ]
        directories = [s if os.path.isdir(s) else s.parent for s in starts]
        try:
            return [config.load(d) for d in dict.fromkeys(directories)]
        except config.ConfigError as error:
            raise click.UsageError(str(error)) from None

    def _exclusions(self) -> Exclusions:
        """Files' patterns from their directories; the command's from here and each tree."""
        from migrate.disk.discover import Exclusions, Patterns

        configured = {c.directory: c.exclude for c in self._configs if c.directory}
        found = [Patterns(base, patterns) for base, patterns in configured.items()]
        if self._exclude:
            bases = [pathlib.Path.cwd(), *(p for p in self.paths if os.path.isdir(p))]
            found += [Patterns(base, self._exclude) for base in bases]
        return Exclusions(tuple(found))

    def run(
        self,
        prepare: Callable[[FileResult], FileResult],
        complete: Callable[[list[FileResult]], list[FileResult]] = lambda found: found,
        *,
        each_link: bool = False,
    ) -> list[FileResult]:
        """Migrates all programs; each is completed (written), whole, before an interrupt.

        Args:
          prepare: finds what keeps a file's result from being written.
          complete: writes or shows the results of a program.
          each_link: a link to a file counts as a file of its own.
        """
        from migrate import run

        done: list[FileResult] = []
        try:
            with _Progress(self.quiet) as progress:
                programs = run.run_programs(
                    self.paths,
                    self.options,
                    prepare=prepare,
                    exclusions=self._exclusions(),
                    jobs=self.jobs,
                    each_link=each_link,
                    progress=progress.show,
                )
            for program in programs:
                with interrupts.uninterrupted():
                    done += complete(program)
        except KeyboardInterrupt:
            self.interrupted = True
            total = progress.total or len(done)
            click.echo(f"\nInterrupted after {len(done)} of {total} files.", err=True)
        return done

    def finish(
        self,
        results: Sequence[FileResult],
        *,
        written: bool = False,
        check: bool = False,
        to_stderr: bool = False,
    ) -> NoReturn:
        """Prints and saves the reports, and exits."""
        from migrate import report
        from migrate.report import summary, text

        action = summary.Action.WRITE if written else summary.Action.DRY_RUN
        run = summary.Run(
            results, action, self.interrupted, bool(self.options.fallback)
        )
        for line in text.findings(run, _paint, self.verbose):
            click.echo(line, err=True)
        if not self.quiet:
            for line in _summary(run):
                click.echo(line, err=to_stderr)
        code = summary.summarise(results, run.accepts_compat).exit_code
        if check and not code:
            code = int(any(r.changed for r in results))
        for path in self.reports:
            try:
                report.save(path, run)
            except OSError as error:
                reason = error.strerror or error
                click.echo(f"{path}: the report cannot be written: {reason}", err=True)
                code = 2
        sys.exit(2 if self.interrupted else code)


def _codes(name: str, given: Sequence[str]) -> tuple[str, ...]:
    """Codes, or their beginnings, given as lists with commas, repeated, or both.

    Raises:
      UsageError: one that no code begins with.
    """
    from migrate.codes import FAMILIES

    codes = tuple(c.strip().upper() for g in given for c in g.split(",") if c.strip())
    for code in codes:
        if not _CODES.fullmatch(code) or code[0] not in FAMILIES:
            raise click.UsageError(
                f"{name}: no code is {code}; `tf1to2 rule` lists them"
            )
    return codes


def _paint(text: str, role: str) -> str:
    return click.style(text, **_COLOURS.get(role, {}))


def _summary(run: Run) -> Iterator[str]:
    from migrate.report import summary, text

    table = list(text.statistics(run, _paint))
    changes = list(text.files(run, _paint))
    yield from changes
    if changes and table:
        yield ""
    yield from table
    yield click.style(summary.sentence(run), bold=True)


class _Progress:
    """A bar on a terminal's standard error, when there is enough to wait for."""

    def __init__(self, quiet: bool) -> None:
        self._shown = sys.stderr.isatty() and not quiet
        self._bar: Any = None
        self.total = 0

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def show(self, done: int, total: int) -> None:
        self.total = total
        if not self._shown or total < _MANY:
            return
        if self._bar is None:
            self._bar = click.progressbar(length=total, label="files", file=sys.stderr)
            self._bar.render_progress()
        self._bar.update(1)


# -- what becomes of the results ------------------------------------------------------


def _checked(result: FileResult) -> FileResult:
    from migrate import results

    return results.check_support(result, result.path) if result.changed else result


def _writable(result: FileResult) -> FileResult:
    from migrate import results

    return results.check_target(result, result.path) if result.changed else result


def _copy(job: _Job, output: pathlib.Path) -> list[FileResult]:
    from migrate import copies, results

    copy = copies.Copy(tuple(job.paths), output)
    try:
        copy.check()
    except copies.CopyError as error:
        raise click.UsageError(str(error)) from None
    failures = copy.make()

    def prepare(result: FileResult) -> FileResult:
        if not result.changed:
            return result
        return results.check_target(result, copy.target(result.path), own_copy=True)

    def complete(program: list[FileResult]) -> list[FileResult]:
        return results.write_program(program, copy.target)

    named = {failure.path for failure in failures}
    done = job.run(prepare, complete, each_link=True)
    return [*failures, *(r for r in done if not (r.failed and r.path in named))]


def _stdin(job: _Job, *, diff: bool = False, check: bool = False) -> NoReturn:
    """A filter: the result, or where there is none the input as it was."""
    from migrate import emitted, outcomes, pipeline, run
    from migrate.show import print_diffs

    data = sys.stdin.buffer.read()
    is_notebook = data.lstrip()[:1] == b"{" and b'"nbformat"' in data
    path = pathlib.Path("stdin.ipynb" if is_notebook else "stdin.py")
    result = pipeline.migrate_bytes(path, data, job.options)
    ((result,),) = outcomes.settle([result], run.fallback_for(data, job.options))
    if diff:
        print_diffs([result], set())
    elif not check:
        click.echo(result.new if result.changed else data, nl=False)
        if result.support:
            needs = ", ".join(emitted.shown(result.support))
            click.echo(
                f"The result imports {needs}; `tf1to2 migrate FILE --write` writes it too.",
                err=True,
            )
    job.quiet = not check
    job.finish([result], check=check, to_stderr=True)


if __name__ == "__main__":
    main()
