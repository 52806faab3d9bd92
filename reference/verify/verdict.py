"""The one line, and what it rests on: equal, different, or nothing to be told."""

from __future__ import annotations

import dataclasses
import enum

from reference.verify import tolerance
from reference.verify.compare import Comparison
from reference.verify.rows import Records, Row


class Outcome(enum.Enum):
    EQUAL = "equal"
    DIFFERENT = "different"
    UNKNOWN = "could not run"

    @property
    def exit_code(self) -> int:
        return {"equal": 0, "different": 1}.get(self.value, 2)


@dataclasses.dataclass
class Verdict:
    """The result of a verification.

    Attributes:
      outcome: see there.
      line: the one line.
      first: the row that differs first; None where none does.
      variable: the variable that does.
      reduced: what was made other than the programs are, to be comparable.
      unproven: what is therefore, or for want of a counterpart, not proved.
      comparison: all rows; None where there was nothing to compare.
      stage: what differs first within the step.
      codes: the tool's rules that touch what differs: sentences.
    """

    outcome: Outcome
    line: str
    first: Row | None = None
    variable: Row | None = None
    reduced: list[str] = dataclasses.field(default_factory=list)
    unproven: list[str] = dataclasses.field(default_factory=list)
    comparison: Comparison | None = None
    stage: str = ""
    codes: list[str] = dataclasses.field(default_factory=list)


def judge(
    records: Records, comparison: Comparison, oracle: str, reduced: list[str]
) -> Verdict:
    """The verdict of a comparison.

    Args:
      oracle: what has run the original ("TensorFlow 1.15.5").
      reduced: what was made comparable, and how.
    """
    unproven = [*comparison.old_only, *(f"{t} (new)" for t in comparison.new_only)]
    wrong = comparison.wrong
    variables = [r for r in wrong if r.kind == "variable"]
    beyond = [r for r in comparison.rows if r.beyond]
    if beyond:
        unproven += [
            f"{r.kind} {r.name}: {r.beyond} of {r.beyond + r.steps} values are not "
            "compared: the original, run twice or begun one ULP away, moves as far"
            for r in beyond
        ]
    unproven += [
        f"variable {r.name}: at {r.unseen} steps only bits were compared, which differ"
        for r in comparison.rows
        if r.unseen
    ]
    old, new = comparison.steps
    if wrong or old != new:
        return _different(comparison, wrong, variables, oracle, reduced, unproven)
    told = [r for r in comparison.rows if r.steps and (r.floats or r.kind != "read")]
    trained = [r for r in comparison.rows if r.trainable]
    if not told or not any(r.floats and r.steps for r in comparison.rows):
        return Verdict(
            Outcome.UNKNOWN,
            "could not compare: the programs ran, but no number of theirs was seen on "
            "both sides",
            reduced=reduced,
            unproven=unproven,
            comparison=comparison,
        )
    lost = [r for r in trained if not r.steps]
    if 2 * len(lost) > len(trained):
        return Verdict(
            Outcome.UNKNOWN,
            f"could not compare: of {lost[0].name} nothing can be told, because the "
            "original itself comes as far apart: in two runs, or by one ULP of the "
            "initial values",
            reduced=reduced,
            unproven=unproven,
            comparison=comparison,
        )
    unproven += [
        f"variable {r.name}: of none of its values can anything be told" for r in lost
    ]
    # What is printed or written is a value again, cut to some digits.
    own = [r for r in told if r.kind not in ("printed", "file")] or told
    worst = max(own, key=lambda r: (r.difference, _relative(r)))
    if worst.difference == 0:
        size = "bit for bit"
    else:
        size = (
            f"largest difference {worst.difference:.2g} in {worst.name}, tolerance "
            f"{worst.allowed:.2g} because {_why(records, worst)}"
        )
    what = f"{old} step{'s' * (old != 1)}" if old else "results"
    line = f"equal: {what}, {len(told)} values, {size}; oracle {oracle}"
    line += _outputs(comparison)
    return Verdict(
        Outcome.EQUAL,
        line,
        reduced=reduced,
        unproven=unproven,
        comparison=comparison,
    )


def _outputs(comparison: Comparison) -> str:
    """Writes the line's part about printed lines and files; "" if there are none."""
    said = ""
    for kind, what in (("printed", "printed lines"), ("file", "contents of files")):
        alike = sum(r.kind == kind and bool(r.steps) for r in comparison.rows)
        lost = sum(t.startswith(kind) for t in comparison.old_only)
        if alike or lost:
            said += f"; {what}: {alike} alike" + (f", {lost} not compared" * bool(lost))
    return said


def _relative(row: Row) -> float:
    return row.difference / row.allowed if row.allowed else row.difference


def _why(records: Records, row: Row) -> str:
    if records.shifted is None:
        return f"that is {tolerance.ULPS} ULPs of its largest value"
    each = ", or one for each update," if row.kind == "variable" else ""
    found = (
        f"it is the larger of {tolerance.ULPS} ULPs of the value{each} and "
        f"{tolerance.AMPLIFIED} times what one ULP of the initial values and inputs "
        "moves it"
    )
    if records.kernels is not None:
        found += ", or twice what this TensorFlow's kernels change of the original"
    return found


def _different(
    comparison: Comparison,
    wrong: list[Row],
    variables: list[Row],
    oracle: str,
    reduced: list[str],
    unproven: list[str],
) -> Verdict:
    old, new = comparison.steps
    first = wrong[0] if wrong else None
    variable = variables[0] if variables else None
    # With equal fetches a variable that differs is what differs first.
    shown = variable or first
    if shown is None:
        line = f"different: {old} steps in the original, {new} in the migrated program"
    else:
        line = f"different: step {shown.first}, {shown.kind} {shown.name}: {shown.what}"
        if old != new:
            line += f"; {old} steps in the original, {new} in the migrated program"
    return Verdict(
        Outcome.DIFFERENT,
        f"{line}; oracle {oracle}",
        first,
        variable,
        reduced,
        unproven,
        comparison,
    )
