"""Records the corpus's figures anew.

python -m tests.corpus                      all, docs/coverage.md with them
python -m tests.corpus --programs NAME...   only the programs of some packages
python -m tests.corpus --suite              only this repository's own programs
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

from reference import environment
from tests.corpus import coverage, programs, programs_table, starts, suite
from tests.corpus.packages import PACKAGES, Package, unpacked


def main() -> int:
    only = sys.argv[2:] if sys.argv[1:2] in (["--programs"], ["--suite"]) else None
    if only is None or sys.argv[1] == "--suite":
        suite.record()
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory)
        for package in PACKAGES:
            if only is None or package.name in only:
                _record_programs(package, where)
        if only is None:
            _record_figures(where)
    coverage.write_document()
    print(f"{coverage.DOCUMENT} is written")
    return 0


def _record_figures(where: pathlib.Path) -> None:
    found, modules = {}, {}
    for package in PACKAGES:
        results = coverage.migrated(package, where)
        found[package.name] = coverage.figures(results)
        modules[package.name] = coverage.imported(package, where)
        if failed := [r for r in results if r.failed]:
            print(f"{package.name}: {len(failed)} files failed", file=sys.stderr)
    coverage.record(found, modules)


def _record_programs(package: Package, where: pathlib.Path) -> None:
    entries = programs.find_entries(unpacked(package, where))
    tf1 = starts.start_originals(package, entries, str(environment.make()), where)
    found = programs.measure(package, where)
    tf2 = starts.start_migrated(package, found, where)
    started = {
        entry.module: programs_table.Started(
            tf2.get(entry.module, ""), tf1.get(entry.module, "")
        )
        for entry in entries
    }
    programs_table.record(package.name, [one.program for one in found], started)
    print(f"{package.name}: {len(found)} programs", flush=True)


if __name__ == "__main__":
    sys.exit(main())
