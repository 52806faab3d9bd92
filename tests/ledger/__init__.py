"""A ledger of what TensorFlow has already proved, so that a default run takes minutes.

A test that starts TensorFlow in processes proves something about texts: migrated
programs, what is written beside them, their data and launch, a recording of TensorFlow
1.15.5, and the code that compares. The digest of all of these is the proof's key. Its
row in `proofs/` holds the key and the verdict. While the key is the same, the proof stands
and its processes are not started again. `pytest --everything` starts them all.

    plugin.py     what pytest is told: options, and when a test runs
    keeper.py     what writes the rows, and the last lines
    modules.py    rows of whole modules, of which nothing has changed
    traces.py     what a test and its fixtures did before their first process
    launches.py   the digest of what a process gets to see
    code.py       the digest of the code that a test runs
    rows.py       the rows, their seals, and their files
    sample.py     which proofs each run makes again, and which fit into limited time
    proofs/       the rows: a file for each test module, written by the tests alone

The idea is that of verifying traces (Mokhov, Mitchell, Peyton Jones: Build Systems à la
Carte, 2018): a task's inputs are found while it runs, and compared before it runs again.
"""

from __future__ import annotations

import pathlib
import sys

from reference import processes

ROOT = pathlib.Path(__file__).parents[2]
COMPILER = ROOT / "migrate"


def rests_on(*paths: pathlib.Path) -> None:
    """Says that what follows depends on these files and directories, whole.

    For proofs that take long and start no process of their own, or one that nobody can
    look into. Where the proof stands this does not return.
    """
    processes.announce(sys.executable, [str(path) for path in paths])
