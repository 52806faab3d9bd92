"""Plans of expressions and notes are written into the text as the syntax tree would be."""

from __future__ import annotations

import ast

import pytest

from migrate.compiler import migrate_text
from migrate.plan import Plan
from migrate.program.code import make_code
from migrate.rewriting.rewrite import Rewriter
from migrate.rewriting.splice import splice_text

TEXT = '''\
# -*- coding: utf-8 -*-
def f(x):
    """Docs."""
    @wraps(x)
    def g():  # cómment
        return a(b(1,
                   2), "é") ; return 3
    if x: a(1)
    elif a(x):
        y = a((z := b(2)))
    return [a(x), a(a(3))]  ;pass
'''


def _plan(tree: ast.Module) -> Plan:
    """Every call of `a` becomes `n.A` with its arguments in brackets, and is noted."""
    plan = Plan()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "a":
                parts = [part for arg in node.args for part in (arg, ", ")]
                plan.replace(node, make_code("n.A([", *parts[:-1], "])"))
    return plan


def test_expressions_as_by_the_syntax_tree() -> None:
    tree = ast.parse(TEXT)
    found = splice_text(TEXT, tree, _plan(tree))
    assert found == Rewriter(TEXT, tree, _plan(tree)).run()
    assert 'return n.A([b(1,\n                   2), "é"]) ; return 3' in found
    assert "n.A([(z := b(2))])" in found
    assert "[n.A([x]), n.A([n.A([3])])]  ;pass" in found


def test_a_generator_stays_one() -> None:
    text = "y = a(i for i in x)\n"
    tree = ast.parse(text)
    assert splice_text(text, tree, _plan(tree)) == "y = n.A([(i for i in x)])\n"


def test_notes_stand_above_their_statements() -> None:
    tree = ast.parse(TEXT)
    plan = Plan()
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    plan.notes[function.body[1]] = ["# one", "# two"]
    plan.notes[function.body[3]] = ["# three"]
    found = splice_text(TEXT, tree, plan)
    assert found is not None
    assert "    # one\n    # two\n    @wraps(x)\n" in found
    assert "    # three\n    return [" in found
    assert found == Rewriter(TEXT, tree, plan).run()


def test_a_note_of_a_statement_after_another_is_left_to_the_syntax_tree() -> None:
    text = 'x = """\n"""; y = 1\n'
    tree = ast.parse(text)
    plan = Plan()
    plan.notes[tree.body[1]] = ["# note"]
    assert splice_text(text, tree, plan) is None


@pytest.mark.parametrize(
    "line",
    [
        'y = f"{tf.log(x)}"',
        "y = (tf.log)(x)",
        "y = tf.log (x)  # tf.log(x)",
        "y = tf.to_float((x + 1))",
        "y = tf.reduce_sum(x,\n    keep_dims=True,  # why\n    axis=1)",
        "y = tf.nn.dropout(tf.log(x), keep_prob=1 - tf.log(x))",
        "y = [tf.to_int32(é) for é in x]",
    ],
)
def test_what_is_written_is_python_and_stable(line: str) -> None:
    text = f"import tensorflow as tf\n{line}\n"
    new = migrate_text(text).text
    ast.parse(new)
    assert "tf.log(" not in new.partition("#")[0]
    assert migrate_text(new).text == new
