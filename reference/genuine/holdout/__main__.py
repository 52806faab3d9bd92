"""Judges the hold-out: `python -m reference.genuine.holdout PYTHON MIRRORS [--packages DIRECTORY]`.

MIRRORS has a bare clone of each repository that `draw` names, as `owner+name/repo`. Each program of
`programs.tsv` runs under PYTHON, which has TensorFlow 1.15.5, for half a minute at most; the last two
columns of the table are written anew.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import pathlib
import subprocess
import tarfile
import tempfile

from reference.genuine import record, tables

_SECONDS = 30.0


def _unpack(mirror: pathlib.Path, commit: str, target: pathlib.Path) -> None:
    place = mirror / "repo"
    place = place / ".git" if (place / ".git").exists() else place
    command = ["git", f"--git-dir={place}", "archive", commit]
    done = subprocess.run(command, capture_output=True, check=True, timeout=300)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(target, filter="data")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python")
    parser.add_argument("mirrors", type=pathlib.Path)
    parser.add_argument("--packages", type=pathlib.Path)
    given = parser.parse_args()
    head = [x for x in tables.HOLDOUT.read_text().splitlines() if x.startswith("#")]
    rows = tables.read_holdout()
    for row in rows:
        repository, commit, path, digest = row[:4]
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            _unpack(given.mirrors / repository.replace("/", "+"), commit, root)
            text = (root / path).read_bytes()
            assert hashlib.sha256(text).hexdigest() == digest, (repository, path)
            started = record.Started(
                root, path, packages=given.packages, seconds=_SECONDS
            )
            verdict = tables.judge(root, path, record.record(given.python, started))
        row[5:] = [verdict.kind, verdict.reason if verdict.kind == "unknown" else ""]
        print(*row, sep="\t", flush=True)
    lines = [*head, *("\t".join(row) for row in rows)]
    tables.HOLDOUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
