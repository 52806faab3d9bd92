"""Private modules of TensorFlow lead to public names, by what TensorFlow 1.15.5 has."""

from __future__ import annotations

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.facts.modules import make_canonical
from migrate.findings import Outcome
from migrate.tables import messages, not_public, private_names, symbols
from reference import private_names as generator
from reference.environment import find_tf1
from tests import ledger


@pytest.mark.parametrize(
    ("path", "symbol"),
    [
        ("python.ops.array_ops.zeros", "tf.zeros"),
        ("python.framework.ops.Graph.as_default", "tf.Graph.as_default"),
        # Only V2's is in that file; TF1's own takes its arguments, and the old ones.
        ("python.ops.math_ops.reduce_sum", "tf.reduce_sum"),
        # Under another name.
        ("python.ops.gradients_impl.gradients", "tf.gradients"),
        ("python.ops.math_ops.reduce_sum_v1", "tf.reduce_sum"),
        ("python.training.session_run_hook.SessionRunHook", "tf.train.SessionRunHook"),
        ("python.util.nest", "tf.nest"),
        ("python.ops.rnn_cell.LSTMCell", "tf.nn.rnn_cell.LSTMCell"),
        ("python.framework.ops.colocate_with", "tf.colocate_with"),
        ("python.client.device_lib.list_local_devices", None),
        ("contrib.layers.python.layers.layers.conv2d", "tf.contrib.layers.conv2d"),
        ("contrib.lookup.lookup_ops.HashTable", "tf.contrib.lookup.HashTable"),
        # A number, which no identity leads to.
        ("python.platform.tf_logging.INFO", "tf.logging.INFO"),
    ],
)
def test_public_name(path: str, symbol: str | None) -> None:
    assert make_canonical(f"tensorflow.{path}") == (symbol or f"tf.{path}")


def test_rows_are_public_names() -> None:
    known = {*symbols.list_symbols(), *symbols.list_modules()}
    for module in private_names.list_modules():
        for symbol in private_names._read_names(module).values():
            assert symbol in known or symbol.startswith("tf.compat.v2."), module


def test_protocol_buffers_of_both_are_kept() -> None:
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.core.framework import summary_pb2\n"
        "from tensorflow.core.protobuf import rewriter_config_pb2\n"
        "off = rewriter_config_pb2.RewriterConfig.OFF\n"
        "config = tf.ConfigProto()\n"
        "config.graph_options.rewrite_options.constant_folding = off\n"
        "value = summary_pb2.Summary.Value(tag='rate', simple_value=1.0)\n"
    )
    migration = migrate_text(text)
    assert migration.text == text.replace("tf.Config", "tf.compat.v1.Config")
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    gone = "from tensorflow.core.protobuf import config_pb2\nconfig_pb2.RPCOptions()\n"
    codes = {f.code for f in migrate_text(f"import tensorflow as tf\n{gone}").findings}
    assert "T111" in codes


def test_protocol_buffers_are_where_the_table_says() -> None:
    files = {f"{m.removeprefix('tf.').replace('.', '/')}.py" for m in messages.MODULES}
    spec = importlib.util.find_spec("tensorflow")
    assert spec is not None and spec.origin is not None
    here = pathlib.Path(spec.origin).parent
    assert not [name for name in files if not (here / name).is_file()]
    python = find_tf1()
    if python is None:
        pytest.skip("no TensorFlow 1.15.5 on this machine")
    (there,) = pathlib.Path(python).parent.parent.glob("lib/*/site-packages/")
    assert not [n for n in files if not (there / "tensorflow_core" / n).is_file()]


def test_what_is_imported_privately_is_migrated() -> None:
    text = (
        "from tensorflow.python.ops import math_ops\n"
        "from tensorflow.python.platform import gfile\n"
        "y = math_ops.reduce_sum(x, keep_dims=True)\n"
        "gfile.MakeDirs(path)\n"
    )
    new = migrate_text(text).text
    assert "tf.reduce_sum(x, keepdims=True)" in new
    assert "tf.io.gfile.makedirs(path)" in new
    assert "import tensorflow as tf" in new
    assert "tensorflow.python" not in new


