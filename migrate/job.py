"""One call of `migrate` or `check`: its options, checked, its run, and what it prints."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from migrate.disk import interrupts
from migrate.options import Options
from migrate.progress import Progress

if TYPE_CHECKING:
    from migrate.beside.written import Beside
    from migrate.config import Config
    from migrate.disk.discover import Exclusions
    from migrate.file_result import FileResult
    from migrate.next_steps import Written
    from migrate.report.summary import Run

    # Which programs are completed; the second argument gives the modules beside some.
    Choose = Callable[
        [Sequence[list[FileResult]], Callable[[Sequence[list[FileResult]]], Beside]],
        list[list[FileResult]],
    ]

_STDIN = "-"
_CODES = re.compile(r"[A-Z]\d{0,3}")
_COLOURS: dict[str, dict[str, Any]] = {
    "rewritten": {"fg": "blue"},
    "refused": {"fg": "yellow", "bold": True},
    "warning": {"fg": "yellow"},
    "failed": {"fg": "red", "bold": True},
    "dim": {"dim": True},
    "bold": {"bold": True},
}


class Job:
    """The options of one call, checked, and the run that they ask for."""

    def __init__(self, shared: dict[str, Any]) -> None:
        from migrate import report
        from migrate.disk import run_cache

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
        self.statistics: bool = shared["statistics"]
        self.interrupted = False
        self.left = False  # Whether the user left a program that could be written.
        self._configs = self._load_configs()
        config = self._configs[0]
        self.options = Options(
            shared["strategy"] or config.strategy,
            _split_codes("--select", shared["select"])
            or _split_codes("select", config.select),
            _split_codes("--ignore", shared["ignore"])
            or _split_codes("ignore", config.ignore),
            python2=shared["python2"],
            estimators=shared["estimators"] or config.estimators,
            notes=shared.get("notes", False),
            fallback=shared["fallback"] or "",
            runtime=shared["runtime"] or config.runtime,
        )
        self.jobs: int = config.jobs if shared["jobs"] is None else shared["jobs"]
        self._cached = not shared["no_cache"] and run_cache.is_wanted()
        self._exclude: tuple[str, ...] = shared["exclude"]
        self._whole_modules: bool = shared.get("whole_modules", False)

    def _load_configs(self) -> list[Config]:
        """Loads each path's configuration; only patterns differ between them."""
        from migrate import config

        starts = [p.absolute() for p in self.paths if os.path.exists(p)] or [
            pathlib.Path.cwd()
        ]
        directories = [s if os.path.isdir(s) else s.parent for s in starts]
        try:
            return [config.load(d) for d in dict.fromkeys(directories)]
        except config.ConfigError as error:
            raise click.UsageError(str(error)) from None

    def _make_exclusions(self) -> Exclusions:
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
        complete: Callable[
            [list[FileResult], Beside], list[FileResult]
        ] = lambda found, beside: found,
        *,
        target: Callable[[pathlib.Path], pathlib.Path] = lambda path: path,
        each_link: bool = False,
        choose: Choose | None = None,
    ) -> list[FileResult]:
        """Migrates all programs; each is completed (written), whole, before an interrupt.

        Args:
          prepare: finds what keeps a file's result from being written.
          complete: writes or shows the results of a program, and what is beside it.
          target: where a file is written.
          each_link: a link to a file counts as a file of its own.
          choose: asks which programs are to be completed; may be interrupted.
        """
        from migrate.beside.written import Beside
        from migrate.report.summary import spell_plural

        def make_beside(programs: Sequence[list[FileResult]]) -> Beside:
            every = (r for program in programs for r in program)
            return Beside(every, target, whole=self._whole_modules)

        done: list[FileResult] = []
        beside = None
        try:
            with Progress(self.quiet) as progress:
                progress.start_progress()
                programs = self._find_run()(
                    self.paths,
                    self.options,
                    prepare=prepare,
                    exclusions=self._make_exclusions(),
                    jobs=self.jobs,
                    each_link=each_link,
                    progress=progress.show,
                )
            if choose is not None:
                programs = choose(programs, make_beside)
            beside = make_beside(programs)
            for program in programs:
                with interrupts.defer_interrupts():
                    done += complete(program, beside)
        except KeyboardInterrupt:
            self.interrupted = True
            total = progress.total or len(done)
            number = spell_plural(total, "file")
            click.echo(f"\nInterrupted after {len(done)} of {number}.", err=True)
            if beside is not None:
                from migrate import results

                results.take_back_modules(beside, make_beside([done]))
        return done

    def _find_run(self) -> Callable[..., list[list[FileResult]]]:
        if self._cached:
            from migrate import cached_run

            return cached_run.run_programs
        from migrate import run

        return run.run_programs

    def finish(
        self,
        results: Sequence[FileResult],
        *,
        written: Written | None = None,
        to_stderr: bool = False,
    ) -> NoReturn:
        """Prints and saves the reports of a migration, and exits.

        Args:
          written: what was written and where, if anything.
        """
        from migrate.report import summary, text

        run = self._make_run(results, written is not None)
        for line in text.write_findings(run, paint_text, self.verbose):
            click.echo(line, err=True)
        if not self.quiet:
            for line in text.write_rules(run, paint_text, self.verbose):
                click.echo(line, err=True)
            lines = [*text.write_files(run, paint_text), *self._format_statistics(run)]
            if lines and lines[-1]:
                lines.append("")
            lines.append(click.style(summary.write_sentence(run), bold=True))
            if written is not None:
                from migrate.next_steps import list_next_steps

                steps = list(list_next_steps(run, written))
                lines += ["", click.style("Next", bold=True), *steps] if steps else []
            for line in lines:
                click.echo(line, err=to_stderr)
        code = summary.summarise(results, run.accepts_compat).exit_code
        self._exit_run(run, code or int(self.left))

    def finish_check(
        self,
        results: Sequence[FileResult],
        baseline: pathlib.Path | None = None,
        update: bool = False,
    ) -> NoReturn:
        """Prints programs, then details, saves the reports, and exits.

        Args:
          baseline: the file of what is known.
          update: write that file anew.
        """
        from migrate.report import summary, text

        found = summary.summarise(results)
        code = found.exit_code or int(any(r.changed for r in results))
        known = baseline is not None and not update
        if baseline is not None:
            results, code, note = _compare(baseline, results, update)
        run = self._make_run(results)
        if known:  # What is new is asked for, and nothing else.
            told = self._make_run([r for r in results if summary.select_shown(r)])
            parts = [text.write_findings(told, paint_text, self.verbose)]
            if not self.quiet:
                parts.append(text.write_rules(told, paint_text, self.verbose))
        elif self.quiet:
            parts = [text.write_findings(run, paint_text, self.verbose)]
        else:
            width = min(100, shutil.get_terminal_size((100, 24)).columns)
            details = list(text.write_findings(run, paint_text, self.verbose))
            if details:
                details.insert(0, click.style("Details", bold=True))
            parts = [
                text.write_programs_first(run, paint_text, width),
                iter(details),
                text.write_rules(run, paint_text, self.verbose),
                self._format_statistics(run),
                text.list_next_steps(run, paint_text),
            ]
        if baseline is not None:
            parts.append(iter(note))
        _print_parts(parts)
        self._exit_run(run, code)

    def _make_run(self, results: Sequence[FileResult], written: bool = False) -> Run:
        from migrate.report import display_path, summary

        action = summary.Action.WRITE if written else summary.Action.DRY_RUN
        return summary.Run(
            results,
            action,
            self.interrupted,
            bool(self.options.fallback),
            ", ".join(
                display_path(p.resolve()).rpartition(os.sep)[2] for p in self.paths
            ),
        )

    def _format_statistics(self, run: Run) -> Iterator[str]:
        from migrate.report import text

        if self.statistics:
            yield from text.write_statistics(run, paint_text)

    def _exit_run(self, run: Run, code: int) -> NoReturn:
        from migrate import report

        for path in self.reports:
            try:
                report.save(path, run)
            except OSError as error:
                reason = error.strerror or error
                click.echo(f"{path}: the report cannot be written: {reason}", err=True)
                code = 2
        sys.exit(2 if self.interrupted else code)


