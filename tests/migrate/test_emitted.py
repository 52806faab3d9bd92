"""Checks which files are recognised as ours: by their text, and not by their names."""

from __future__ import annotations

import pathlib

import pytest

from migrate import emitted, pipeline
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.options import Options

MODULES = sorted(emitted.list_modules())
REST = "import tensorflow as tf\n\nprint(tf.log(1.0))\n"
# How a program may bind the name `M`, which is one of our modules'. Nothing of it is ours.
BINDINGS = {
    "contrib": "from tensorflow.contrib import layers as M\n",
    "another module": "import os as M\n",
    "of a package": "from mine import M\n",
    "below a package": "import mine.M\n",
    "not there": "import M\n",
    "a value": "M = 1\n",
    "a session": "import io\n\nwith io.StringIO() as M:\n    pass\n",
    "a function": "def M():\n    pass\n",
    "a class": "class M:\n    pass\n",
    "a parameter": "def f(M):\n    return M\n",
    "a loop": "for M in ():\n    pass\n",
    "an error": "try:\n    pass\nexcept OSError as M:\n    pass\n",
}
OTHERS = '"""A module of the user\'s own."""\n\nVALUE = 1\n'


def result(directory: pathlib.Path, text: str) -> pipeline.FileResult:
    path = directory / "program.py"
    path.write_text(text)
    return pipeline.migrate_bytes(path, path.read_bytes(), Options())


@pytest.mark.parametrize("module", MODULES)
def test_a_name_that_a_module_of_ours_has_too_skips_no_file(
    module: str, tmp_path: pathlib.Path
) -> None:
    for how, binding in BINDINGS.items():
        found = result(tmp_path, binding.replace("M", module) + REST)
        assert b"tf.math.log" in found.new, how
        assert not found.failed, how


@pytest.mark.parametrize("module", MODULES)
def test_a_module_of_the_users_own_skips_no_file(
    module: str, tmp_path: pathlib.Path
) -> None:
    (tmp_path / f"{module}.py").write_text(OTHERS)
    found = result(tmp_path, f"import {module}\n" + REST)
    assert b"tf.math.log" in found.new
    # Nor is the module's own file taken for ours.
    path = tmp_path / f"{module}.py"
    assert not emitted.is_emitted(path, path.read_bytes())


@pytest.mark.parametrize("name", sorted(emitted.list_names()))
def test_what_we_wrote_is_ours(name: str, tmp_path: pathlib.Path) -> None:
    emitted.write(emitted.list_files(emitted.find_module(name)), tmp_path)
    path = tmp_path / name
    assert emitted.is_emitted(path, path.read_bytes())


@pytest.mark.parametrize("module", MODULES)
def test_a_module_of_ours_stays_ours_when_its_user_changes_it(
    module: str, tmp_path: pathlib.Path
) -> None:
    emitted.write(emitted.list_files(module), tmp_path)
    for path in tmp_path.rglob(
        "__init__.py" if len(emitted.list_files(module)) > 1 else "*"
    ):
        path.write_bytes(path.read_bytes() + b"\nMINE = 1\n")
        assert emitted.is_emitted(path, path.read_bytes())
        assert not emitted.is_emitted(path.with_name("other.py"), path.read_bytes())
    assert emitted.find_emitted_in_reach(
        tmp_path / "program.py", f"import {module}"
    ) == {module}
    below = tmp_path / "package" / "program.py"
    assert emitted.find_emitted_in_reach(below, f"import {module}") == {module}


def test_a_result_beside_its_modules_is_not_migrated_again(
    tmp_path: pathlib.Path,
) -> None:
    """The same text beside a module of the user's own is a program like any other."""
    # A second pass would change this one: that is how one sees whether there was one.
    text = "import estimator_loop\n" + REST
    emitted.write(emitted.list_files("estimator_loop"), tmp_path)
    assert not result(tmp_path, text).changed
    for path in (tmp_path / "estimator_loop").iterdir():
        path.write_text(OTHERS)
    assert result(tmp_path, text).changed


SESSION = """\
import tensorflow as tf

{binding}
x = tf.placeholder(tf.float32, [None, 3])
loss = tf.reduce_sum(tf.layers.dense(x, 2))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([loss, train], {{x: [[1.0, 2.0, 3.0]]}}))
"""


@pytest.mark.parametrize(
    "binding",
    [
        "plain_session = 3",
        "for plain_session in range(3):\n    pass",
        "import os as plain_session",
        "def plain_session():\n    pass",
    ],
)
def test_a_name_that_the_result_needs_is_not_read_as_another(binding: str) -> None:
    """`plain_session = 3` made `plain_session.Session(...)` a call of an integer."""
    found = migrate_text(SESSION.format(binding=binding))
    refused = {f.code for f in found.findings if f.outcome is Outcome.REFUSED}
    assert refused == {"N111", "N100"}
    assert "plain_session.Session" not in found.text


def test_a_parameter_of_a_function_takes_no_name_from_the_rest() -> None:
    binding = "def shown(plain_session):\n    print(plain_session)\n"
    found = migrate_text(SESSION.format(binding=binding))
    assert "plain_session.Session" in found.text


def test_an_import_of_contrib_gives_its_name_to_the_module_written_for_it() -> None:
    text = SESSION.format(
        binding="from tensorflow.contrib import layers as contrib_layers"
    ).replace("tf.layers.dense", "contrib_layers.fully_connected")
    found = migrate_text(text)
    assert "import contrib_layers\n" in found.text
    assert "tensorflow.contrib" not in found.text
    assert "contrib_layers/__init__.py" in found.support
