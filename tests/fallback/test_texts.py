"""Checks texts brought to graph mode on TensorFlow 2.21, and texts that are refused."""

from __future__ import annotations

import pathlib
import textwrap
from collections.abc import Collection

import pytest
from click.testing import CliRunner

from migrate import emitted
from migrate.cli import main
from migrate.fallback import module
from migrate.fallback.module import Part, bring_to_compat
from migrate.fallback.start import begin_in_graph_mode
from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.migration import Migration
from migrate.options import Options
from migrate.outcomes import Status
from migrate.run import run_programs

_START = """\
import os

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")  # tf.layers are Keras 2's.
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
"""
# A program that the migration refuses: it traces a session's run.
_REFUSED = """\
x = tf.placeholder(tf.float32, [2])
w = tf.get_variable("w", [2])
loss = tf.reduce_sum(w * x)
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  told = tf.RunMetadata()
  print(sess.run(loss, {x: [1.0, 2.0]}, tf.RunOptions(trace_level=3), told), told)
"""
_OPTIONS = Options(fallback="compat")


def _brought(text: str, **part: object) -> Migration:
    return bring_to_compat(text, Options(), "program.py", Part(**part))  # type: ignore[arg-type]


def _module(text: str) -> str:
    """A text that is no program's start."""
    found = _brought(text, starts=False)
    assert {f.code for f in found.findings} <= {"T150"}
    again = _brought(found.text, starts=False)
    assert again.text == found.text and not again.findings
    return found.text


def test_a_program_begins_in_graph_mode() -> None:
    found = _brought("import tensorflow as tf\n" + _REFUSED)
    assert found.text == _START + _REFUSED
    assert _brought(found.text).text == found.text


def test_what_must_stand_first_stands_first() -> None:
    first = '"""A program."""\nfrom __future__ import print_function\n'
    found = _brought(
        first + "import os\nos.environ['X'] = '1'\nimport tensorflow as tf\n"
    )
    assert found.text == (
        first + "import os\nos.environ['X'] = '1'\n" + _START.partition("\n\n")[2]
    )


def test_graph_mode_is_switched_on_before_own_modules_are_imported() -> None:
    text = "import network\nimport tensorflow as tf\nnetwork.f(tf.zeros([1]))\n"
    found = _brought(text, own=frozenset({"network"}))
    assert found.text == (
        _START
        + "import network\nimport tensorflow.compat.v1 as tf\nnetwork.f(tf.zeros([1]))\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    (
        ("import tensorflow", "import tensorflow.compat.v1 as tensorflow"),
        ("import tensorflow as t", "import tensorflow.compat.v1 as t"),
        (
            "from tensorflow import layers, train as t  # both",
            "from tensorflow.compat.v1 import layers, train as t  # both",
        ),
        (
            "from tensorflow.keras.layers import Dense",
            "from tensorflow.compat.v1.keras.layers import Dense",
        ),
        ("from tensorflow.app import flags", "from tensorflow.compat.v1 import flags"),
        ("import tensorflow.keras as K", "import tensorflow.compat.v1.keras as K"),
        (
            "from tensorflow.core.protobuf import config_pb2",
            "from tensorflow.core.protobuf import config_pb2",
        ),
        (
            "import tensorflow.compat.v1 as tf",
            "import tensorflow.compat.v1 as tf",
        ),
    ),
)
def test_imports(before: str, after: str) -> None:
    name = before.partition("  #")[0].split()[-1]
    assert _module(f"{before}\nprint({name})\n") == f"{after}\nprint({name})\n"


