"""The command line: `tf1to2 check|migrate|verify|rule|checkpoint|demo`.

Exit codes: 0 done, 1 something is left to do (a program is refused, or still runs the
TensorFlow 1 way; a mistake is reported; or `check` found work), 2 usage or internal
error, an interrupt, or a file that could not be read, checked or written.
What is only needed once there is work to do is imported then: start-up is felt.
"""

from __future__ import annotations

import errno
import os
import pathlib
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from migrate import __version__, garbage
from migrate.command_options import add_shared_options
from migrate.demo_command import demo
from migrate.disk import interrupts
from migrate.job import Job
from migrate.packages_command import packages
from migrate.progress import Progress
from migrate.rule_command import rule
from migrate.verify_command import verify

if TYPE_CHECKING:
    from migrate.beside.written import Beside
    from migrate.file_result import FileResult

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
            _report_internal_error()
        except Exception:
            _report_internal_error()


def _report_internal_error() -> NoReturn:
    import traceback

    traceback.print_exc()
    click.echo("This is a fault of tf1to2: please report it.", err=True)
    sys.exit(2)


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "-V", "--version", prog_name="tf1to2")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Migrate TensorFlow 1 distributed training to tf.distribute.

    Without a command, describe the current directory and say what to do next.
    """
    garbage.collect_rarely()
    if os.environ.get("NO_COLOR"):  # https://no-color.org
        ctx.color = False
    if ctx.invoked_subcommand is None:
        from migrate.here import describe_here

        describe_here(pathlib.Path("."))


main.add_command(demo)
main.add_command(packages)
main.add_command(rule)
main.add_command(verify)


@main.command("migrate")
@add_shared_options
@click.option("--diff", is_flag=True, help="Print a unified diff.")
@click.option(
    "--with-modules",
    is_flag=True,
    help="With --diff: also print the new modules in full. `git apply -p0` and `patch "
    "-p0` need them.",
)
@click.option("--write", is_flag=True, help="Change the files in place.")
@click.option(
    "--output",
    type=click.Path(path_type=pathlib.Path),
    metavar="DIR",
    help="Write a migrated copy of the tree to DIR; other files are copied.",
)
@click.option(
    "--backup",
    type=click.Path(path_type=pathlib.Path),
    metavar="DIR",
    help="With --write: copy the originals of changed files to this new directory.",
)
@click.option(
    "--interactive",
    "-i",
    is_flag=True,
    help="With --write: ask before writing each program.",
)
@click.option(
    "--whole-modules",
    is_flag=True,
    help="Write the modules beside programs in full, for trees that are migrated one by "
    "one and imported together.",
)
@click.option(
    "--notes",
    is_flag=True,
    help="Write each refusal into its file, as a comment. Without this option, refused "
    "files stay as they are.",
)
def migrate_command(
    diff: bool,
    with_modules: bool,
    write: bool,
    output: pathlib.Path | None,
    backup: pathlib.Path | None,
    interactive: bool,
    **shared: Any,
) -> None:
    """Show what would change, or migrate files and directories.

    Writes nothing without --write or --output. With `-` as path, reads a program from
    standard input and writes the result to standard output.
    """
    if diff + write + (output is not None) > 1:
        raise click.UsageError(
            "--diff, --write and --output exclude each other: use one of them"
        )
    for name, given in (
        ("--backup", backup is not None),
        ("--interactive", interactive),
    ):
        if given and not write:
            raise click.UsageError(f"{name} needs --write")
    if with_modules and not diff:
        raise click.UsageError("--with-modules needs --diff")

    job = Job(shared)
    if job.stdin:
        if write or output is not None:
            raise click.UsageError(
                "`-` writes to standard output: no --write, no --output"
            )
        _migrate_stdin(job, diff=diff, with_modules=with_modules)
    elif diff:
        from migrate.show import Diffs

        diffs = Diffs(with_modules)
        job.finish(job.run(_check_result, diffs.print_program), to_stderr=True)
    elif write:
        _write(job, backup, interactive)
    elif output is not None:
        from migrate.next_steps import Written

        done = _copy(job, output)
        job.finish(done, written=Written(job.paths[0], output))
    else:
        job.finish(job.run(_check_result))


@main.command()
@add_shared_options
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    metavar="FILE",
    help="Exit with 1 only for findings that are not in this file.",
)
@click.option(
    "--update-baseline",
    is_flag=True,
    help="Write all findings into the file of --baseline, and exit with 0.",
)
def check(baseline: pathlib.Path | None, update_baseline: bool, **shared: Any) -> None:
    """List programs: what they become, and what blocks them.

    The list has the order in which to work. Then list each refusal, with its line and what to do. Exits with 1 if there is
    something to migrate or to mend; with --baseline, if something of it is new.
    """
    if update_baseline and baseline is None:
        raise click.UsageError("--update-baseline needs --baseline FILE")
    job = Job(shared)
    if job.stdin:
        _migrate_stdin(job, check=True)
    else:
        job.finish_check(job.run(_check_result), baseline, update_baseline)


# -- what becomes of the results ------------------------------------------------------


def _check_result(result: FileResult) -> FileResult:
    from migrate import results

    return results.check_support(result, result.path) if result.changed else result


def _check_writable(result: FileResult) -> FileResult:
    from migrate import results

    return results.check_target(result, result.path) if result.changed else result


def _write(job: Job, backup: pathlib.Path | None, interactive: bool) -> NoReturn:
    """Changes files in place; says before if git does not have them as they are."""
    from migrate import results
    from migrate.asking import Asking
    from migrate.copies import Backup, CopyError
    from migrate.disk import git
    from migrate.next_steps import Written
    from migrate.report import display_path

    if changed := git.find_uncommitted(job.paths):
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        number = f"{len(changed)} file{'s' * (len(changed) != 1)}"
        click.secho(
            f"Warning: git has uncommitted changes in {number} here ({changed[0]}{more}). "
            "After the migration git cannot tell your changes from the tool's.",
            fg="yellow",
            err=True,
        )
    keep = Backup(job.paths[0], backup) if backup is not None else None
    if keep is not None:
        try:
            keep.check()
        except CopyError as error:
            raise click.UsageError(str(error)) from None

    asking = Asking() if interactive else None

    def complete(program: list[FileResult], beside: Beside) -> list[FileResult]:
        if keep is not None:
            program = keep.copy_program(program)
        return results.write_program(program, beside=beside)

    done = job.run(_check_writable, complete, choose=asking.choose if asking else None)
    if asking is not None and asking.left:
        job.left = True
        which = "it" if len(asking.left) == 1 else "them"
        names = ", ".join(map(display_path, asking.left))
        click.echo(
            f"Not written, because you did not accept {which}: {names}", err=True
        )
    job.finish(done, written=Written(job.paths[0], None, backup))


def _copy(job: Job, output: pathlib.Path) -> list[FileResult]:
    from migrate import copies, results

    try:
        with copies.Copy.begin_copy(tuple(job.paths), output) as copy:
            Progress(job.quiet).start_progress("copying")
            failures = copy.make()

            def prepare(result: FileResult) -> FileResult:
                if not result.changed:
                    return result
                target = copy.find_target(result.path)
                return results.check_target(result, target, own_copy=True)

            def complete(program: list[FileResult], beside: Beside) -> list[FileResult]:
                return results.write_program(program, copy.find_target, beside)

            done = job.run(prepare, complete, target=copy.find_target, each_link=True)
            if job.interrupted:
                click.echo(f"Nothing is written to {output}.", err=True)
                return []
            copy.publish()
    except copies.CopyError as error:
        raise click.UsageError(str(error)) from None
    except KeyboardInterrupt:
        click.echo(f"\nNothing is written to {output}.", err=True)
        raise
    named = {failure.path for failure in failures}
    return [*failures, *(r for r in done if not (r.failed and r.path in named))]


def _migrate_stdin(
    job: Job, *, diff: bool = False, with_modules: bool = False, check: bool = False
) -> NoReturn:
    """A filter: the result, or where there is none the input as it was."""
    from migrate import emitted, outcomes, pipeline, run
    from migrate.beside.written import Beside
    from migrate.extras import write_runtime_install_line
    from migrate.show import Diffs

    data = sys.stdin.buffer.read()
    is_notebook = data.lstrip()[:1] == b"{" and b'"nbformat"' in data
    path = pathlib.Path("stdin.ipynb" if is_notebook else "stdin.py")
    result = pipeline.migrate_bytes(path, data, job.options)
    ((result,),) = outcomes.settle([result], run.choose_fallback(data, job.options))
    if diff:
        Diffs(with_modules).print_program([result], Beside([result]))
    elif not check:
        click.echo(result.new if result.changed else data, nl=False)
        if result.support:
            needs = ", ".join(emitted.name_for_reader(result.support))
            click.echo(
                f"The result imports {needs}; `tf1to2 migrate FILE --write` writes it too.",
                err=True,
            )
        if result.installed:
            line = write_runtime_install_line()
            click.echo(f"The result imports tf1to2_runtime: {line}", err=True)
    if check:
        job.quiet = True
        job.finish_check([result])
    job.quiet = True
    job.finish([result], to_stderr=True)


if __name__ == "__main__":
    main()
