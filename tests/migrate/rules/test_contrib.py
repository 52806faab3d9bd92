"""Every public name of tf.contrib is rewritten to what exists, or refused with advice."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import textwrap

import pytest

from migrate import support
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.rules.symbols import find_verdict
from migrate.tables import contrib, symbols
from migrate.tables.optimizers import OPTIMIZERS
from reference.environment import find_tf1

EMITTED = pathlib.Path(support.__file__).parent
CONTRIB = [name for name in symbols.list_symbols() if name.startswith("tf.contrib.")]
_ROOTS = re.compile(
    r"tf\.|tf_keras\.|tf_slim\.|contrib_|eager_gradients\.|mnist_input_data\.|[\"']|iter$"
)


def test_every_name_has_a_verdict() -> None:
    """No name of more than 1,300 is kept as a name that TF2 lacks."""
    assert len(CONTRIB) > 1300
    for name in CONTRIB:
        found = find_verdict(name)
        if found.outcome is Outcome.REFUSED:
            assert found.reason, name
            assert found.recipe, name
        else:
            assert _ROOTS.match(found.target), (name, found.target)
            if found.target.startswith(("tf.", "tf_keras.")):
                assert symbols.exists_in_target(found.target), (name, found.target)


def test_recipes_of_what_has_no_home_name_what_exists() -> None:
    """In TensorFlow 2, or in the TensorFlow 1 program that is to be changed."""
    before = {*symbols.list_symbols()}
    for name, (_, recipe) in contrib.NO_HOME.items():
        for target in re.findall(r"\btf(?:_keras)?(?:\.\w+)+", recipe):
            assert target in before or symbols.exists_in_target(target), (name, target)


def test_rows_are_names_of_tf1() -> None:
    known = {*symbols.list_symbols(), *symbols.list_modules()}
    rows = {*contrib.HOMES, *contrib.SUPPORT, *contrib.SLIM}
    rows |= {row.symbol for row in contrib.CONTRIB_CALLS}
    rows |= {f"tf.contrib.{name}" for name in contrib.NO_HOME}
    rows |= {name for name in OPTIMIZERS if name.startswith("tf.contrib.")}
    assert {row for row in rows - known if "." in row} == UNLISTED


# Parts of contrib that need libraries which are not there when the table is made, that
# are another module under a second name or plain numbers, or that only older versions had.
# (The table has `text.VocabularyProcessor`, no second names, and no methods of classes.)
UNLISTED = {
    "tf.contrib.bayesflow",
    "tf.contrib.boosted_trees",
    "tf.contrib.data.AUTOTUNE",
    "tf.contrib.framework.nest",
    *(name for name in contrib.HOMES if ".nest." in name),
    "tf.contrib.gan",
    "tf.contrib.learn.preprocessing.CategoricalVocabulary",
    "tf.contrib.learn.preprocessing.VocabularyProcessor",
    "tf.contrib.learn.preprocessing.VocabularyProcessor.restore",
    "tf.contrib.learn.preprocessing.text.VocabularyProcessor.restore",
    "tf.contrib.learn.preprocessing.tokenizer",
    "tf.contrib.opt.DelayCompensatedGradientDescentOptimizer",
    "tf.contrib.tensorrt",
}


@pytest.mark.parametrize("row", contrib.CONTRIB_CALLS, ids=lambda row: row.symbol)
def test_calls_name_parameters_of_tf1(row: contrib.CallRow) -> None:
    known = symbols.look_up(row.symbol)
    assert known is not None
    named = {*row.keywords, *dict(row.renamed), *row.dropped, *dict(row.wrapped)}
    if known.signature_v1:
        assert named <= set(known.signature_v1)


# Source of TF1, and the value of `value`: as TensorFlow 1.15.5 gives it for these inputs.
_X = "import numpy as np\nx = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1) - 5\n"
_X += "p, q = tf.constant([1.0, 3.0]), tf.constant([1.0, 1.0])\n"
VALUES = {
    "tf.contrib.layers.flatten(x)": [[float(v) for v in range(-5, 11)]],
    "tf.contrib.layers.max_pool2d(x, 2)": [[[[0.0], [2.0]], [[8.0], [10.0]]]],
    "tf.contrib.layers.avg_pool2d(inputs=x, kernel_size=[3, 3], stride=1)": [
        [[[0.0], [1.0]], [[4.0], [5.0]]]
    ],
    "tf.contrib.layers.one_hot_encoding([1, 0], 2)": [[0.0, 1.0], [1.0, 0.0]],
    "tf.contrib.layers.l2_regularizer(0.5)(tf.constant(x))": 110.0,
    "tf.contrib.layers.l1_regularizer(scale=0.5)(tf.constant(x))": 35.0,
    "tf.contrib.layers.variance_scaling_initializer(uniform=True, seed=3)([2, 1])": [
        [-0.39168810844421387],
        [-0.48488330841064453],
    ],
    "tf.contrib.layers.l1_l2_regularizer(0.5, 0.25)(tf.constant(x))": 90.0,
    "tf.contrib.layers.apply_regularization(tf.contrib.layers.l2_regularizer(0.5), "
    "[tf.constant(x), tf.constant(x)])": 220.0,
    **{
        f"tf.data.experimental.get_single_element(tf.data.Dataset.range(7)"
        f".apply(tf.contrib.data.{how}).map(lambda e: tf.reduce_sum(e)).batch(9))": v
        for how, v in (
            ("batch_and_drop_remainder(3)", [3, 12]),
            ("sliding_window_batch(3, window_shift=2)", [3, 9, 15]),
            ("sliding_window_batch(2, 3, window_stride=2)", [2, 8]),
            ("assert_element_shape(tf.TensorShape([]))", [0, 1, 2, 3, 4, 5, 6]),
        )
    },
    "tf.contrib.layers.safe_embedding_lookup_sparse("
    "tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), "
    "tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([0, 2, 1], tf.int64), [4, 2]))": [
        [3.0, 4.5],
        [0.0, 0.0],
        [3.0, 4.0],
        [0.0, 0.0],
    ],
    "tf.contrib.losses.mean_squared_error(p, labels=q)": 2.0,
    "tf.contrib.losses.absolute_difference(p, q)": 1.0,
}


@pytest.mark.parametrize("case", VALUES)
def test_value_is_that_of_tf1(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tf = pytest.importorskip("tensorflow")
    np = pytest.importorskip("numpy")
    text = f"import tensorflow as tf\n{_X}value = {case}\n"
    result = migrate_text(text)
    refused = [f for f in result.findings if f.outcome is Outcome.REFUSED]
    if refused:  # Positional arguments that are in another order are not guessed.
        assert "losses" in case
        return
    names: dict[str, object] = {}
    monkeypatch.syspath_prepend(str(EMITTED))
    exec(result.text, names)
    assert tf.is_tensor(names["value"])
    assert np.array_equal(np.asarray(names["value"]), VALUES[case]), result.text


@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_tf1_gives_these_values() -> None:
    script = textwrap.dedent(
        """
        import json, sys
        import tensorflow as tf
        {x}
        found = {{}}
        with tf.Session() as session:
            for case in json.load(sys.stdin):
                found[case] = session.run(eval(case)).tolist()
        print(json.dumps(found))
        """
    ).format(x=_X)
    environment = {k: v for k, v in os.environ.items() if k != "TF2_BEHAVIOR"}
    done = subprocess.run(
        [str(find_tf1()), "-W", "ignore", "-c", script],
        input=json.dumps([*VALUES]),
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        timeout=300,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == VALUES


_LOADERS = {
    "attribute": ("import tensorflow as tf", "tf.contrib.learn.datasets.load_dataset"),
    "module": ("from tensorflow.contrib import learn", "learn.datasets.load_dataset"),
    "own-file": (
        "from tensorflow.contrib.learn.python.learn.datasets import load_dataset",
        "load_dataset",
    ),
}


@pytest.mark.parametrize("loader", _LOADERS)
@pytest.mark.parametrize("given", ["'mnist'", 'name="mnist"'])
def test_the_data_set_of_mnist_is_read(loader: str, given: str) -> None:
    """As `load_mnist()`, which is what TensorFlow 1 calls."""
    imported, name = _LOADERS[loader]
    text = f"{imported}\ndata = {name}({given})\nx = data.train.images\n"
    found = migrate_text(text)
    assert not [f for f in found.findings if f.outcome is Outcome.REFUSED]
    assert [f.code for f in found.findings if "load_data" in f.symbol] == ["T107"]
    assert "data = mnist_input_data.load_mnist()\n" in found.text
    assert "mnist_input_data.py" in found.support


@pytest.mark.parametrize(
    "given",
    ["'iris'", "'dbpedia'", "name", "", "'mnist', 'large'", "'mnist', size='small'"],
)
def test_other_data_sets_are_refused(given: str) -> None:
    text = "import tensorflow as tf\nname = input()\n"
    text += f"data = tf.contrib.learn.datasets.load_dataset({given})\n"
    found = migrate_text(text)
    (refused,) = (f for f in found.findings if f.outcome is Outcome.REFUSED)
    assert refused.code == "T111" and found.text.endswith(text.splitlines()[-1] + "\n")
    assert 'load_dataset("mnist")' in refused.recipe


def test_a_data_set_that_is_named_alone_is_refused() -> None:
    text = "import tensorflow as tf\nload = tf.contrib.learn.datasets.load_dataset\n"
    found = migrate_text(text + 'data = load("mnist")\n')
    codes = {f.code for f in found.findings if f.outcome is Outcome.REFUSED}
    assert codes == {"T111"} and "mnist_input_data" not in found.text
