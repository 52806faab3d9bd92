"""The sample that each run proves again is fair, and changes with the commit."""

from __future__ import annotations

import dataclasses

from tests.ledger import sample
from tests.ledger.rows import Row
from tests.ledger.test_rows import ROW


def _rows(kinds: dict[str, int]) -> list[Row]:
    return [
        dataclasses.replace(ROW, proof=f"tests/{kind}/test_{n % 3}.py::test[{n}]")
        for kind, count in kinds.items()
        for n in range(count)
    ]


def test_five_percent_and_one_of_each_package() -> None:
    rows = _rows({"a": 200, "b": 3, "c": 21})
    drawn = sample.draw(rows, "0123")
    kinds = [row.package for row in rows if row.proof in drawn]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "a": 10,
        "b": 1,
        "c": 2,
    }


def test_small_packages_count_with_the_one_above() -> None:
    rows = _rows({"a": 20, "a/b": 40, "a/c": 10, "a/d/e": 5, "a/d": 5, "f": 2})
    drawn = sample.draw(rows, "0123")
    places = [row.proof.rpartition("/test_")[0] for row in rows if row.proof in drawn]
    assert sum(place == "tests/a/b" for place in places) == 2
    assert sum(place == "tests/f" for place in places) == 1
    # The 40 of a, a/c, a/d and a/d/e.
    assert len(places) == 5


def test_another_commit_draws_others_and_the_same_one_the_same() -> None:
    rows = _rows({"a": 200})
    assert sample.draw(rows, "1") == sample.draw(reversed(rows), "1")
    drawn = [sample.draw(rows, str(n)) for n in range(200)]
    # No proof is safe from being drawn: 200 draws of 10 of 200 miss one rarely.
    assert len(set().union(*drawn)) == 200


def test_every_sample_takes_about_as_long() -> None:
    rows = [
        dataclasses.replace(row, seconds=1.02**n)
        for n, row in enumerate(_rows({"a": 400}))
    ]
    seconds = {row.proof: row.seconds for row in rows}
    share = sum(seconds.values()) * sample.SHARE
    for n in range(50):
        drawn = sample.draw(rows, str(n))
        assert 0.7 * share < sum(seconds[name] for name in drawn) < 1.3 * share


def test_what_fits_into_limited_time_takes_about_that_time() -> None:
    seconds = {f"tests/test_{n}.py::test": 1.0 + n % 7 for n in range(2000)}
    limit = sum(seconds.values()) / 3
    fitting = [name for name in seconds if sample.fits(name, seconds, limit)]
    taken = sum(seconds[name] for name in fitting)
    assert 0.8 * limit < taken < 1.2 * limit
    # More time only adds to them; with enough of it all fit.
    assert set(fitting) <= {n for n in seconds if sample.fits(n, seconds, 2 * limit)}
    assert all(sample.fits(name, seconds, 3.1 * limit) for name in seconds)
