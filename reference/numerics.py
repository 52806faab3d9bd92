"""Writes docs/numerics.md: the measured difference of every run from TensorFlow 1.15.5.

`python -m reference numerics` runs the scenarios, keeps what it measured in
`reference/<scenario>/measured.json`, and writes the page from that. A test compares the
page with the files, and the files with the registry.
"""

from __future__ import annotations

import collections
import json
import pathlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from reference import oracle
from reference.compare import table
from reference.scenario import HERE, Alternative, Run, Scenario

PAGE = HERE.parent / "docs" / "numerics.md"

_WRITTEN = "<!-- Written by `python -m reference numerics`; do not edit. -->"
_HEAD = f"""\
{_WRITTEN}
# Numerics, as measured

Each scenario of `reference/` is a TensorFlow 1 program and its migration. The program trains under
genuine TensorFlow 1.15.5. The migration trains under TensorFlow 2. Both start from the same weights
and use the same batches in the same order, with `TF_ENABLE_ONEDNN_OPTS=0`. If the tool
refuses a program, a person wrote its migration, and the scenario's page says so.

The **difference** is the largest absolute difference of any value: the loss of every step, everything
else that the programs record, and the variables and optimizer slots at the end. The tests fail if a
difference exceeds its tolerance. Each page shows the tolerances and the reason for each. *Eigen* is the
library with which TensorFlow computes on CPUs; TensorFlow 2 has a newer version of it. The column *runs*
counts the runs with other arguments, types or clusters.
"""
_COLUMNS = """\
*Program* is the file of the migration. *Difference* is the largest absolute difference from TensorFlow 1.15.5,
and in brackets the array that has it. *ULPs* is that difference in units of the last place. *Allowed* is the
tolerance of the tests: the first number holds for all arrays, except those whose own tolerance follows with
their names in brackets. The name of an array begins with the worker that recorded it: `0/loss` is the loss of
worker 0. Values at the end of the training have `final` or `checkpoint` in their names. In names, `*` stands for
any text. *Eigen* is the library with which TensorFlow computes on CPUs.

The column *cluster* counts parameter servers (ps) and workers. *Turns* means that the workers make their
steps one after the other, in a fixed order. *In step* means that the workers wait for each other and begin each
step together. *A client* is a process outside of the cluster that runs the training.
"""


_ACCIDENTS = """\
The table below shows what happens if processes of the migrated program are killed. The first column of
numbers counts from the kill until a task ends with an error. It has 0 if no task ends. The second counts
from the kill, or from the new start, until the next step. It has 0 if training cannot continue. *Steps
lost* counts the steps whose updates were lost, or that the program had to make again. In the row with two
kills, the first column has the longer time, and *steps lost* has the sum. In the last row the chief
waits 5 s for an answer, and not two hours as usual. It then needs 30 s more, because it tries to tell the
workers that the training ends.
"""


def programs(scenario: Scenario, run: Run) -> Iterator[Alternative | None]:
    """Yields the compared programs of a run: tf2.py (None), then the alternatives."""
    yield None
    for alternative in scenario.alternatives:
        if run.name in alternative.runs:
            yield alternative


def key(run: Run, alternative: Alternative | None) -> str:
    """Returns the key of one comparison in measured.json."""
    return run.name if alternative is None else f"{run.name} {alternative.name}"


def measured(scenario: Scenario) -> dict[str, Any]:
    """Reads the measured values of a scenario, by `key`; empty if there are none."""
    path = scenario.directory / "measured.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def is_fresh(scenario: Scenario, run: Run, alternative: Alternative | None) -> bool:
    """Whether a comparison was measured since its sources changed."""
    entry = measured(scenario).get(key(run, alternative))
    return bool(entry and entry["sources"] == oracle.sources(scenario, run))


def measure(
    scenario: Scenario,
    *,
    only_stale: bool = False,
    say: Callable[[str], object] = print,
) -> None:
    """Runs the migrations of a scenario and replaces its measured.json.

    Raises:
      Stale: a recording is older than its sources.
    """
    before, after = measured(scenario), {}
    found_here = oracle.versions(sys.executable)
    for run in scenario.runs:
        for alternative in programs(scenario, run):
            name = key(run, alternative)
            if only_stale and is_fresh(scenario, run, alternative):
                after[name] = before[name]
                continue
            recording = oracle.recorded(scenario, run)
            with tempfile.TemporaryDirectory(prefix="tf1to2-") as work:
                found = oracle.migrated(
                    scenario,
                    run,
                    pathlib.Path(work),
                    recording.initial,
                    alternative=alternative,
                )
            after[name] = {
                **differences(recording.trace, oracle.sampled(found, recording.trace)),
                "tensorflow": found_here["tensorflow"],
                "platform": oracle.this_platform(),
                "sources": oracle.sources(scenario, run),
            }
            say(f"{scenario.name} {name}: {after[name]['difference']:.3g}")
    if after:
        path = scenario.directory / "measured.json"
        path.write_text(json.dumps(after, indent=1) + "\n")


def differences(expected: oracle.Trace, found: oracle.Trace) -> dict[str, Any]:
    """The largest difference of two traces, in total and by the kind of array."""
    rows = table(expected, found)
    kinds: dict[str, float] = collections.defaultdict(float)
    for row in rows:
        kind = row.name.partition("/")[0]
        kind = "final values" if kind == "checkpoint" or row.steps == 1 else "steps"
        kinds[kind] = max(kinds[kind], row.difference)
    worst = max(rows, key=lambda row: row.difference)
    return {
        "difference": worst.difference,
        "ulps": worst.ulps or 0,
        "array": worst.name if worst.difference else "",
        "by kind": dict(sorted(kinds.items())),
    }


