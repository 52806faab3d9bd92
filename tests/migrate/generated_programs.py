"""Programs that nobody wrote, for Hypothesis: files, trees of files, notebooks, bytes.

A program mixes lines of TensorFlow with lines that have nothing to do with it. What the
tool must not touch is judged here, from the syntax alone: see `find_untouched`.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Sequence

from hypothesis import strategies as st

from migrate.findings import Finding, Outcome

# Lines of programs; names are bound before, and some lines do not belong together.
GRAPH = (
    "x = tf.placeholder(tf.float32, [None, 3])",
    "x = tf.constant([[1., 2., 3.]])",
    "w = tf.get_variable('w', [3, 1], initializer=tf.zeros_initializer())",
    "w = tf.Variable(tf.truncated_normal([3, 1]), name='w')",
    "y = tf.matmul(x, w)",
    "y = tf.layers.dense(x, 2, name='dense')",
    "loss = tf.reduce_mean(tf.square(y))",
    "loss = tf.losses.mean_squared_error(y, y)",
    "step = tf.train.get_or_create_global_step()",
    "train = tf.train.AdamOptimizer(0.1).minimize(loss)",
    "train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)",
    "saver = tf.train.Saver()",
    "tf.logging.info('%s', 'é\\u2028')",
    "z = tf.log(x) + tf.contrib.nothing.here(x)",
    "tf.add_to_collection('mine', w)",
    "def helper(v, k=tf.float32):\n    return tf.to_float(v)",
    "class Model(object):\n    def __init__(self):\n        self.v = tf.get_variable('v', [1])",
    "lambda q: tf.div(q, 2)",
)
# Lines that are none of TensorFlow's: all kinds of spelling that must survive.
HOST = (
    "print('kept', 1)  # a comment",
    "a = {'b': [1, 2], 'c': (3,)}",
    "# alone   with   spaces",
    "names = [n  for n in  'xyz']",
    "text = '''one\n  two\\\n  three  \n'''",
    "print(1); print( 'é\u2028' )",
    "number = (1 +\n          2)  \\\n    + 3",
    "data = (b'\\x00\\xff',  r'\\d', 'tensorflow',)",
    "def own(p, *, q=2):\n    '''A docstring.'''\n\n    return p + q\t# tab",
    "if 1:\n\tprint( 'tab' )\nelse:\n\tpass",
    "print(f'{1!r:>{4}}')",
)
RUNS = (
    "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
    "    for i in range(3):\n        sess.run(train, {x: [[1., 2., 3.]]})",
    "with tf.train.MonitoredTrainingSession() as sess:\n    print(sess.run([loss, train]))",
    "sess = tf.Session()\nprint(sess.run(loss))",
    "",
)
# One that can be migrated, whatever stands before it.
WHOLE = (
    "x = tf.placeholder(tf.float32, [None, 3])\n"
    "w = tf.get_variable('w', [3, 1], initializer=tf.zeros_initializer())\n"
    "loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))\n"
    "train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)"
)
BLOCKS = ("", "with tf.variable_scope('s'):", "if a:", "for _ in range(2):", "try:")


@st.composite
def statements(draw: st.DrawFn) -> list[str]:
    """Statements of a program, its imports first and what runs it last."""
    lines = ["import tensorflow as tf", "a = 1"]
    for line in draw(st.lists(st.sampled_from(GRAPH + HOST), max_size=9)):
        block = draw(st.sampled_from(BLOCKS))
        # A line that only its own indentation holds together stays as it is.
        if block and not line.startswith(("#", "text", "number", "if")):
            inner = "\n".join(
                "    " + part if part else "" for part in line.split("\n")
            )
            line = f"{block}\n{inner}"
            line += "\nfinally:\n    pass" if block == "try:" else ""
        lines.append(line)
    if draw(st.booleans()):
        lines.append(WHOLE)
    lines.append(draw(st.sampled_from(RUNS)))
    return lines


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program's text."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = "\n".join(draw(statements()))
    return end.join(text.split("\n")) + draw(st.sampled_from(["", end]))


@st.composite
def coded_programs(draw: st.DrawFn) -> bytes:
    """A program's bytes with comments in an encoding that is not UTF-8, or with a mark."""
    text = draw(programs())
    end = "\r\n" if "\r\n" in text else "\n"
    kind = draw(st.sampled_from(["latin-1", "utf-8-sig", "cp1252"]))
    if kind == "utf-8-sig":
        return b"\xef\xbb\xbf" + text.encode()
    comment = draw(st.binary(max_size=20).map(_comment))
    head = f"# -*- coding: {kind} -*-{end}".encode()
    plain = text.replace("\u2028", "").encode("latin-1", "ignore")
    return head + b"# " + comment + end.encode() + plain


