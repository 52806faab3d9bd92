"""`tf1to2 verify`: its options. What it does needs TensorFlow, and is `reference.verify`."""

from __future__ import annotations

import pathlib
import sys
from typing import Any

import click

_ARGUMENTS = "migrate.verify.arguments"


class _BeforeArguments(click.Command):
    """Keeps what stands after `--`: it is the program's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own, program = args, []
        if "--" in args:
            cut = args.index("--")
            own, program = args[:cut], args[cut + 1 :]
        ctx.meta[_ARGUMENTS] = program
        return super().parse_args(ctx, own)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- PROGRAM ARGUMENTS]"]


def _make_file_type() -> click.Path:
    return click.Path(exists=True, dir_okay=False, path_type=pathlib.Path)


@click.command(cls=_BeforeArguments)
@click.argument("old", type=_make_file_type())
@click.argument("new", type=_make_file_type(), required=False)
@click.option(
    "--steps",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Stop both programs after so many updates of each worker.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(1),
    default=600.0,
    show_default=True,
    help="Stop a run that takes more seconds than this.",
)
@click.option(
    "--size-limit",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Refuse a program directory of more megabytes: each run copies it.",
)
@click.option(
    "--data",
    multiple=True,
    type=click.Path(exists=True, path_type=pathlib.Path),
    help="A file or directory that the programs only read. It is not copied. "
    "Repeatable.",
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=pathlib.Path),
    help="The directory to copy. Default: the directory of OLD.",
)
@click.option(
    "--launch",
    type=click.Choice(["auto", "alone", "flags", "tf_config"]),
    default="auto",
    show_default=True,
    help="How to start the program: alone, or as a cluster by its flags or by TF_CONFIG.",
)
@click.option(
    "--flags",
    default="",
    metavar="TEMPLATE",
    help="The flags of a task, if they have unusual names: "
    '"--role={job} --id={index} --ps={ps} --workers={workers}".',
)
@click.option(
    "--ps", type=click.IntRange(0), help="Number of parameter servers. Default: 1."
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Number of workers. Default: 2 with a monitored session, otherwise 1.",
)
@click.option(
    "--tf1-python",
    help="A Python with TensorFlow 1.15.5. Default: found, or installed in the cache.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=pathlib.Path),
    help="Write a report: .json .html. Repeatable.",
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=pathlib.Path),
    metavar="DIR",
    help="Keep the runs' files in this new directory.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print only the line of the verdict.")
@click.option("--verbose", "-v", is_flag=True, help="List every value.")
@click.pass_context
def verify(ctx: click.Context, /, **options: Any) -> None:
    """Prove that a migration computes what its original does.

    Runs OLD under TensorFlow 1.15.5 and NEW under this TensorFlow, from the same initial
    values and with the same random numbers. Compares losses, fetched values, variables
    and optimizer slots in each step. Without NEW, it migrates a temporary copy of OLD.
    It runs copies, and changes neither program.

    Exits with 0 if they are equal, 1 if they differ, 2 if they could not be compared.
    """
    keep = options["keep"]
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise click.UsageError(f"--keep: {keep} is not empty")
    try:
        from reference.verify import command, report
    except ImportError as error:
        from migrate.extras import install_line

        raise click.ClickException(
            f"{error}. verify needs more packages: {install_line()}"
        ) from None
    for path in options["reports"]:
        try:
            report.check_suffix(path)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--report") from None
    options["python"] = options.pop("tf1_python")
    sys.exit(command.run(arguments=ctx.meta[_ARGUMENTS], **options))
