"""`python -m reference.genuine PYTHON [GROUP/NAME...]` records the graphs of the suite's programs.

PYTHON has TensorFlow 1.15.5. Without names those are recorded whose text has changed.
`python -m reference.genuine --page` writes the page of the documentation.
"""

from __future__ import annotations

import sys

from reference.genuine import projections, record, suite, tables


def main() -> None:
    if sys.argv[1:] == ["--page"]:
        tables.PAGE.write_text(tables.page())
        return
    python, *names = sys.argv[1:]
    programs = suite.programs()
    groups = {p.group: projections.read(p.group) for p in programs}
    digests = {p.key: projections.digest(p) for p in programs}

    def is_wanted(program: suite.Program) -> bool:
        old = groups[program.group].get(program.name, {})
        stale = old.get("digest") != digests[program.key]
        return program.key in names if names else stale

    wanted = [p for p in programs if is_wanted(p)]
    found = record.record_all(python, map(suite.started, wanted))
    for program, projected in zip(wanted, found):
        projected["digest"] = digests[program.key]
        groups[program.group][program.name] = projected
        projections.write(program.group, groups[program.group])
        runs = sum(len(g["runs"]) for g in projected["graphs"])
        print(program.key, projected["ended"], runs, "runs", flush=True)
        if projected["error"]:
            print(" ", projected["error"], flush=True)
    for group, rows in groups.items():
        names_of = {p.name for p in programs if p.group == group}
        if set(rows) - names_of:
            projections.write(group, {n: r for n, r in rows.items() if n in names_of})


if __name__ == "__main__":
    main()
