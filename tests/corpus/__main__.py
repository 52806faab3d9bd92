"""Records the corpus's figures anew: `python -m tests.corpus`."""

from __future__ import annotations

import dataclasses
import pathlib
import sys
import tempfile

from tests.corpus import coverage
from tests.corpus.packages import PACKAGES


def main() -> int:
    found, modules = {}, {}
    with tempfile.TemporaryDirectory() as directory:
        for package in PACKAGES:
            results = coverage.migrated(package, pathlib.Path(directory))
            programs = coverage.programs(package, pathlib.Path(directory))
            found[package.name] = dataclasses.replace(
                coverage.figures(results), programs=programs
            )
            modules[package.name] = coverage.imported(package, pathlib.Path(directory))
            if failed := [r for r in results if r.failed]:
                print(f"{package.name}: {len(failed)} files failed", file=sys.stderr)
    coverage.record(found, modules)
    print(f"{coverage.FIGURES} and {coverage.DOCUMENT} are written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