@pytest.mark.parametrize(
    ("before", "after"),
    (
        # A name of contrib for what the core has, by whatever way it was imported.
        (
            "import tensorflow as tf\n"
            "step = tf.contrib.framework.get_or_create_global_step()\n",
            "import tensorflow.compat.v1 as tf\n"
            "step = tf.train.get_or_create_global_step()\n",
        ),
        (
            "import tensorflow as tf\nfrom tensorflow.contrib import rnn\n"
            "cell = rnn.BasicLSTMCell(3)\n",
            "import tensorflow.compat.v1 as tf\ncell = tf.nn.rnn_cell.BasicLSTMCell(3)\n",
        ),
        (
            "import tensorflow as tf\ncell = tf.contrib.rnn.GRUCell(3)\n",
            "import tensorflow.compat.v1 as tf\ncell = tf.nn.rnn_cell.GRUCell(3)\n",
        ),
        # A module's own name goes where nothing reads it any more.
        (
            "import tensorflow as tf\nslim = tf.contrib.slim\ny = slim.flatten(x)\n",
            "import tensorflow.compat.v1 as tf\nimport contrib_layers\n"
            "y = contrib_layers.flatten(x)\n",
        ),
        (
            "import tensorflow as tf\nslim = tf.contrib.slim\n"
            "y = slim.layers.flatten(x)\n",
            "import tensorflow.compat.v1 as tf\nimport contrib_layers\n"
            "y = contrib_layers.flatten(x)\n",
        ),
        # Under the name that the module beside has, too.
        (
            "import tensorflow as tf\n"
            "from tensorflow.contrib import layers as contrib_layers\n"
            "y = contrib_layers.flatten(x)\n",
            "import tensorflow.compat.v1 as tf\nimport contrib_layers\n"
            "y = contrib_layers.flatten(x)\n",
        ),
        # By call: contrib's losses have predictions first.
        (
            "import tensorflow as tf\n"
            "loss = tf.contrib.losses.mean_squared_error(p, weights=w, labels=y)\n",
            "import tensorflow.compat.v1 as tf\n"
            "loss = tf.losses.mean_squared_error(predictions=p, weights=w, labels=y)\n",
        ),
        # Private names by their public ones, a reader written beside.
        (
            "from tensorflow.python.ops import rnn_cell\ncell = rnn_cell.GRUCell(3)\n",
            "import tensorflow.compat.v1 as tf\ncell = tf.nn.rnn_cell.GRUCell(3)\n",
        ),
        (
            "from tensorflow.examples.tutorials.mnist import input_data\n"
            "data = input_data.read_data_sets('d')\n",
            "import mnist_input_data\ndata = mnist_input_data.read_data_sets('d')\n",
        ),
        (
            "import tensorflow as tf\n"
            "data = tf.contrib.learn.datasets.load_dataset('mnist')\n",
            "import tensorflow.compat.v1 as tf\nimport mnist_input_data\n"
            "data = mnist_input_data.load_mnist()\n",
        ),
        # What the core has stands byte for byte as it stood.
        (
            "import tensorflow as tf\nflags = tf.app.flags\n"
            "flags.DEFINE_string( 'a', '' , '')\n",
            "import tensorflow.compat.v1 as tf\nflags = tf.app.flags\n"
            "flags.DEFINE_string( 'a', '' , '')\n",
        ),
        (
            "import tensorflow as tf\nif tf.__version__.startswith('1'):\n"
            "  from tensorflow.contrib import slim\n",
            "import tensorflow.compat.v1 as tf\nif \"1.15.5\".startswith('1'):\n"
            "  pass\n",
        ),
    ),
)
def test_names(before: str, after: str) -> None:
    assert _module(before) == after


def test_modules_come_with_what_names_them() -> None:
    found = _brought("import tensorflow as tf\nx = tf.contrib.layers.flatten(y)\n")
    assert "contrib_layers/__init__.py" in found.support
    assert "contrib_framework.py" in found.support


