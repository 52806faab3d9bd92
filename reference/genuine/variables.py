"""Whether a variable that the evaluator knows is the one that a projection says."""

from __future__ import annotations

from migrate.graph.record import Variable
from reference.genuine.record import Projected
from reference.genuine.values import Encoded, Unsure, Wrong, check_shape


def compare_variable(variable: Variable, row: Projected) -> None:
    name = row["name"]
    for what in ("name", "shape", "dtype"):
        if getattr(variable, what) is None:
            raise Unsure(f"the {what} of the variable {name}")
    if variable.name != name:
        raise Wrong(f"variable {name} is {variable.name}")
    if not check_shape(variable.shape, row["shape"]):
        raise Wrong(f"{name} has the shape {row['shape']}, not {variable.shape}")
    if variable.device == "?":
        raise Unsure(f"the device of the variable {name} is unknown")
    for what in ("dtype", "trainable", "device"):
        if getattr(variable, what) != row[what]:
            raise Wrong(f"{name}: {what} {row[what]} is {getattr(variable, what)}")
    _compare_first_value(variable, row["initial"], name)


def _compare_first_value(variable: Variable, found: Encoded, name: str) -> None:
    if found is None:
        return
    kinds, constant = found
    others = [k for k in kinds if k.startswith("variable ")]
    kinds = others or kinds  # TensorFlow draws what it copies where nobody has yet.
    initial = variable.initial
    if sorted(initial.draws) != sorted(kinds) and initial.value is None:
        raise Wrong(f"{name} begins with {kinds}, not {list(initial.draws)}")
    if isinstance(constant, (int, float)) and initial.value is None:
        known = initial.constant
        if isinstance(known, (int, float)):
            if abs(known - constant) > 1e-6 * max(1.0, abs(constant)):
                raise Wrong(f"{name} begins as {constant}, not {known}")
        elif known not in (None, "?"):
            raise Wrong(f"{name} begins as {constant}, not {known}")