def test_levels_of_the_log_are_found() -> None:
    """As trainers take them from a flag: by name, from a dict, of the private module."""
    text = (
        "import os\nimport tensorflow as tf\n"
        "from tensorflow.python.platform import tf_logging as logging\n"
        "logging.set_verbosity(logging.INFO)\n"
        "os.environ['LEVEL'] = str(tf.logging.__dict__['WARN'] / 10)\n"
    )
    migration = migrate_text(text)
    assert "tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.INFO)" in (
        migration.text
    )
    assert migrate_text(migration.text).text == migration.text
    names: dict[str, object] = {}
    exec(migration.text, names)  # noqa: N101
    environment = names["os"].environ  # type: ignore[attr-defined]
    assert environment.pop("LEVEL") == "3.0"


def test_recipes_name_what_exists() -> None:
    for recipe in not_public.INSTEAD.values():
        for name in re.findall(r"\btf(?:_keras)?(?:\.\w+)+", recipe):
            assert symbols.exists_in_target(name), name


def test_what_is_not_public_is_refused() -> None:
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.python.client import timeline\n"
        "x = timeline.no_such_name()\n"
    )
    (finding,) = [
        f for f in migrate_text(text).findings if f.outcome.value == "refused"
    ]
    assert (finding.code, finding.line) == ("T111", 3)
    assert "private" in finding.reason


def test_what_is_private_and_still_there_is_kept_and_named() -> None:
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.python.client import device_lib\n"
        "x = tf.log(float(len(device_lib.list_local_devices())))\n"
    )
    result = migrate_text(text)
    (finding,) = [f for f in result.findings if f.code == "T117"]
    assert (finding.outcome.value, finding.line) == ("kept", 3)
    assert result.text == text.replace("tf.log", "tf.math.log")


@pytest.mark.rests_on(ledger.COMPILER)
@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_the_table_is_that_of_tensorflow() -> None:
    pytest.importorskip("tensorflow")
    text = generator.generate(str(find_tf1()), sys.executable)
    table = generator.pathlib.Path(private_names.__file__).with_name(generator.TABLE)
    assert text == table.read_text("utf-8")


def test_names_of_tensorflow_2_alone_are_kept() -> None:
    """In a program that is started on both versions."""
    migration = migrate_text(
        "import sys\nimport tensorflow as tf\n"
        "if '--modern' in sys.argv:\n"
        "    tf.config.list_physical_devices('CPU')\n"
        "    tf.config.no_such_function()\n"
        "tf.logging.info('x')\n"
    )
    refused = [f.symbol for f in migration.findings if f.code == "T111"]
    assert refused == ["tf.config.no_such_function"]


_COMPARE_KERAS = """
import types
import tensorflow as tf

def compare(one, other, path, above):
    for name in dir(one):
        value = getattr(one, name)
        if name.startswith("_") or name == "api":
            continue
        if not isinstance(value, types.ModuleType):
            print(value is getattr(other, name, None), path + name)
        elif "keras" in value.__name__ and value.__name__ not in above:
            compare(value, getattr(other, name), path + name + ".", above | {value.__name__})

compare(tf.contrib.keras, tf.keras, "tf.contrib.keras.", frozenset())
"""


@pytest.mark.rests_on(ledger.COMPILER)
@pytest.mark.skipif(find_tf1() is None, reason="no interpreter with TensorFlow 1.15.5")
def test_keras_of_contrib_is_keras() -> None:
    """Each name is one of tf.keras, but for those that the table has."""
    done = subprocess.run(
        [str(find_tf1()), "-c", _COMPARE_KERAS],
        capture_output=True,
        text=True,
        check=True,
    )
    own: set[str] = set()
    for line in done.stdout.splitlines():
        same, _, name = line.partition(" ")
        first = make_canonical("tensorflow" + name.removeprefix("tf"))
        if same == "True":
            assert first == name.replace("contrib.keras", "keras", 1)
        else:
            own.add(name)
            assert first == name
    assert len(own) == 11
