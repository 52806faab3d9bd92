"""A module's own graph is moved to its session where that changes nothing."""

from __future__ import annotations

import pytest

from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.normalise.feeds.constants import write_defaults
from migrate.normalise.feeds.datasets import convert_to_functions
from migrate.normalise.graph_places.module_graph import gather_graph
from migrate.normalise.names.tuples import split_placeholders
from migrate.normalise.names.versions import name_tensors_apart
from migrate.normalise.text import Text

HEAD = """\
import numpy as np
import tensorflow as tf

size = 3
x = tf.placeholder(tf.float32, [None, size])
w = tf.Variable(tf.zeros([size, 1]))
y = tf.matmul(x, w)
"""
SESSION = """\
    with tf.Session() as sess:
        print(sess.run(y, feed_dict={x: np.ones([2, 3])}))
"""
BLOCK = f'if __name__ == "__main__":\n{SESSION}'
MAIN = f'def main(_):\n{SESSION}\n\nif __name__ == "__main__":\n    tf.app.run()\n'


@pytest.mark.parametrize("tail", [BLOCK, MAIN, MAIN.replace("tf.app.run", "main")])
def test_it_stands_where_the_session_is(tail: str) -> None:
    new = gather_graph(Text.read_source(f"{HEAD}\n\n{tail}"))
    assert "size = 3\n" in new.source and "\n    x = tf.placeholder" in new.source
    assert new.source.index("    y = tf.matmul") < new.source.index("    with tf.S")
    assert [new.lines.index(line) for line in new.lines if "= tf.p" in line] == [
        i for i, origin in enumerate(new.origins) if origin == 5
    ]
    assert gather_graph(new) == new


@pytest.mark.parametrize(
    "source",
    [
        # Numbers that are drawn in another order; names that change in between.
        f"{HEAD}b = tf.constant(np.random.rand())\nc = np.random.rand()\n\n\n{BLOCK}",
        f"{HEAD}size = 4\n\n\n{BLOCK}",
        # A function that other code reads the names in, calls, or names otherwise.
        f"{HEAD}\n\ndef other():\n    return y\n\n\n{MAIN}",
        f"{HEAD}\n\n{MAIN}\n\ndef again():\n    main(0)\n",
        f"{HEAD}\n\n{MAIN.replace('def main(_):', 'def main(x):')}",
        # Not always.
        f"{HEAD}\n\n{BLOCK}else:\n    print(y)\n",
    ],
)
def test_what_is_not_certain_stays(source: str) -> None:
    assert gather_graph(Text.read_source(source)).source == source


def test_a_fed_constant_has_a_default() -> None:
    source = (
        "import tensorflow as tf\nk = tf.constant(1.0, name='k')\n"
        "n = tf.constant(2, tf.int64)\nm = tf.constant([1.0])\nj = tf.constant(3)\n"
        "sess.run(op, feed_dict={k: 0.5, n: 3, m: [2.0]})\n"
    )
    lines = write_defaults(Text.read_source(source)).lines
    assert lines[1:5] == (
        "k = tf.placeholder_with_default(1.0, [])",
        "n = tf.placeholder_with_default(tf.constant(2, dtype=tf.int64), [])",
        "m = tf.constant([1.0])",
        "j = tf.constant(3)",
    )
    twice = source.replace("j = tf", "k = tf")
    assert write_defaults(Text.read_source(twice)).lines[1] == source.split("\n")[1]


def test_one_name_for_each_tensor_of_a_function() -> None:
    source = (
        "def dense(x):\n    return x\n\n\n"
        "net = dense(first)\nnet = net * 2\nout = dense(net)\nnet = 3\nprint(net)\n"
    )
    assert name_tensors_apart(Text.read_source(source)).lines[4:] == (
        "net = dense(first)",
        "net_2 = net * 2",
        "out = dense(net_2)",
        "net_3 = 3",
        "print(net_3)",
        "",
    )
    loop = source.replace("net = net * 2", "for _ in range(2):\n    net = net * 2")
    assert name_tensors_apart(Text.read_source(loop)).source == loop