def page(scenarios: Iterable[Scenario]) -> str:
    """The entry page. A scenario that was never measured says "not measured"."""
    lines = [
        _HEAD,
        "| scenario | what it trains | runs | largest difference |",
        "|---|---|---|---|",
    ]
    for scenario in scenarios:
        if scenario.runs:
            title = _capitalise(scenario.title)
            link = f"[{scenario.name}](numerics/{scenario.name}.md)"
            worst = find_largest(scenario)
            lines.append(f"| {link} | {title} | {len(scenario.runs)} | {worst} |")
    return "\n".join(lines).rstrip() + "\n"


def _capitalise(title: str) -> str:
    return title if title.startswith("tf.") else title[:1].upper() + title[1:]


def find_largest(scenario: Scenario) -> str:
    """The largest difference of any run, for each dtype."""
    entries = measured(scenario)
    worst: dict[str, float] = {}
    for run in scenario.runs:
        for alternative in programs(scenario, run):
            entry = entries.get(key(run, alternative))
            if entry is None:
                return "not measured"
            found = max(worst.get(run.dtype, 0.0), entry["difference"])
            worst[run.dtype] = found
    return ", ".join(f"{value:.2g} in {dtype}" for dtype, value in worst.items())


def pages(scenarios: Iterable[Scenario]) -> dict[pathlib.Path, str]:
    """Every page and its text: the entry, and one for each scenario."""
    scenarios = [scenario for scenario in scenarios if scenario.runs]
    found = {PAGE: page(scenarios)}
    for scenario in scenarios:
        lines = [_WRITTEN, f"# {scenario.name}", "", *_about(scenario), "", _COLUMNS]
        lines += [
            "| run | dtype | cluster | program | difference | ULPs | allowed | reason for the tolerance |",
            "|---|---|---|---|---|---|---|---|",
        ]
        entries = measured(scenario)
        for run in scenario.runs:
            for alternative in programs(scenario, run):
                entry = entries.get(key(run, alternative))
                lines.append(_row(scenario, run, alternative, entry))
        lines += ["", *_oracle(scenario, entries), "", *_accidents(scenario)]
        path = PAGE.with_suffix("") / f"{scenario.name}.md"
        found[path] = "\n".join(lines).rstrip() + "\n"
    return found


def write_pages(scenarios: Iterable[Scenario]) -> None:
    """Writes every page."""
    for path, text in pages(scenarios).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def _accidents(scenario: Scenario) -> list[str]:
    """The table of what killed processes cost, if the scenario measures it (`recovery.json`)."""
    path = scenario.directory / "recovery.json"
    if not path.exists():
        return []
    rows: dict[str, dict[str, float]] = json.loads(path.read_text())
    titles = list(next(iter(rows.values())))
    return [
        _ACCIDENTS,
        f"| accident | {' | '.join(titles)} |",
        "|---" * (len(titles) + 1) + "|",
        *(
            f"| {name} | {' | '.join(f'{row[t]:g}' for t in titles)} |"
            for name, row in rows.items()
        ),
        "",
    ]


def _about(scenario: Scenario) -> list[str]:
    text = f"{_capitalise(scenario.title)}; {scenario.steps} steps."
    for other in scenario.alternatives:
        text += f" `{other.program}` is {other.reason}."
    if scenario.refused:
        text += (
            f" The tool refuses this program ({scenario.refused}): {scenario.refusal}"
        )
    return [text]


def _row(
    scenario: Scenario,
    run: Run,
    alternative: Alternative | None,
    entry: dict[str, Any] | None,
) -> str:
    program = "tf2.py" if alternative is None else alternative.program
    topology = (
        scenario.topology_of(run) if alternative is None else alternative.topology
    )
    alike: dict[tuple[float, str], list[str]] = {}
    for looser in run.looser:
        alike.setdefault((looser.tolerance, looser.reason), []).append(looser.pattern)
    allowed, reasons = [f"{run.tolerance:g}"], [run.reason]
    for (tolerance, reason), patterns in alike.items():
        allowed.append(f"{tolerance:g} ({', '.join(patterns)})")
        reasons.append(f"{', '.join(patterns)}: {reason}")
    difference, ulps = "not measured", ""
    if entry is not None:
        difference = f"{entry['difference']:.2g}"
        if entry["difference"]:
            difference += f" ({entry['array']})"
        ulps = str(entry["ulps"])
    cells = (
        run.name,
        run.dtype,
        str(topology),
        program,
        difference,
        ulps,
        "; ".join(allowed),
        "; ".join(reasons),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _oracle(scenario: Scenario, entries: dict[str, Any]) -> list[str]:
    """The versions of TensorFlow and the processor of the measurement."""
    found = oracle.provenance(scenario).values()
    old = sorted({f"TensorFlow {e['versions']['tensorflow']}" for e in found})
    new = sorted({f"TensorFlow {e['tensorflow']}" for e in entries.values()})
    # Without the family, the model and the sizes of caches: "AMD EPYC 25 17 32K 32K".
    where = sorted(
        {
            re.sub(r"( \d+K?)+$", "", e["platform"]["processor"])
            for e in entries.values()
        }
    )
    return [
        f"A recording of {', '.join(old)} is compared with {', '.join(new)}, "
        f"measured on {', '.join(where)}."
    ]
