"""A picture of two trainings: their losses, and the difference below."""

from __future__ import annotations

import importlib.util
import pathlib
from collections.abc import Mapping

import numpy as np

from migrate.extras import install_line
from reference.runner import Trace


def check_available() -> None:
    """Raises RuntimeError where matplotlib is not installed."""
    if importlib.util.find_spec("matplotlib") is None:
        raise RuntimeError(f"--plot needs matplotlib: {install_line('plot')}")


def curves(trace: Trace) -> dict[str, np.ndarray]:
    """Selects the losses that can be drawn: traces of one number per step."""
    return {
        name: values
        for name, values in trace.items()
        if "loss" in name and values.ndim == 1 and len(values) > 1
    }


def losses(
    runs: Mapping[str, tuple[Trace, Trace]], path: pathlib.Path, title: str
) -> None:
    """Draws expected and found losses of each run, a column per run.

    Raises:
      RuntimeError: matplotlib is missing, or nothing in the traces is a loss.
    """
    check_available()
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    drawn = {name: pair for name, pair in runs.items() if curves(pair[0])}
    if not drawn:
        raise RuntimeError("no array of the trace is a loss per step")
    figure, axes = pyplot.subplots(
        2,
        len(drawn),
        figsize=(4.5 * len(drawn) + 1, 5.5),
        sharex="col",
        squeeze=False,
        gridspec_kw={"height_ratios": [3, 2]},
    )
    for column, (name, (expected, found)) in enumerate(drawn.items()):
        above, below = axes[0][column], axes[1][column]
        for color, key in enumerate(sorted(curves(expected))):
            a, b = expected[key].astype(np.float64), found[key].astype(np.float64)
            # The one that should be hidden is drawn first and wider.
            above.plot(
                a, color=f"C{color}", alpha=0.4, linewidth=4, label=f"{key}, TF1"
            )
            above.plot(b, color=f"C{color}", linewidth=1, label=f"{key}, migrated")
            below.plot(b - a, color=f"C{color}", linewidth=1)
        above.set_title(name)
        above.set_yscale("log")
        above.legend(fontsize="small")
        below.axhline(0, color="grey", linewidth=0.5)
        below.set_xlabel("step of the worker")
    axes[0][0].set_ylabel("loss")
    axes[1][0].set_ylabel("migrated minus TF1")
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