FED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
dataset = tf.data.Dataset.from_tensor_slices(x)
DATASETdataset = dataset.batch(2)
iterator = dataset.make_initializable_iterator()
"""


def test_a_dataset_of_placeholders_is_made_by_a_function() -> None:
    lines = convert_to_functions(Text.read_source(FED.replace("DATASET", ""))).lines
    assert lines[3:9] == (
        "def make_dataset(x):",
        "    dataset = tf.data.Dataset.from_tensor_slices(x)",
        "    dataset = dataset.batch(2)",
        "    return dataset",
        "",
        "dataset = make_dataset(x)",
    )


@pytest.mark.parametrize(
    "more",
    [
        "print(dataset)\n",  # Something else has it before it is made.
        "n = 3\nn = 4\ndataset = dataset.take(n)\n",  # It is another one each time.
        "dataset = dataset.take(np.random.randint(3))\n",
        "if x is not None:\n    dataset = dataset.take(1)\n",
    ],
)
def test_a_dataset_that_may_change_is_not(more: str) -> None:
    source = "import numpy as np\n" + FED.replace("DATASET", more)
    assert convert_to_functions(Text.read_source(source)).source == source


def test_placeholders_of_one_statement() -> None:
    source = (
        "import tensorflow as tf\nx, self.y = tf.placeholder(tf.float32), "
        "tf.placeholder(tf.int32, [3])\nz, n = tf.placeholder(tf.float32), 3\n"
    )
    assert split_placeholders(Text.read_source(source)).lines[1:4] == (
        "x = tf.placeholder(tf.float32)",
        "self.y = tf.placeholder(tf.int32, [3])",
        "z, n = tf.placeholder(tf.float32), 3",
    )


@pytest.mark.parametrize(
    "fetched, becomes",
    [
        (
            "[one.initializer, two.initializer]",
            "one, two = iter(data), iter(data.take(2))",
        ),
        ("begin", "two, one = iter(data.take(2)), iter(data)"),
        ("[one.initializer, one.initializer]", "one = iter(data)"),
    ],
)
def test_several_iterators_in_one_run(fetched: str, becomes: str) -> None:
    source = f"""\
import tensorflow as tf
data = tf.data.Dataset.range(4)
one = data.make_initializable_iterator()
two = data.take(2).make_initializable_iterator()
x = one.get_next()
y = two.get_next()
begin = tf.group(two.initializer, one.initializer)
with tf.Session() as sess:
    sess.run({fetched})
    print(sess.run(x))
    sess.run({fetched})
    print(sess.run(y))
"""
    assert becomes in migrate_text(source).text


BEGUN = """\
import tensorflow as tf
one = tf.data.Dataset.range(4)
two = tf.data.Dataset.range(8)
both = tf.data.Iterator.from_structure(one.output_types, one.output_shapes)
x = both.get_next()
first, second = both.make_initializer(one), both.make_initializer(two)
BEFORE
with tf.Session() as sess:
    RUN
    print(sess.run(x))
"""


@pytest.mark.parametrize(
    "before, run",
    [
        ("", "sess.run([first, second])"),  # In no order.
        ("", "assert sess.run(first) is None"),
        ("first = second", "sess.run(first)"),
        ("", "for op in (first, second):\n        sess.run(op)\n        sess.run(x)"),
    ],
)
def test_what_is_not_known_to_begin_is_refused(before: str, run: str) -> None:
    source = BEGUN.replace("BEFORE", before).replace("RUN", run)
    found = migrate_text(source)
    refused = {f.code for f in found.findings if f.outcome is Outcome.REFUSED}
    assert refused and found.text.count("make_initializer") == 2


def test_a_dataset_of_another_time_is_refused() -> None:
    """The initializer keeps the dataset that the name had when it was made."""
    source = BEGUN.replace("BEFORE\n", "one = two\n").replace("RUN", "sess.run(first)")
    found = migrate_text(source).findings
    assert "I101" in {f.code for f in found if f.outcome is Outcome.REFUSED}


def test_a_module_with_nothing_else_of_tensorflow_1() -> None:
    source = (
        "import tensorflow as tf\ndef make(one, two):\n"
        "    both = tf.data.Iterator.from_structure(one.output_types)\n"
        "    return both.get_next(), both.make_initializer(one)\n"
    )
    found = migrate_text(source).findings
    assert "I101" in {f.code for f in found if f.outcome is Outcome.REFUSED}
