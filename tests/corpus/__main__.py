"""Records the corpus's figures anew.

python -m tests.corpus                      all, docs/coverage.md with them
python -m tests.corpus --programs NAME...   only the programs of some packages
python -m tests.corpus --suite              only this repository's own programs
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile

from reference import environment
from tests.corpus import coverage, programs, programs_table, starts, suite
from tests.corpus.packages import PACKAGES, Package, unpacked


def main() -> int:
    options = _read_options()
    all_ = not (options.suite or options.programs)
    if all_ or options.suite:
        suite.record()
    with tempfile.TemporaryDirectory() as directory:
        where = pathlib.Path(directory)
        for package in PACKAGES:
            if all_ or package.name in options.programs:
                _record_programs(package, where)
        if all_:
            _record_figures(where)
    coverage.write_document()
    print(f"{coverage.DOCUMENT} is written")
    return 0


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.corpus", description="Record the corpus's figures anew."
    )
    parser.add_argument(
        "--programs",
        nargs="+",
        default=[],
        choices=[package.name for package in PACKAGES],
        help="only the programs of some packages",
    )
    parser.add_argument(
        "--suite",
        action="store_true",
        help="only this repository's own programs",
    )
    return parser.parse_args()


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
