"""Attributes that TensorFlow 2's datasets and graphs lack: written anew, or refused."""

from __future__ import annotations

import pathlib
import re
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.run import run_programs
from reference import processes

HEAD = "import tensorflow as tf\nlog = tf.log(2.0)\n"
OF_TF1 = "import tensorflow as tf\ntf.enable_eager_execution()\nlog = tf.log(2.0)\n"
DATASET = (
    "ds = tf.data.Dataset.from_tensor_slices(({'a': [[1.0, 2.0]]}, [3])).batch(1)\n"
)
# Statements that show what a dataset has, however it is spelled.
KNOWN = {
    "name": "print(ds.output_types, ds.output_classes)\n",
    "bound again": "ds = ds.repeat(2)\nds = ds.map(lambda a, b: (a, b))\n"
    "print(ds.output_shapes)\n",
    "in place": "print(tf.data.Dataset.range(3).batch(2).output_shapes)\n",
    "function": "def make():\n    return ds.take(1)\n\n\nprint(make().output_types)\n",
    "parameter": "def show(given):\n    print(given.output_shapes)\n\n\nshow(ds)\n",
    "attribute": "class Input(object):\n    def __init__(self):\n        self.ds = ds.skip(0)\n\n"
    "    def show(self):\n        print(self.ds.output_classes)\n\n\nInput().show()\n",
    "choice": "print((ds if log > 0 else ds.skip(1)).output_shapes)\n",
    "dimension": "print(ds.output_shapes[0]['a'][1].value)\n",
    "dimensions": "print([d.value for d in ds.output_shapes[1]])\n",
    "iterator": "it = tf.compat.v1.data.make_one_shot_iterator(ds)\n"
    "print(it.output_shapes)\n",
}
# These may be a dataset.
UNKNOWN = {
    "parameter": "def show(given):\n    return given.output_shapes\n",
    "attribute": "class A(object):\n    def show(self):\n        return self.ds.output_types\n",
    "of another file": "import inputs\nprint(inputs.make().output_shapes)\n",
    "one of two": "import inputs\nds = inputs.make() if log else tf.data.Dataset.range(3)\n"
    "print(ds.output_types)\n",
    "loop": "def show(all):\n    for one in all:\n        print(one.output_shapes)\n",
}
# These are known to be something else, or the file has objects with such an attribute.
OTHERS = {
    "own": "class A(object):\n    def __init__(self):\n        self.output_shapes = 1\n\n"
    "def show(a):\n    return a.output_shapes\n",
    "own class": "class A(object):\n    output_types = 3\n\nprint(A().output_types)\n",
    "field": "import collections\nA = collections.namedtuple('A', 'output_types, more')\n"
    "def show(a):\n    return a.output_types\n",
    "flag": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--output_types')\n"
    "print(p.parse_args().output_types)\n",
    "method": "def show(a):\n    return a.output_shapes()\n",
    "module": "import shapes\nprint(shapes.output_shapes)\n",
    "iterator": f"{DATASET}for it in [1]:\n    print(iter(ds).output_shapes)\n",
    "of compat.v1": "ds = tf.compat.v1.data.Dataset.range(3)\nprint(ds.output_shapes)\n",
}
GRAPH = """\
import tensorflow as tf

with tf.Graph().as_default() as g:
    SEED
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.random_normal([2, 1]), name="w")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            sess.run(train, {x: [[1.0, 2.0]]})
"""
CALL = "tf.set_random_seed(7)"


def refused(text: str, *codes: str) -> list[Finding]:
    found = migrate_text(text).findings
    assert not [f for f in found if f.outcome is Outcome.FAILED]
    return [f for f in found if f.outcome is Outcome.REFUSED and f.code in codes]


def test_what_is_written_shows_what_tf1_shows(tf1: str, tmp_path: pathlib.Path) -> None:
    text = OF_TF1 + DATASET + "".join(KNOWN.values())
    # The planted fault: another function of the three.
    wrong = migrate_text(text).text.replace("get_output_types", "get_output_classes")
    shown = []
    for python, program in (
        (tf1, text),
        (sys.executable, migrate_text(text).text),
        (sys.executable, wrong),
    ):
        path = tmp_path / "main.py"
        path.write_text(program, "utf-8")
        out = processes.run_program([python, path], directory=tmp_path)
        shown.append(_spell_as_tf2(out.stdout).splitlines())
    assert len(shown[0]) == len(KNOWN)
    assert shown[0] == shown[1] != shown[2]


def _spell_as_tf2(out: str) -> str:
    """Respells TensorFlow 1.15.5's output as 2.21 prints it."""
    out = re.sub(r"Dimension\((\w+)\)", r"\1", out).replace("(?,)", "(None,)")
    return out.replace("framework.ops.Tensor", "framework.tensor.Tensor")


