"""Counts the Estimator programs that become `Model.fit`, and the reasons of those that do not.

`python -m tests.migrate.backends.keras_fit.survey` writes the table of
docs/estimators/model-fit.md. It migrates every program of the suite, which takes minutes.
"""

from __future__ import annotations

import collections
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.options import Options
from migrate.run import run_tree

ROOT = pathlib.Path(__file__).parents[4]
PROGRAMS = ROOT / "tests" / "programs"
PAGE = ROOT / "docs" / "estimators" / "model-fit.md"
BEGIN, END = "<!-- survey -->\n", "<!-- end of survey -->\n"
FIT = Options(estimators="fit")
TAKEN = "`Model.fit`"
FUNCTION = "the `model_fn` stays a `model_fn` (K110), or the Estimator is ready-made"
# Directories whose files make up one program, or several that share modules; in the last
# each directory does.
_TREES = ("callback_trees", "keras_networks", "keras_stars", "keras_trees", "trees")
_FOR_FIT = "fitted"  # Programs that were written for `fit` say nothing here.
_MAKES = re.compile(r"(?:Estimator|Classifier|Regressor)\(")
_STAYS = "its Estimator stays: "
_A_HOOK = "a hook stays a hook: "
_NAME = re.compile(r"`[^`]+`")
_HOOK = re.compile(r"^\w+ stays a hook: (?:line \d+: )?")


def survey() -> dict[str, list[str]]:
    """The files of the programs, relative to the root, by `Model.fit` or the reason against it."""
    found: dict[str, list[str]] = collections.defaultdict(list)
    for path, findings in _migrate_every():
        if verdict := judge(findings):
            found[verdict].append(path.relative_to(ROOT).as_posix())
    return found


def judge(findings: Iterable[Finding]) -> str:
    """`Model.fit` or the reason against it; "" if the program has no Estimator, or is refused."""
    every = list(findings)
    codes = {finding.code for finding in every}
    if any(f.outcome in (Outcome.REFUSED, Outcome.FAILED) for f in every):
        return ""
    if "K190" in codes:
        return TAKEN
    for finding in every:
        if finding.code == "K131":
            # Reasons that differ only by a name or a line of the program count as one.
            reason = _HOOK.sub(_A_HOOK, finding.reason.removeprefix(_STAYS))
            return _NAME.sub("`...`", reason)
    return FUNCTION if codes & {"E101", "E102"} else ""


def write_table(found: Mapping[str, list[str]]) -> str:
    """The rows, most programs first."""
    total = sum(map(len, found.values()))
    lines = [
        f"| of {total} programs | `Model.fit`, or why the Estimator stays |",
        "|---|---|",
    ]
    for verdict, paths in sorted(found.items(), key=lambda i: (-len(i[1]), i[0])):
        lines.append(f"| {len(paths)} | {verdict} |")
    return "\n".join(lines) + "\n"


def read_table() -> str:
    """The table that the page has."""
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0].strip("\n") + "\n"


def _migrate_every() -> Iterator[tuple[pathlib.Path, Iterable[Finding]]]:
    """Files that make Estimators, and the findings of their migrations."""
    alone = [*(ROOT / "reference").glob("estimator_*/tf1.py")]
    for directory in sorted(PROGRAMS.iterdir()):
        if directory.is_dir() and directory.name not in (*_TREES, _FOR_FIT):
            alone += directory.rglob("*.py")
    for path in sorted(alone):
        text = path.read_text()
        if _MAKES.search(text):
            yield path, migrate_text(text, FIT, filename=path.name).findings
    for name in _TREES:
        whole = PROGRAMS / name
        trees = (
            [p for p in whole.iterdir() if p.is_dir()] if name == "trees" else [whole]
        )
        for tree in sorted(trees):
            for result in run_tree([tree], FIT, jobs=1):
                if _MAKES.search(result.path.read_text()):
                    yield result.path, result.findings


def main() -> None:
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    found = survey()
    PAGE.write_text(f"{before}{BEGIN}\n{write_table(found)}\n{END}{after}")


if __name__ == "__main__":
    main()