def _print_parts(parts: Iterable[Iterator[str]]) -> None:
    """Prints what there is, with an empty line between."""
    blocks = [text for part in parts if (text := "\n".join(part).strip("\n"))]
    if blocks:
        click.echo("\n\n".join(blocks))


def _compare(
    file: pathlib.Path, results: Sequence[FileResult], update: bool
) -> tuple[Sequence[FileResult], int, list[str]]:
    """The results with what a baseline knows hidden, the exit code, and lines on it."""
    from migrate import baseline
    from migrate.report import display_path

    try:
        if update:
            baseline.save(file, results)
            note = f"{file} is written. `check --baseline {file}` now reports only what is new."
            return results, 0, [note]
        compared = baseline.compare(file, baseline.load(file), results)
    except FileNotFoundError:
        raise click.UsageError(
            f"--baseline: {file} does not exist; --update-baseline writes it"
        ) from None
    except (OSError, baseline.BaselineError) as error:
        raise click.UsageError(f"--baseline: {error}") from None
    lines = [
        f"{display_path(path)}: TensorFlow 1 in a file that the baseline does not list"
        for path in compared.files
    ]
    note = f"Against {file}: {compared.new} new"
    if compared.gone:
        note += f", {compared.gone} gone (--update-baseline writes it anew)"
    code = 2 if compared.failed else int(compared.new > 0)
    return compared.results, code, [*lines, f"{note}."]


def _split_codes(name: str, given: Sequence[str]) -> tuple[str, ...]:
    """Codes, or their beginnings, given as lists with commas, repeated, or both.

    Raises:
      UsageError: one that no code begins with.
    """
    from migrate.codes import FAMILIES, MERGED

    codes = tuple(c.strip().upper() for g in given for c in g.split(",") if c.strip())
    for code in codes:
        if not _CODES.fullmatch(code) or code[0] not in FAMILIES:
            raise click.UsageError(
                f"{name}: no code is {code}; `tf1to2 rule` lists them"
            )
    return tuple(MERGED.get(code, code) for code in codes)


def paint_text(text: str, role: str) -> str:
    """Text in the colours of its role; click takes them off where there is no terminal."""
    return click.style(text, **_COLOURS.get(role, {}))