@pytest.mark.parametrize("name", KNOWN)
def test_a_datasets_attribute_is_written_anew(name: str) -> None:
    done = migrate_text(HEAD + DATASET + KNOWN[name])
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    left = ".output_" in done.text
    assert left is (name == "iterator")
    assert name == "iterator" or "tf.compat.v1.data.get_output_" in done.text
    assert migrate_text(done.text).text == done.text


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_may_be_a_dataset_is_refused_at_its_line(name: str) -> None:
    text = HEAD + UNKNOWN[name]
    (found,) = refused(text, "E105")
    assert ".output_" in text.splitlines()[found.line - 1]


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_something_else_stays(name: str) -> None:
    done = migrate_text(HEAD + OTHERS[name])
    assert not refused(HEAD + OTHERS[name], "E105")
    assert ("get_output_" in done.text) is (name == "of compat.v1")


def test_a_dataset_in_a_file_with_nothing_else_is_told() -> None:
    text = "import tensorflow as tf\n" + DATASET + KNOWN["name"]
    assert len(refused(text, "E105")) == 2
    unknown = "import tensorflow as tf\n" + UNKNOWN["parameter"]
    assert not refused(unknown, "E105")  # Nothing says that it is TensorFlow 1's.


@pytest.mark.parametrize(
    "seed",
    ["g.seed = 7", "tf.get_default_graph().seed = 7", "g.seed = 3; g.seed = 7"],
)
def test_a_graphs_seed_is_set_by_a_call(seed: str) -> None:
    done = migrate_text(GRAPH.replace("SEED", seed)).text
    want = GRAPH.replace("SEED", seed.replace("g.seed = 3", CALL.replace("7", "3")))
    want = want.replace("tf.get_default_graph().seed = 7", CALL)
    assert done == migrate_text(want.replace("g.seed = 7", CALL)).text
    assert "tf.Graph" not in done and "set_random_seed(7)" in done


def test_a_graphs_seed_before_it_is_entered() -> None:
    text = GRAPH.replace("SEED", "pass").replace(
        "with tf.Graph().as_default() as g:",
        "g = tf.Graph()\ng.seed = 7\nwith g.as_default():",
    )
    assert "compat.v1.set_random_seed(7)\n" in migrate_text(text).text
    # It is unknown which of two graphs is meant: the seed would seed nothing.
    other = text.replace("g = tf.Graph()\n", "g = tf.Graph()\nh = tf.Graph()\n")
    (found, *_) = refused(other, "S185")
    assert other.splitlines()[found.line - 1] == "g.seed = 7"


@pytest.mark.parametrize("line", ["print(g.version)", "g.note = 3", "g.finalize()"])
def test_what_is_about_the_graph_is_refused_at_its_line(line: str) -> None:
    text = GRAPH.replace("SEED", line)
    (found,) = refused(text, "S185")
    assert text.splitlines()[found.line - 1].strip() == line


def test_what_lacks_an_attribute_is_told_to_who_has_not_seen_it() -> None:
    text = (
        "import tensorflow as tf\n"
        "w = tf.Variable(1.0, name='w')\n"
        "saver = tf.train.Saver()\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    saver.export_meta_graph('/tmp/model.meta')\n"
    )
    (found,) = refused(text, "S185")
    assert found.line == 6
    assert "what stands for it in the migrated program (Saver of " in found.reason


EAGER = "import tensorflow as tf\ntf.enable_eager_execution()\n"


@pytest.mark.parametrize(
    ("code", "written"),
    [
        (f"{DATASET}it = ds.make_one_shot_iterator()\n", "it = iter(ds)"),
        (
            f"{DATASET}for one in ds.repeat(2).make_one_shot_iterator():\n    print(one)\n",
            "for one in iter(ds.repeat(2)):",
        ),
        ("import inputs\nit = inputs.make().make_one_shot_iterator()\n", None),
        ("def show(given):\n    return given.make_one_shot_iterator()\n", None),
    ],
)
def test_eager_code_makes_iterators_of_datasets(code: str, written: str | None) -> None:
    """TensorFlow 2's datasets lack the method: it ended with an AttributeError."""
    result = migrate_text(EAGER + code)
    refused = [f for f in result.findings if f.outcome is Outcome.REFUSED]
    assert {f.code for f in refused} <= {"E105", "N100"}
    assert bool(refused) is (written is None)
    assert written is None or written in result.text


HELPER = f"import tensorflow as tf\n\n\ndef make():\n    {DATASET}    return dsMADE\n"


@pytest.mark.parametrize(
    ("said", "made", "code"),
    [
        ("# There is no tf.Session() here.\n", "", None),
        ("text = 'tf.Session()'\n", "", None),
        ("# There is no tf.Session() here.\n", ".make_one_shot_iterator()", "E105"),
        ("", ".make_one_shot_iterator()", "E105"),
    ],
)
def test_the_word_session_makes_no_program_one_with_a_session(
    tmp_path: pathlib.Path, said: str, made: str, code: str | None
) -> None:
    main = f"{EAGER}import data\n{said}for one in data.make():\n    print(tf.log(2.0), one)\n"
    (tmp_path / "main.py").write_text(main)
    (tmp_path / "data.py").write_text(HELPER.replace("MADE", made))
    found = [r for p in run_programs([tmp_path]) for r in p]
    refused = {f.code for r in found for f in r.findings if f.blocks}
    assert refused - {"N100", "N102"} == ({code} if code else set())
