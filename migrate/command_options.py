"""The options that `tf1to2 migrate` and `tf1to2 check` have in common."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import click

from migrate.options import ESTIMATORS, FALLBACKS, RUNTIMES, STRATEGIES


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
            help="Write a report; the suffix chooses the format: .html .md .txt .json .sarif. "
            "Repeatable.",
        ),
        click.option(
            "--select",
            multiple=True,
            metavar="CODES",
            help="Report only these codes: C111, or C for all that begin with C. "
            "Repeatable.",
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
            help="Leave out these files; patterns as in .gitignore. Repeatable.",
        ),
        click.option(
            "--strategy",
            type=click.Choice(STRATEGIES),
            help="Use this strategy, and not the one that the program's code implies.",
        ),
        click.option(
            "--estimators",
            type=click.Choice(ESTIMATORS),
            help="What trains the Keras model that a model_fn becomes. fit, the default: "
            "Model.fit, where it can. estimator: an Estimator, with TensorFlow 1's "
            "timeline. model_fn: it stays a function. keras is the older name of estimator.",
        ),
        click.option(
            "--fallback",
            type=click.Choice(FALLBACKS),
            help="Make a refused program run on TensorFlow 2.21 in graph mode, through "
            "tf.compat.v1. It does not use tf.distribute.",
        ),
        click.option(
            "--runtime",
            type=click.Choice(RUNTIMES),
            help="Where the modules are that a result imports. beside, the default: they "
            "are written beside it. package: in tf1to2-runtime, which you install.",
        ),
        click.option(
            "--python2",
            is_flag=True,
            help="Convert Python 2 code to Python 3 first.",
        ),
        click.option(
            "--jobs",
            type=click.IntRange(0),
            metavar="N",
            help="Number of processes. 0, the default: one for each processor.",
        ),
        click.option(
            "--no-cache",
            is_flag=True,
            help="Do not reuse the result of an earlier run over the same files.",
        ),
        click.option(
            "--statistics",
            is_flag=True,
            help="Print how often each code occurred.",
        ),
        click.option("--quiet", "-q", is_flag=True, help="Print the findings alone."),
        click.option(
            "--verbose",
            "-v",
            is_flag=True,
            help="Also list what is rewritten and kept.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
