"""Functions that return a module of contrib return a namespace in graph mode."""

from __future__ import annotations

import pathlib
import textwrap

import pytest
from click.testing import CliRunner

from migrate.cli import main
from migrate.fallback.module import Part, bring_to_compat
from migrate.fallback.returned_modules import find_returned_modules
from migrate.findings import Outcome
from migrate.migration import Migration
from migrate.options import Options

CONTRIB = """\
import tensorflow.compat.v1 as tf
try:
  from tensorflow.contrib import slim as tf_slim
except ImportError:
  import tf_slim
def slim():
  return tf_slim
def rnn():
  from tensorflow.contrib import rnn as contrib_rnn
  return contrib_rnn
def eager():
  from tensorflow.contrib.eager.python import tfe
  return tfe
"""


def _bring(own: str, use: str) -> tuple[Migration, Migration]:
    """A file of functions, and one that calls them."""
    here = pathlib.Path("/nowhere/package")
    texts = {here / "contrib.py": own, here / "use.py": use}
    part = Part(starts=False, returned=find_returned_modules(texts))
    first, second = (
        bring_to_compat(text, Options(), str(path), part)
        for path, text in texts.items()
    )
    return first, second


def test_the_namespace_has_what_other_files_use() -> None:
    own, use = _bring(
        CONTRIB,
        "from package import contrib\n"
        "from package.contrib import rnn as cells\n"
        "a = contrib.slim().tfexample_decoder.Tensor('a')\n"
        "b = contrib.slim().flatten(x).shape\n"
        "c = contrib.rnn().BasicRNNCell(3)\n",
    )
    assert not use.findings
    assert own.text == textwrap.dedent(
        """\
        import tensorflow.compat.v1 as tf
        import types
        import contrib_layers
        import slim_decoders
        try:
          pass
        except ImportError:
          import tf_slim
        def slim():
          return types.SimpleNamespace(flatten=contrib_layers.flatten, \
tfexample_decoder=types.SimpleNamespace(Tensor=slim_decoders.Tensor))
        def rnn():
          return types.SimpleNamespace(BasicRNNCell=tf.nn.rnn_cell.BasicRNNCell)
        def eager():
          return types.SimpleNamespace()
        """
    )
    told = [(f.line, f.code, f.outcome, f.symbol) for f in own.findings]
    assert told == [
        (7, "T115", Outcome.WARNED, "tf.contrib.slim"),
        (10, "T115", Outcome.WARNED, "tf.contrib.rnn"),
        (13, "T115", Outcome.WARNED, "tf.contrib.eager"),
    ]
    assert "flatten, tfexample_decoder.Tensor" in own.findings[0].reason
    assert own.findings[2].reason.endswith("no name, because the program uses none")


@pytest.mark.parametrize(
    ("use", "symbol", "reason"),
    (
        (
            "contrib.rnn().NASCell(3)",
            "tf.contrib.rnn.NASCell",
            "only contrib had this cell",
        ),
        (
            "contrib.slim().sparse_feature_cross()",
            "tf.contrib.slim.sparse_feature_cross",
            "compat.v1 does not have it",
        ),
        ("contrib.eager().Saver(d)", "tf.contrib.eager.Saver", "this part of contrib"),
        ("contrib.slim()", "tf.contrib.slim", "does not show which"),
        ("f(contrib.rnn())", "tf.contrib.rnn", "does not show which"),
        ("getattr(contrib.rnn(), n)", "tf.contrib.rnn", "does not show which"),
        # compat.v1 has it with other arguments.
        (
            "contrib.summary().scalar('a', b)",
            "tf.contrib.summary.scalar",
            "other arguments",
        ),
    ),
)
def test_a_name_without_a_home_is_refused_where_it_is_used(
    use: str, symbol: str, reason: str
) -> None:
    own = f"{CONTRIB}def summary():\n  return tf.contrib.summary\n"
    first, found = _bring(own, f"from package import contrib\n\nx = {use}\n")
    (finding,) = found.findings
    assert (finding.line, finding.code, finding.symbol) == (3, "T151", symbol)
    assert reason in finding.reason
    assert {f.code for f in first.findings} == {"T115"}


def test_another_module_of_the_same_function_is_none_of_them() -> None:
    _, use = _bring(
        CONTRIB, "from elsewhere import contrib\nx = contrib.rnn().NASCell\n"
    )
    assert not use.findings
    _, use = _bring(CONTRIB, "def rnn():\n  return 1\nx = rnn().NASCell\n")
    assert not use.findings


@pytest.mark.parametrize(
    "own",
    (
        "class A:\n  def rnn(self):\n    return tf.contrib.rnn\n",
        "def f():\n  def rnn():\n    return tf.contrib.rnn\n  return rnn\n",
        "def rnn():\n  return [tf.contrib.rnn]\n",
        "async def rnn():\n  return tf.contrib.rnn\n",
    ),
)
def test_a_module_that_goes_another_way_is_refused(own: str) -> None:
    first, _ = _bring(f"import tensorflow as tf\n{own}", "")
    assert {f.code for f in first.findings} == {"T151"}


def test_a_file_that_names_compat_v1_and_starts_the_program_comes_with_it(
    tmp_path: pathlib.Path,
) -> None:
    """Nothing of it is to be told; it and the library share a helper that names TensorFlow."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "contrib.py").write_text(CONTRIB)
    v1 = "import tensorflow.compat.v1 as tf\n"
    (package / "shared.py").write_text(
        f"{v1}def files(x):\n  return tf.gfile.Glob(x)\n"
    )
    (package / "library.py").write_text(
        f"{v1}from package import contrib, shared\n"
        "def build(x):\n  shared.files('y')\n  return contrib.slim().flatten(x)\n"
    )
    (package / "start.py").write_text(
        f"{v1}from package import library, shared\n"
        "if __name__ == '__main__':\n  shared.files('x')\n  tf.app.run(library.build)\n"
    )
    done = CliRunner().invoke(
        main, ["migrate", str(tmp_path), "--write", "--fallback", "compat"]
    )
    assert "programs: 1 runs through compat.v1" in done.output
    assert "SimpleNamespace(flatten" in (package / "contrib.py").read_text()
    assert "disable_v2_behavior" in (package / "start.py").read_text()


def test_a_module_without_a_home_is_what_the_handler_imports() -> None:
    text = textwrap.dedent(
        """\
        import tensorflow.compat.v1 as tf
        try:
          from tensorflow.contrib.tensorboard.plugins import projector
        except ImportError:
          from tensorboard.plugins import projector
        config = projector.ProjectorConfig()
        """
    )
    done = bring_to_compat(text, Options(), "/nowhere/use.py", Part(starts=False))
    assert not [f for f in done.findings if f.blocks]
    assert "projector.ProjectorConfig()" in done.text
    slim = text.replace("tensorboard.plugins import projector", "slim import layers")
    done = bring_to_compat(
        slim.replace("projector.ProjectorConfig", "layers.convolve"),
        Options(),
        "/nowhere/use.py",
        Part(starts=False),
    )
    assert [f.code for f in done.findings if f.blocks] == ["T151"]
