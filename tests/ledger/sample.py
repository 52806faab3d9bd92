"""Draws standing proofs that are made again, and fits a run into limited time."""

from __future__ import annotations

import hashlib
import itertools
import math
import pathlib
import subprocess
from collections.abc import Iterable, Mapping

from tests.ledger.rows import Row

SHARE = 0.05


def seed(root: pathlib.Path) -> str:
    """The commit's digest; "" outside a git checkout."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _rank(text: str) -> float:
    """A number of [0, 1) that depends on the text alone."""
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16) / 16**12


def draw(rows: Iterable[Row], by: str) -> set[str]:
    """Proofs to make again: at least 5 % of each test package's, and one of each.

    A package of so few proofs that one is more than 5 % counts with the one above it.
    Of proofs that take about as long one is drawn, so that every sample takes as long.
    """
    packages: dict[str, list[Row]] = {}
    for row in rows:
        packages.setdefault(row.package, []).append(row)
    for package in sorted(packages, key=lambda name: -name.count(".")):
        if "." in package and len(packages[package]) < 1 / SHARE:
            above = packages.setdefault(package.rpartition(".")[0], [])
            above += packages.pop(package)
    drawn: set[str] = set()
    for members in packages.values():
        members.sort(key=lambda row: (row.seconds, row.proof))
        count = math.ceil(SHARE * len(members))
        ends = [len(members) * part // count for part in range(count + 1)]
        for start, end in itertools.pairwise(ends):
            alike = members[start:end]
            drawn.add(min(alike, key=lambda row: _rank(f"{by} {row.proof}")).proof)
    return drawn


def fits(proof: str, seconds: Mapping[str, float], limit: float) -> bool:
    """Whether a proof is of the fixed sample that takes about `limit` seconds.

    The sample depends on the proofs' names alone, so that no change can choose it.

    Args:
      seconds: how long each proof took, by name.
    """
    total = sum(seconds.values())
    return total <= limit or _rank(proof) < limit / total
