"""Estimator programs with hooks of their own, and what they print under TensorFlow 1.15.5.

Their hooks become callbacks of Keras. `python -m tests.programs.callback_programs` runs
them under TensorFlow 1.15.5 and records that.
"""

from __future__ import annotations

import pathlib

from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Tree, Variant

HERE = pathlib.Path(__file__).parent / "callbacks"
# A program whose hooks are of another file than its model, and this of another.
TREE_HERE = pathlib.Path(__file__).parent / "callback_trees"


# What they print is compared letter by letter.
_EXACT = 0.0, "numbers are printed with so many digits as are equal"

PROGRAMS = tuple(
    Variant(name, *_EXACT, directory=HERE)
    for name in (
        "best_checkpoint",
        "early_stopping",
        "examples_per_second",
        "learning_rate",
        "logger",
        "nan_guard",
        "progress_bar",
        "staying",
        "time_limit",
    )
)


TREE = Tree("spread", *_EXACT, directory=TREE_HERE)

RECORDINGS = Recordings(HERE, (*PROGRAMS, TREE), __name__)
recorded = RECORDINGS.read


if __name__ == "__main__":
    variants.record(RECORDINGS, PROGRAMS, (TREE,))
