"""Checks Python's driver code: known values decide tests, others are told apart."""

from __future__ import annotations

import pytest

from migrate.evaluate.configuration import Configuration
from migrate.graph.values import Const, Host, Tuple
from tests.migrate.evaluate.evaluated import evaluate, read

_KNOWN = {
    "[n * 2 for n in range(4) if n % 2]": (2, 6),
    "tuple(zip('ab', [1, 2]))[1]": ("b", 2),
    "sorted({'b': 1, 'a': 2})": ("a", "b"),
    "[x for x in map(lambda v: v + 1, [1, 2])]": (2, 3),
    "list(reversed([1, 2, 3]))": (3, 2, 1),
    "'%s_%d' % ('w', 3)": "w_3",
    "'{}/{name}'.format('a', name='b')": "a/b",
    "f'{1 + 1}:{\"x\"}'": "2:x",
    "sum([1, 2, 3]) // 2": 3,
    "max(3, 5) - min([4, 2])": 3,
    "(lambda a, b=2, *c, **d: a + b + len(c) + len(d))(1, 2, 3, e=4)": 5,
    "[i for i, _ in enumerate('abc', 1)]": (1, 2, 3),
    "dict(a=1, **{'b': 2})['b']": 2,
    "'a,b'.split(',')": ("a", "b"),
    "1 if [] else 2": 2,
    "isinstance(1.0, float) and not isinstance('s', int)": True,
}


def _plain(value: object) -> object:
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Tuple):
        return tuple(map(_plain, value.items))
    return value


@pytest.mark.parametrize("expression", _KNOWN)
def test_known_values(expression: str) -> None:
    m = evaluate(
        f"result = {expression}\nresult = tuple(result) if isinstance(result, list) else result\n"
    )
    assert not m.record.problems
    assert _plain(read(m, "result")) == _KNOWN[expression]


def test_a_default_of_a_flag_is_no_constant() -> None:
    text = """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--hidden", type=int, default=10)
        one = parser.parse_args().hidden
        """
    assert isinstance(read(evaluate(text), "one"), Host)
    started = Configuration(flags=True)
    assert read(evaluate(text, started), "one") == Const(10)
    given = Configuration(flags=True, arguments=("--hidden=7",))
    assert read(evaluate(text, given), "one") == Const(7)


def test_two_tests_of_one_unwritten_flag_agree() -> None:
    m = evaluate(
        """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--big", action="store_true")
        args = parser.parse_args()
        if args.big:
            size = 3
        else:
            size = 5
        if args.big:
            same = size == 3
        else:
            same = size == 5
        """
    )
    assert read(m, "same") == Const(True)


def test_what_is_drawn_is_drawn_once() -> None:
    m = evaluate(
        """
        import random
        one = random.random()
        two = random.random()
        alias = one
        """
    )
    assert read(m, "one") == read(m, "alias")
    assert read(m, "one") != read(m, "two")


def test_an_exit_rules_its_side_out() -> None:
    m = evaluate(
        """
        import sys
        kind = "test"
        if len(sys.argv) > 5:
            sys.exit(1)
        elif kind == "train":
            kind = "never"
        """
    )
    assert read(m, "kind") == Const("test")


def test_objects_share_what_is_changed() -> None:
    m = evaluate(
        """
        class Base(object):
            count = 0
            def __init__(self, items):
                self.items = items
            @property
            def last(self):
                return self.items[-1]
        class Other(Base):
            def __init__(self, items):
                super(Other, self).__init__(items)
                self.items.append(9)
        shared = [1]
        made = Other(shared)
        result = (made.last, len(shared), made.count)
        """
    )
    assert _plain(read(m, "result")) == (9, 2, 0)


def test_modules_of_the_program_are_read() -> None:
    others = {"model.py": "WIDTH = 4\ndef build(n):\n    return n * WIDTH\n"}
    m = evaluate("from model import build\nresult = build(2)\n", None, others)
    assert read(m, "result") == Const(8)


def test_a_call_of_what_is_not_seen_is_told() -> None:
    m = evaluate(
        "import tensorflow as tf\nimport unseen\nunseen.build(tf.constant(1.0))\n"
    )
    assert ["unseen" in p.reason for p in m.record.problems] == [True]
    assert m.record.problems[0].origin.line == 3
