"""A run whose feed is chosen by a condition is put into the branches, if their keys differ."""

from __future__ import annotations

import pytest

from migrate.normalise.feeds.conditions import fill_feeds
from migrate.normalise.text import Text

CHOSEN = """\
for i in range(3):
    if state is None:
        print("first")
        feed = {x: batch}
    elif i > 5:
        feed = {x: batch, first: 0 * state}
    else:
        feed = {x: batch, first: state}
    _, state = sess.run(
        [train, last], feed_dict=feed)  # Trains.
    print(state)
"""
SPLIT = """\
for i in range(3):
    if state is None:
        print("first")
        _, state = sess.run(
            [train, last], feed_dict={x: batch})  # Trains.
    elif i > 5:
        _, state = sess.run(
            [train, last], feed_dict={x: batch, first: 0 * state})  # Trains.
    else:
        _, state = sess.run(
            [train, last], feed_dict={x: batch, first: state})  # Trains.
    print(state)
"""


def split(text: str) -> str:
    return fill_feeds(Text.read_source(text)).source


def test_each_branch_runs_with_its_own_feed() -> None:
    assert split(CHOSEN) == SPLIT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(state)", "print(feed)"),
        ("    else:\n        feed = {x: batch, first: state}\n", ""),
        ("{x: batch, first: state}", "make_feed(state)"),
        ("    _, state = sess", "    print(i)\n    _, state = sess"),
        ("{x: batch}", "{first: 0, x: batch}"),
    ],
    ids=["read again", "no feed", "a call", "not the next", "the same keys"],
)
def test_other_runs_stay(old: str, new: str) -> None:
    text = CHOSEN.replace(old, new)
    assert text != CHOSEN and split(text) == text
