"""Branches that arguments decide, and defaults that they leave unread."""

from __future__ import annotations

import pytest

from migrate.normalise.calls.branches import (
    drop_unread_defaults,
    replace_decided_branches,
)
from migrate.normalise.names.statements import fold_conditions
from migrate.normalise.text import Text

IMPORT = "import tensorflow as tf\n"


def _decide(source: str) -> str:
    text = fold_conditions(Text.read_source(IMPORT + source))
    text = drop_unread_defaults(replace_decided_branches(text))
    return text.source.removeprefix(IMPORT)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "op = None\nif op is None:\n    op = tf.no_op()\nrun(op)\n",
            "op = tf.no_op()\nrun(op)\n",
        ),
        (
            "train = opt.minimize(loss)\nop = train\n"
            "if op is None:\n    op = tf.no_op()\nrun(op)\n",
            "train = opt.minimize(loss)\nop = train\nrun(op)\n",
        ),
        (
            "a = tf.group(b)\nop = a if c else tf.no_op()\nif op is not None:\n    run(op)\n",
            "a = tf.group(b)\nop = a if c else tf.no_op()\nrun(op)\n",
        ),
        (
            "for b in c:\n    op = None\n    if op is None:\n        op = d\n    run(op)\n",
            "for b in c:\n    op = d\n    run(op)\n",
        ),
        ("op = None\nop = op or a\nrun(op)\n", "op = a\nrun(op)\n"),
        ("op = 0\nb = op or a\n", "op = 0\nb = a\n"),
        (
            "for b in c:\n    op = None\n    op = op or b\n    run(op)\n",
            "for b in c:\n    op = b\n    run(op)\n",
        ),
    ],
)
def test_what_the_last_value_decides(old: str, new: str) -> None:
    assert _decide(old) == new


@pytest.mark.parametrize(
    "source",
    [
        # The next round sees another value.
        "op = None\nfor b in c:\n    if op is None:\n        op = d\n    run(op)\n",
        # A method of the program is no optimizer's.
        "def minimize(loss):\n    pass\nop = opt.minimize(loss)\nif op is None:\n    run(b)\n",
        # Somebody reads the default, or may.
        "op = None\nrun(op)\nop = a\n",
        "op = b\nop = op or a\n",
        "op = None\nop = op or (op := a)\n",
        "op = None\nfor b in c:\n    op = op or b\n",
        "op = None\nif b:\n    op = c\nop = op or a\n",
        "def f():\n    global op\n    op = b\nop = None\nf()\nop = op or a\n",
        "op = None\nop += op or a\n",
        "def f():\n    print(op)\nop = None\nf()\nop = a\n",
        "op = None\nfor b in c:\n    if b:\n        break\n    op = None\n    if d:\n"
        "        break\n    op = a\nrun(op)\n",
        "try:\n    op = None\n    run(a)\n    op = b\nexcept E:\n    print(op)\n",
        "class A:\n    op = None\n    op = b\n",
        "def f():\n    global op\n    op = None\n    run(a)\n    op = b\n",
    ],
)
def test_what_is_not_certain_stays(source: str) -> None:
    assert _decide(source) == source
