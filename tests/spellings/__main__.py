"""Runs all spellings again, and writes recorded.tsv and docs/spellings.md.

python -m tests.spellings PYTHON    the Python of TensorFlow 1.15.5
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile

from tests.spellings import matrix, page


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.spellings")
    parser.add_argument("python", help="the Python of TensorFlow 1.15.5")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        outcomes, _ = matrix.find_outcomes(options.python, pathlib.Path(directory))
    matrix.write_recorded(outcomes)
    page.DOCUMENT.write_text(page.write_page())
    for key, one in outcomes.items():
        if one.outcome != "equal":
            print(key, one.outcome, *one.codes, one.reason)
    print(f"{matrix.RECORDED} and {page.DOCUMENT} are written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
