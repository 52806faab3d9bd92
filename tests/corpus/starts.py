"""Whether a program of the corpus starts, on either TensorFlow: it is asked for help.

That imports all that the program imports at its top and defines its flags; no graph is
built and nothing is trained.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Sequence

from migrate.outcomes import Status
from reference import processes
from tests.corpus import coverage, dependencies, imports
from tests.corpus.packages import PACKAGES, Package, unpacked
from tests.corpus.programs import STARTS, Entry, Settled, is_taken

_SCRIPT = pathlib.Path(__file__).with_name("start_program.py")
_ENDED = re.compile(r"^ended: (.*)$", re.MULTILINE)
# How absl and argparse begin to say how a program is used.
_USAGE = re.compile(r"^(usage|flags|USAGE)\b|--helpfull|--help\b", re.MULTILINE)
_PATH = re.compile(r"/[\w./+@-]+/")
_SECONDS = 120


def start_migrated(
    package: Package, settled: Sequence[Settled], where: pathlib.Path
) -> dict[str, str]:
    """Starts the programs that are not refused on TensorFlow 2.21; results by module.

    Args:
      where: has a directory of the settled files, below `programs`; see `measure`.
    """
    found = {}
    besides = str(dependencies.directory())
    for one in settled:
        if one.program.status in (Status.REFUSED.value, Status.FAILED.value) and (
            not is_taken(one.program)
        ):
            continue
        module = one.program.module
        target = where / "started" / package.name / module
        own = imports.written(where / "programs" / package.name, one.results, target)
        texts = [result.path.read_bytes() for result in one.results]
        others = [
            coverage.tree(other, where).root
            for other in _find_needed(package)
            if any(other.name.replace("-", "_").encode() in text for text in texts)
        ]
        found[module] = start(
            sys.executable, [own.root, *others], besides, module, where
        )
    return found


def start_originals(
    package: Package, entries: Sequence[Entry], python: str, where: pathlib.Path
) -> dict[str, str]:
    """Starts a package's programs as they are; returns the results by module.

    Args:
      python: has TensorFlow 1.15.5.
    """
    besides = str(dependencies.directory_for_tf1(python)) if entries else ""
    needed = [unpacked(other, where) for other in _find_needed(package)]
    trees = [unpacked(package, where), *needed]
    return {e.module: start(python, trees, besides, e.module, where) for e in entries}


def _find_needed(package: Package) -> list[Package]:
    names = imports.NEEDS.get(package.name, ())
    return [other for other in PACKAGES if other.name in names]


def start(
    python: str,
    trees: Sequence[pathlib.Path],
    besides: str,
    module: str,
    where: pathlib.Path,
) -> str:
    """`STARTS`, or why a program does not.

    Args:
      trees: directories with the program, and with packages of the corpus it imports.
      besides: the directory of other packages.
      where: gets the log.
    """
    log = where / "started.txt"
    roots = os.pathsep.join(str(tree.resolve()) for tree in trees)
    command = [python, str(_SCRIPT), roots, besides, module]
    environment = {"TF_CPP_MIN_LOG_LEVEL": "3"}
    with processes.started(command, log, environment) as process:
        try:
            process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            return f"no answer within {_SECONDS} seconds"
    return judge(log.read_text("utf-8", "replace"))


def judge(output: str) -> str:
    """The same, from what the program and the script that started it have printed."""
    ended = _ENDED.findall(output)
    if not ended:
        return "it ended without a word"
    last: str = ended[-1]
    if last in ("0", "1"):  # absl's `--help` ends with 1.
        return STARTS if _USAGE.search(output) else "it tells no flags"
    kind, _, rest = last.partition("|")
    missing, _, message = rest.partition("|")
    top = missing.partition(".")[0]
    if top and top != "tensorflow":
        reason = dependencies.LEFT_OUT.get(top)
        return f"{top} is not there" + (f": {reason}" if reason else "")
    return f"{kind}: {_PATH.sub('', message)[:120]}"
