"""Estimator programs by what their networks and steps hold, and TensorFlow 1.15.5's results.

They become Keras models. `python -m tests.programs.keras_parts` runs those that have
changed under TensorFlow 1.15.5, and records that.
"""

from __future__ import annotations

import functools
import pathlib

from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "keras_parts"


_program = functools.partial(Variant, directory=HERE)
PROGRAMS = (
    _program(
        "argument_scopes", 1e-5, "normalisations divide by roots of small variances"
    ),
    _program("averaged", 5e-6, "exp differs by an ULP; newer Eigen rounds roots"),
    _program(
        "chosen_variables", 1e-5, "normalisations divide by roots of small variances"
    ),
    _program("collected_losses", 5e-6, "exp differs by an ULP; Adam divides by roots"),
    # 9.1e-6 and 1.4e-5 on two processors called AMD EPYC.
    _program(
        "contrib_stacks", 2e-5, "normalisations divide by roots of small variances"
    ),
    _program("columns_exported", 1e-6, "newer Eigen sums products in another order"),
    _program("first_values", 1e-5, "normalisations divide by roots of small variances"),
    _program("inputs_bound_again", 1e-6, "exp differs by an ULP; momentum adds up"),
    _program("metric_functions", 5e-6, "Adam divides by roots of small squares"),
    _program(
        "numbered_blocks", 1e-5, "normalisations divide by roots of small variances"
    ),
    _program("recurrent", 5e-6, "Adam divides by roots of small squares"),
    _program(
        "variables_in_functions", 1e-5, "normalisations divide by roots of variances"
    ),
    _program("shared_layers", 5e-6, "Adam divides by roots of small squares"),
    _program("watched_and_exported", 5e-6, "exp differs by an ULP; momentum adds up"),
)


RECORDINGS = Recordings(HERE, PROGRAMS, __name__)
recorded = RECORDINGS.read


if __name__ == "__main__":
    variants.record(RECORDINGS, PROGRAMS)
