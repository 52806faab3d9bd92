"""The options that `tf1to2 migrate` and `tf1to2 check` have in common."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import click

from migrate.options import ESTIMATORS, FALLBACKS, STRATEGIES


def add_shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that `migrate` and `check` have in common."""
    options = (
        click.argument(
            "paths",
            nargs=-1,
            required=True,
            type=click.Path(exists=True, allow_dash=True),
        ),
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
            "--no-cache",
            is_flag=True,
            help="Do not take what a run over the same unchanged tree gave before.",
        ),
        click.option(
            "--statistics",
            is_flag=True,
            help="Print how often each code occurred.",
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
