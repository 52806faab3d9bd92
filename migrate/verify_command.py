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


def _file() -> click.Path:
    return click.Path(exists=True, dir_okay=False, path_type=pathlib.Path)


@click.command(cls=_BeforeArguments)
@click.argument("old", type=_file())
@click.argument("new", type=_file(), required=False)
@click.option(
    "--steps",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Compare so many updates of each worker; both programs are stopped then.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(1),
    default=600.0,
    show_default=True,
    help="Seconds for one run of one program.",
)
@click.option(
    "--size-limit",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Megabytes of the program's directory, of which every run gets a copy.",
)
@click.option(
    "--data",
    multiple=True,
    type=click.Path(exists=True, path_type=pathlib.Path),
    help="What the programs only read, and is not copied. Repeatable.",
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=pathlib.Path),
    help="The directory that is copied; default the program's own.",
)
@click.option(
    "--launch",
    type=click.Choice(["auto", "alone", "flags", "tf_config"]),
    default="auto",
    show_default=True,
    help="Which processes the program is: one, or a cluster's, by its flags or TF_CONFIG.",
)
@click.option(
    "--flags",
    default="",
    metavar="TEMPLATE",
    help="What starts a task, where its flags have names of their own: "
    '"--role={job} --id={index} --ps={ps} --workers={workers}".',
)
@click.option("--ps", type=click.IntRange(0), help="Parameter servers; default one.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Workers; default one, or two where the program has a monitored session.",
)
@click.option(
    "--tf1-python",
    help="A Python with TensorFlow 1.15.5; default the one found or made in the cache.",
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
@click.option("--quiet", "-q", is_flag=True, help="Print the verdict's line alone.")
@click.option("--verbose", "-v", is_flag=True, help="List every value.")
@click.pass_context
def verify(ctx: click.Context, /, **options: Any) -> None:
    """Prove that a migrated program computes what the original computes.

    Runs OLD under TensorFlow 1.15.5 and NEW under this TensorFlow, from the same initial
    values and with the same draws, and compares losses, fetched values, every variable
    and optimizer slot, step by step. Without NEW, OLD is migrated into a temporary copy
    first. Neither program is edited, and nothing but copies is written.

    Exits with 0: equal; 1: different; 2: could not run or compare, and why.
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