@pytest.mark.parametrize(
    ("text", "symbol"),
    (
        (
            "import tensorflow as tf\ntf.estimator.BoostedTreesClassifier(c, 1)\n",
            "tf.estimator.BoostedTrees",
        ),
        ("import tensorflow as tf\ntf.contrib.learn.Experiment(f)\n", "tf.contrib"),
        ("import tensorflow as tf\ntf.contrib.ffmpeg.decode_audio(x)\n", "tf.contrib"),
        (
            "import tensorflow as tf\ncontrib_layers = 3\n"
            "tf.contrib.layers.flatten(x)\n",
            "tf.contrib.layers.flatten",
        ),
        ("from tensorflow import *\nSession()\n", ""),
        ("import tensorflow as tf\nf(tf.contrib.layers)\n", "tf.contrib.layers"),
    ),
)
def test_what_has_no_home_is_refused_and_left(text: str, symbol: str) -> None:
    found = _brought(text)
    assert found.text == text
    (finding,) = found.findings
    assert finding.code == "T151" and finding.outcome is Outcome.REFUSED
    assert finding.symbol.startswith(symbol) and finding.reason


def test_a_name_that_no_tensorflow_has_stays_and_is_told() -> None:
    text = (
        "import tensorflow as tf\ndef f(x):\n    return tf.get_shape(x)\nf = tf.log\n"
    )
    found = _brought(text)
    assert "return tf.get_shape(x)" in found.text and found.text != text
    (finding,) = found.findings
    assert (finding.line, finding.code) == (3, "T111")
    assert finding.outcome is Outcome.WARNED


@pytest.mark.parametrize("symbol", ("scalar_summary", "contrib.nothing", "tools"))
def test_a_name_that_some_tensorflow_had_is_no_mistake(symbol: str) -> None:
    """A program from before 1.0 has to be brought to 1.15 first; contrib may load later."""
    found = _brought(f"import tensorflow as tf\ntf.{symbol}\n")
    assert {f.code for f in found.findings} == {"T151"}


_UPGRADED = """\
import tensorflow as tf
x = tf.compat.v1.placeholder(tf.float32, [2])
y = tf.argmax(input=x, axis=0)
"""


def test_names_of_tensorflow_2_stay_what_they_are() -> None:
    found = _brought(_UPGRADED, named_for_2=True)
    assert found.text == (
        _START.replace("tensorflow.compat.v1 as tf", "tensorflow as tf").replace(
            "\ntf.disable", "\ntf.compat.v1.disable"
        )
        + _UPGRADED.partition("\n")[2]
    )


# -- programs of several files ---------------------------------------------------------


def _results(directory: pathlib.Path, options: Options = _OPTIONS) -> list[FileResult]:
    return [r for program in run_programs([directory], options) for r in program]


def _tree(directory: pathlib.Path, **files: str) -> dict[str, str]:
    """Writes files, and gives what they are after `--fallback compat`."""
    for name, text in files.items():
        (directory / f"{name}.py").write_text(textwrap.dedent(text))
    results = _results(directory)
    return {r.path.stem: r.new.decode() for r in results if r.changed}


_NETWORK = """\
    import tensorflow as tf
    def net(x):
      return tf.layers.dense(x, 2)
    """
_TRAIN = "import tensorflow as tf\nfrom network import net\n" + _REFUSED


def test_a_program_is_brought_whole(tmp_path: pathlib.Path) -> None:
    new = _tree(tmp_path, network=_NETWORK, train=_TRAIN)
    assert new["train"] == _START + "from network import net\n" + _REFUSED
    told = [f for r in _results(tmp_path) for f in r.findings if f.code == "T150"]
    assert len(told) == 2 and all("S108" in f.reason for f in told)
    # The module is loaded by the program, which has begun.
    assert new["network"] == textwrap.dedent(_NETWORK).replace(
        "import tensorflow as", "import tensorflow.compat.v1 as"
    )


def test_no_file_changes_where_one_cannot(tmp_path: pathlib.Path) -> None:
    lost = _NETWORK + "def f(x):\n      return tf.contrib.ffmpeg.decode_audio(x)\n"
    assert not _tree(tmp_path, network=lost, train=_TRAIN)
    results = _results(tmp_path)
    assert "T151" in {f.code for r in results for f in r.findings}
    assert not any(f.code == "T150" for r in results for f in r.findings)


def test_a_program_that_starts_in_a_file_without_tensorflow(
    tmp_path: pathlib.Path,
) -> None:
    new = _tree(
        tmp_path, main="import train\n", train="import tensorflow as tf\n" + _REFUSED
    )
    assert new["train"] == _START + _REFUSED