def _comment(data: bytes) -> bytes:
    """Bytes that every encoding of one byte has, and that end no line."""
    return bytes(0xA0 | (byte & 0x5F) for byte in data)


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    """Files that import each other, by name: some of one program, some of several."""
    names = [f"m{n}" for n in range(draw(st.integers(2, 4)))]
    found: dict[str, str] = {}
    for place, name in enumerate(names):
        lines = draw(statements())
        for other in (
            draw(st.lists(st.sampled_from(names[:place]), max_size=2)) if place else ()
        ):
            spelled = draw(
                st.sampled_from(["import {}", "from {} import a", "from {} import *"])
            )
            lines.insert(1, spelled.format(other))
        if draw(st.booleans()):
            lines = [
                line for line in lines if "tf" not in line and "tensorflow" not in line
            ]
        found[f"{name}.py"] = "\n".join(lines) + "\n"
    return found


@st.composite
def notebooks(draw: st.DrawFn) -> bytes:
    """A notebook: a program in cells, with magics, text and outputs between."""
    cells: list[dict[str, object]] = []
    for statement in draw(statements()):
        if draw(st.integers(0, 4)) == 0:
            cells.append(
                {"cell_type": "markdown", "metadata": {}, "source": ["# é\n", "b"]}
            )
        source = statement
        if draw(st.integers(0, 4)) == 0:
            source = f"%matplotlib inline\n{statement}\n!ls  -l"
        cells.append(
            {
                "cell_type": "code",
                "execution_count": draw(st.sampled_from([None, 3])),
                "metadata": {"k": draw(st.sampled_from(["", "é", "1"]))},
                "outputs": [],
                "source": source.splitlines(keepends=True),
            }
        )
    made = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 2}
    indent = draw(st.sampled_from([None, 1, 4]))
    ascii_ = draw(st.booleans())
    return json.dumps(made, indent=indent, ensure_ascii=ascii_).encode()


# -- what must stay --------------------------------------------------------------------


def find_untouched(
    text: str, findings: Sequence[Finding], imports_stay: bool = True
) -> list[str]:
    """The lines of a program that no finding touches, each with its end.

    A finding touches the statement that it is at; of a block's statement, its head. Of a
    program with a session more is touched: each statement that uses a value of the graph,
    for it may become a part of a step function; a block of such statements; comments above
    them; and a line of several statements, which may be divided.

    Args:
      imports_stay: whether TensorFlow is imported as it was.
    """
    tree = ast.parse(text)
    lines = split_lines(text)
    changed = {f.line for f in findings if f.outcome is not Outcome.KEPT}
    if not imports_stay:
        imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import)]
        changed |= {n.lineno for n in imports if n.names[0].name == "tensorflow"}
    values = _find_values(tree)
    touched: set[int] = set()
    heads = list(_find_heads(tree))
    for first, last, node in heads:
        if changed.intersection(range(first, last + 1)) or (
            values and (_names(node) & values or ";" in lines[first - 1])
        ):
            touched.update(range(first, last + 1))
    for first, last, node in reversed(heads) if values else ():
        inner = [s for s in ast.walk(node) if isinstance(s, ast.stmt) and s is not node]
        if inner and all(s.lineno in touched for s in inner):
            touched.update(range(first, (node.end_lineno or last) + 1))
    for number in reversed(range(1, len(lines))) if values else ():
        # A comment goes with the statement below it.
        if number + 1 in touched and lines[number - 1].lstrip().startswith("#"):
            touched.add(number)
    return [line for number, line in enumerate(lines, 1) if number not in touched]


def split_lines(text: str) -> list[str]:
    """Lines as Python counts them: a U+2028 ends none."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + [parts[-1]] * bool(parts[-1])


def _find_heads(tree: ast.Module) -> Iterator[tuple[int, int, ast.stmt]]:
    """Each statement with its lines; of one with a body, those above the body."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        yield node.lineno, max(node.lineno, last), node


def has_session(text: str) -> bool:
    """Whether a program opens a session."""
    return "Session(" in text


def _find_values(tree: ast.Module) -> set[str]:
    """Names of a session program that may stand for values of its graph."""
    if not has_session(ast.unparse(tree)):
        return set()
    found = {"tf"}
    while True:
        before = len(found)
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt) and _names(node) & found:
                found |= set(_binds(node))
        if len(found) == before:
            return found


def _binds(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Assign, ast.With)):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                yield inner.id


def _names(node: ast.stmt) -> set[str]:
    """The names in a statement; of one with a body, without those of the body's."""
    work: list[ast.AST] = [node]
    found: set[str] = set()
    while work:
        inner = work.pop()
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        has_own = isinstance(node, (ast.FunctionDef, ast.ClassDef))
        work += [
            child
            for child in ast.iter_child_nodes(inner)
            if has_own or not isinstance(child, ast.stmt)
        ]
    return found


def is_in_order(wanted: Iterable[str], lines: Iterable[str]) -> str | None:
    """The first of some lines that is not among others in their order; None for none."""
    rest = iter(lines)
    for line in wanted:
        if not any(line == other for other in rest):
            return line
    return None