def test_what_migrates_is_left_to_the_migration(tmp_path: pathlib.Path) -> None:
    text = "import tensorflow as tf\nx = tf.random_uniform([2])\n"
    for fallback in ("", "compat"):
        (tmp_path / "one.py").write_text(text)
        (result,) = _results(tmp_path, Options(fallback=fallback))
        assert result.new.decode() == text.replace("random_uniform", "random.uniform")


def test_the_report_says_what_it_is_and_why(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("import tensorflow as tf\n" + _REFUSED)
    before = CliRunner().invoke(main, ["migrate", str(path)])
    done = CliRunner().invoke(
        main, ["migrate", str(path), "--fallback", "compat", "--write"]
    )
    # What was asked for is done; it is not called migrated.
    assert before.exit_code == 1 and done.exit_code == 0
    assert path.read_text() == _START + _REFUSED
    words = f"train.py: {Status.COMPAT.words}"
    assert words in done.output and words not in before.output
    assert "It is not yet tf.distribute, because of" in done.output
    assert "1 migrated" not in done.output
    CliRunner().invoke(main, ["migrate", str(path), "--fallback", "compat", "--write"])
    assert path.read_text() == _START + _REFUSED


def test_a_module_that_takes_tensorflow_from_another(tmp_path: pathlib.Path) -> None:
    taking = (
        "from common import tf\nlayers = tf.contrib.layers\ny = layers.flatten(3)\n"
    )
    new = _tree(
        tmp_path,
        common="import tensorflow as tf\n",
        taking=taking,
        train="import taking\n" + _TRAIN.replace("from network import net\n", ""),
    )
    assert new["common"] == "import tensorflow.compat.v1 as tf\n"
    assert new["taking"] == (
        "from common import tf\nimport contrib_layers\ny = contrib_layers.flatten(3)\n"
    )


def test_a_text_from_standard_input() -> None:
    text = "import tensorflow as tf\n" + _REFUSED
    done = CliRunner().invoke(main, ["migrate", "-", "--fallback", "compat"], text)
    assert done.stdout.startswith(_START + _REFUSED)


def test_a_helper_that_stays_as_it_is_may_be_of_two_programs(
    tmp_path: pathlib.Path,
) -> None:
    """One that would change may not: the other program has no graph mode."""
    files = {
        "names": '"""Names of tensorflow\'s jobs."""\nPS = "ps"\n',
        "train": "import names\nimport tensorflow as tf\n" + _REFUSED,
        "other": "import names\nimport tensorflow as tf\ntf.random_uniform([2])\n",
    }
    assert _tree(tmp_path, **files)["train"].startswith("import os\n")
    names = files["names"] + "import tensorflow as tf\nX = tf.float32\n"
    assert "train" not in _tree(tmp_path, **{**files, "names": names})
    told = [f for r in _results(tmp_path) for f in r.findings if f.code == "T151"]
    assert "other.py, which is of another program" in told[0].reason


# -- gates -----------------------------------------------------------------------------


def test_an_effect_that_is_otherwise_leaves_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "import tensorflow as tf\nprint('begin')\nprint('end')\n"
    assert not _brought(text).findings

    def swapping(new: str, own: Collection[str], keras_2: bool) -> str:
        return begin_in_graph_mode(new, own).replace(
            "print('begin')\nprint('end')\n", "print('end')\nprint('begin')\n"
        )

    monkeypatch.setattr(module, "begin_in_graph_mode", swapping)
    found = _brought(text)
    assert found.text == text
    assert {f.code for f in found.findings} == {"G007"}
    assert {f.line for f in found.findings} == {2}


def test_a_call_that_no_signature_takes_is_told_at_its_line() -> None:
    text = "import tensorflow as tf\nx = 1\ntf.train.MonitoredTrainingSession(clusters=x)\n"
    found = _brought(text)
    assert found.text == text
    (finding,) = found.findings
    assert (finding.line, finding.code) == (3, "T151")
    assert "takes no argument `clusters`" in finding.reason


def test_why_contrib_has_no_home_is_said_of_graph_mode() -> None:
    (finding,) = _brought(
        "import tensorflow as tf\ntf.contrib.rnn.GridLSTMCell(c)\n"
    ).findings
    assert "compat.v1 has" in finding.reason and "tf.nn.rnn_cell" in finding.recipe


@pytest.mark.parametrize(
    ("imported", "used"),
    (
        ("import tensorflow as tf", "tf.contrib.seq2seq"),
        ("from tensorflow.contrib import seq2seq", "seq2seq"),
        ("from tensorflow.contrib.seq2seq.python.ops import decoder", "decoder"),
    ),
)
def test_decoders_are_of_a_module_beside_the_program(imported: str, used: str) -> None:
    found = _brought(f"{imported}\nclass Own({used}.Decoder):\n    pass\n")
    assert not found.findings
    assert "class Own(graph_seq2seq.Decoder):" in found.text
    assert set(found.support) == set(emitted.list_files("graph_seq2seq"))


def test_a_private_name_of_decoders_is_told() -> None:
    module = "tensorflow.contrib.seq2seq.python.ops.attention_wrapper"
    (finding,) = _brought(
        f"from {module} import _luong_score\n_luong_score(q)\n"
    ).findings
    assert finding.line == 2 and "public names" in finding.reason


def test_hooks_of_tf_estimator_are_those_of_tf_train() -> None:
    text = "import tensorflow as tf\nh = tf.estimator.{}(last_step=3)\n"
    assert _module(text.format("StopAtStepHook")) == (
        "import tensorflow.compat.v1 as tf\nh = tf.train.StopAtStepHook(last_step=3)\n"
    )


def test_names_of_compat_v2_are_told_where_they_are_other_classes() -> None:
    text = "import tensorflow.compat.v2 as tf\nx = tf.zeros([1])\ntf.estimator.{}\n"
    (finding,) = _brought(text.format("LinearClassifier(c)")).findings
    assert finding.line == 3 and "in TensorFlow 2 this name" in finding.reason
    found = _brought(text.format("RunConfig()"))
    assert not found.findings and "graph_estimators.RunConfig()" in found.text


@pytest.mark.parametrize(
    ("before", "after"),
    (
        (
            "import tensorflow as tf\ne = tf.estimator.Estimator(f)\n",
            "import tensorflow.compat.v1 as tf\nimport graph_estimators\n"
            "e = graph_estimators.Estimator(f)\n",
        ),
        (
            "from tensorflow.estimator import RunConfig\nc = RunConfig()\n",
            "import graph_estimators\nc = graph_estimators.RunConfig()\n",
        ),
        (
            "import tensorflow as tf\nestimator = tf.estimator\n"
            "export = estimator.export.PredictOutput(f(estimator))\n",
            "import tensorflow.compat.v1 as tf\nimport graph_estimators\n"
            "export = graph_estimators.export.PredictOutput(f(graph_estimators))\n",
        ),
        (
            "from tensorflow.contrib import tpu\n"
            "w = tpu.InputPipelineConfig.PER_HOST_V2\no = tpu.CrossShardOptimizer(o)\n",
            "import tensorflow.compat.v1 as tf\nimport graph_estimators\n"
            "w = graph_estimators.tpu.InputPipelineConfig.PER_HOST_V2\n"
            "o = tf.tpu.CrossShardOptimizer(o)\n",
        ),
    ),
)
def test_estimators_are_the_package_s(before: str, after: str) -> None:
    assert _module(before) == after


def test_a_fetched_array_is_a_number_by_item_there_too() -> None:
    """NumPy 2.4 takes an array of one element for no number, in graph mode either."""
    shown = '  print("%f %f" % (sess.run(w), sess.run(b)))\n'
    variables = 'w = tf.get_variable("w", [1])\nb = tf.get_variable("b", [1])\n'
    text = f"import tensorflow as tf\n{variables}with tf.Session() as sess:\n{shown}"
    found = _brought(text)
    assert "(sess.run(w).item(), sess.run(b).item())" in found.text
    assert {f.code for f in found.findings} == {"D167"}
    assert not _brought(found.text).findings


_STRATEGY = """\
import os
import tensorflow as tf
{}
config = tf.estimator.RunConfig({})
"""
_MIRRORED = "train_distribute=tf.distribute.MirroredStrategy()"


@pytest.mark.parametrize(
    ("sets", "given", "outcome"),
    [
        ('os.environ["TF_CONFIG"] = text', _MIRRORED, Outcome.REFUSED),
        ('os.environ.update(TF_CONFIG="{}")', _MIRRORED, Outcome.REFUSED),
        ("", _MIRRORED, Outcome.WARNED),
        ('print(os.environ["TF_CONFIG"])', _MIRRORED, Outcome.WARNED),
        ("", "experimental_distribute=both", Outcome.WARNED),
        ('os.environ["TF_CONFIG"] = text', "train_distribute=None", None),
    ],
)
def test_a_strategy_over_several_tasks_is_told_at_its_line(
    sets: str, given: str, outcome: Outcome | None
) -> None:
    found = _brought(_STRATEGY.format(sets, given)).findings
    assert [f.outcome for f in found] == ([outcome] if outcome else [])
    assert all(f.line == 4 for f in found)


@pytest.mark.parametrize("name", ("AdaMaxOptimizer", "NadamOptimizer", "LARSOptimizer"))
def test_optimizers_that_assign_in_a_traced_step_are_told(name: str) -> None:
    """In a graph nothing would run a part of what they assign."""
    (finding,) = _brought(
        f"import tensorflow as tf\ntf.contrib.opt.{name}(r)\n"
    ).findings
    assert (finding.line, finding.code) == (2, "T151")
    assert "a part of the updates of this one would be missing" in finding.reason


@pytest.mark.parametrize(
    ("before", "after"),
    (
        ("tf.__version__ < '1.4'", "\"1.15.5\" < '1.4'"),
        ("'2' <= tf.VERSION", "'2' <= \"1.15.5\""),
        ("tf.version.VERSION.split('.')[0]", "\"1.15.5\".split('.')[0]"),
        ("tf.__version__[0]", '"1.15.5"[0]'),
        ("LooseVersion(tf.__version__)", 'LooseVersion("1.15.5")'),
        ("packaging.version.parse(tf.VERSION)", 'packaging.version.parse("1.15.5")'),
        # It is shown, not decided by.
        ("print(tf.__version__)", "print(tf.__version__)"),
        ("print('with %s' % tf.VERSION)", "print('with %s' % tf.VERSION)"),
    ),
)
def test_a_decision_by_the_version_is_tensorflow_1_s(before: str, after: str) -> None:
    """compat.v1's arguments are TensorFlow 1's: `tf.nn.dropout(x, 0.1)` keeps a tenth."""
    found = _brought(f"import tensorflow as tf\nx = {before}\n", starts=False)
    assert found.text == f"import tensorflow.compat.v1 as tf\nx = {after}\n"
    told = [(f.line, f.code, f.outcome) for f in found.findings]
    assert told == ([(2, "T150", Outcome.REWRITTEN)] if before != after else [])


def test_a_program_named_for_tensorflow_2_decides_by_its_own_version() -> None:
    text = "import tensorflow as tf\nx = tf.__version__ < '2'\ntf.compat.v1.Session()\n"
    found = _brought(text, named_for_2=True, starts=False)
    assert not found.findings and found.text == text


@pytest.mark.parametrize(
    ("before", "after"),
    (
        (
            'tf.data.experimental if hasattr(tf.data, "experimental") else tf.contrib.data',
            "tf.data.experimental",
        ),
        (
            'hasattr(tf.data, "experimental") or hasattr(tf.contrib.data, "AUTOTUNE")',
            'hasattr(tf.data, "experimental")',
        ),
    ),
)
def test_what_hasattr_never_lets_run_is_left_out(before: str, after: str) -> None:
    text = f"import tensorflow as tf\ndef f():\n    return {before}\n"
    assert _module(text) == (
        f"import tensorflow.compat.v1 as tf\ndef f():\n    return {after}\n"
    )


@pytest.mark.parametrize(
    "text",
    (
        'x = tf.data.experimental if hasattr(tf.data, "nothing") else tf.contrib.data',
        'x = hasattr(tf.data, "experimental") and tf.contrib.data',
        'hasattr = f\nx = hasattr(tf.data, "experimental") or tf.contrib.data',
        "x = tf.data if hasattr(tf.data, name) else tf.contrib.data",
    ),
)
def test_what_may_run_is_refused(text: str) -> None:
    found = _brought(f"import tensorflow as tf\n{text}\n")
    assert "tf.contrib.data" in {f.symbol for f in found.findings if f.code == "T151"}


def test_a_name_that_the_user_gives_is_looked_up_in_a_module_of_ours() -> None:
    text = "import tensorflow as tf\nx = getattr(tf.contrib.opt, name, None)\n"
    found = _brought(text, starts=False)
    assert "x = getattr(graph_optimizers, name, None)" in found.text
    (finding,) = found.findings
    assert (finding.line, finding.code) == (2, "T115")
    assert finding.outcome is Outcome.WARNED
    assert "LazyAdamOptimizer" in finding.reason


@pytest.mark.parametrize(
    "use",
    (
        "f(tf.contrib.opt)",
        "dir(tf.contrib.opt)",
        "hasattr(tf.contrib.opt, name)",
        "getattr(x, tf.contrib.opt)",
        "getattr(tf.contrib.rnn, name)",
    ),
)
def test_a_module_that_is_handed_on_otherwise_is_refused(use: str) -> None:
    found = _brought(f"import tensorflow as tf\n{use}\n")
    assert {f.code for f in found.findings} == {"T151"}


def test_an_argument_that_keras_2_has_by_its_old_name() -> None:
    text = "import tensorflow as tf\nx = tf.keras.regularizers.l1(l=0.1)\n"
    assert "tf.keras.regularizers.l1(l=0.1)" in _module(text)
    wrong = _brought(text.replace("(l=", "_l2(k=")).findings
    assert [(f.line, f.code) for f in wrong] == [(2, "T151")]


_PROBABILITY = "import tensorflow_probability as tfp\n"


def test_tensorflow_probability_has_no_keras_2_in_its_process(
    tmp_path: pathlib.Path,
) -> None:
    """It looks for a module of Keras 2 that TensorFlow 2.16 and later do not have."""
    network = "import tensorflow as tf\ndef net(x):\n  return tf.square(x)\n"
    new = _tree(tmp_path, network=network, train=_PROBABILITY + _TRAIN)
    assert "disable_v2_behavior" in new["train"]
    assert "TF_USE_LEGACY_KERAS" not in new["train"]


@pytest.mark.parametrize("used", ["layers.dense(x, 2)", "estimator.DNNClassifier(x)"])
@pytest.mark.parametrize(
    ("taken", "refused"),
    [("NORMAL = tfp.distributions.Normal\n", True), ("def f():\n  tfp.math\n", False)],
)
def test_tensorflow_probability_beside_keras_2(
    taken: str, refused: bool, used: str, tmp_path: pathlib.Path
) -> None:
    """It loads when it is used: what only functions use is told."""
    network = f"import tensorflow as tf\ndef net(x):\n  return tf.{used}\n"
    train = _PROBABILITY + taken + _TRAIN
    new = _tree(tmp_path, network=network, train=train)
    assert bool(new) is not refused
    found = [f for r in _results(tmp_path) for f in r.findings if f.code == "T151"]
    (finding,) = found
    assert finding.outcome is (Outcome.REFUSED if refused else Outcome.WARNED)
    assert finding.line == 1 and "TensorFlow Probability" in finding.reason
    assert f"tf.{used.partition('(')[0]}" in finding.reason
