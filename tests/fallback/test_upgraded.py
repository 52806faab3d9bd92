"""Checks that the tool reads the output of TensorFlow 2.21's own tf_upgrade_v2.

It is the usual starting point: `tf.compat.v1.*` in place of TensorFlow 1's names, and
TensorFlow 2's names for objects that are the same in both (`tf.distribute.Server`).
"""

from __future__ import annotations

import ast
import json
import pathlib
import sys

import pytest

from migrate.compiler import migrate_text
from migrate.facts import modules
from migrate.findings import Outcome
from migrate.migration import Migration
from migrate.tables import roles
from reference import processes, runner
from tests import ledger

ROOT = pathlib.Path(__file__).parents[2]
PROGRAMS = sorted(
    [
        *(ROOT / "tests" / "programs" / "clustered").glob("*.py"),
        *(ROOT / "tests" / "programs" / "alone").glob("[!_r]*.py"),
        *ROOT.glob("reference/*/tf1.py"),
    ]
)
NAMES = [str(p.relative_to(ROOT)) for p in PROGRAMS]
ALREADY = {
    f"tests/programs/clustered/{name}.py"
    for name in ("compat_v1_import", "iterator_scope_partitioner")
}
# Programs that are migrated as well, but not to the same text: why.
OTHERWISE = {
    "tests/programs/clustered/class_layers_loop.py": "tf.cast gets dtype by its name",
    "tests/programs/clustered/slim_replicated.py": "a penalty of contrib is Keras's",
    "tests/programs/clustered/mnist_contrib_epochs.py": "labels get a stop_gradient",
    "reference/estimator_classifier/tf1.py": "a penalty of contrib is Keras's, which is "
    "told (K110): the model_fn stays one",
}
_UPGRADE = """\
import io, json, pathlib, sys
from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2
out = pathlib.Path(sys.argv[1])
for number, name in enumerate(sys.argv[2:]):
    upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec())
    new = io.StringIO()
    upgrader.process_opened_file(name, open(name), name, new)
    (out / ("%d.py" % number)).write_text(new.getvalue())
renames = tf_upgrade_v2.TFAPIChangeSpec().symbol_renames
(out / "renames.json").write_text(json.dumps(renames))
"""


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Runs tf_upgrade_v2 on each program; returns the directory of its results."""
    out = tmp_path_factory.mktemp("upgraded")
    script = out / "upgrade.py"
    script.write_text(_UPGRADE)
    processes.run_tasks(
        sys.executable,
        script,
        [str(out), *map(str, PROGRAMS)],
        out / "logs",
        ps=0,
        workers=1,
        environment=runner.ENVIRONMENT,
        timeout=600,
        command_line=lambda *task: [],
    )
    return out


def _text(upgraded: pathlib.Path, number: int) -> str:
    """Returns tf_upgrade_v2's text of a program."""
    return (upgraded / f"{number}.py").read_text()


def _refused(found: Migration) -> set[str]:
    loud = (Outcome.REFUSED, Outcome.FAILED)
    return {f.code for f in found.findings if f.outcome in loud}


@pytest.mark.parametrize("name", NAMES)
def test_the_upgraded_program_migrates_to_the_same(
    upgraded: pathlib.Path, name: str
) -> None:
    ledger.rests_on(ledger.COMPILER)
    path = ROOT / name
    text = _text(upgraded, NAMES.index(name))
    # It leaves a program that imports compat.v1 as `tf` as it is.
    assert ("tf.compat.v1." in text) is (name not in ALREADY)
    one = migrate_text(path.read_text(), filename=str(path))
    other = migrate_text(text, filename=str(path))
    assert _refused(one) == _refused(other)
    # tf_upgrade_v2 writes arguments' names, parentheses and stop_gradient of its own.
    if not _refused(one) and "alone" not in name:
        same = _spelled(one.text) == _spelled(other.text)
        assert same is (name not in OTHERWISE)


def _spelled(text: str) -> str:
    """A text without its lines' breaks and its parentheses."""
    return ast.dump(ast.parse(text))


def _role(symbol: str) -> tuple[object, bool]:
    """Returns a symbol's kind for binding time, and whether it is of the host."""
    name = modules.make_canonical("tensorflow" + symbol.removeprefix("tf")) or symbol
    host = roles.has_prefix(name, roles.HOST_PREFIXES)
    return roles.KIND_OF_CALL.get(name), host


def test_a_name_that_it_gives_has_the_role_of_the_old_one(
    upgraded: pathlib.Path,
) -> None:
    ledger.rests_on(ledger.COMPILER)
    renames = json.loads((upgraded / "renames.json").read_text())
    gone = {
        old
        for old, new in renames.items()
        if old.startswith("tf.") and _role(old) not in ((None, False), _role(new))
    }
    # A server may be of a program of TensorFlow 2; this one of the host makes a tensor.
    assert gone == {"tf.train.Server", "tf.dtypes.as_string"}
    assert renames["tf.gfile.Exists"] == "tf.io.gfile.exists"


def test_a_supervisor_is_not_taken_for_code_of_tensorflow_2(
    upgraded: pathlib.Path,
) -> None:
    ledger.rests_on(ledger.COMPILER)
    path = ROOT / "tests" / "programs" / "clustered" / "supervised_loop.py"
    text = _text(upgraded, PROGRAMS.index(path))
    assert migrate_text(text).text != text
    # With a name that TensorFlow 1 has not, it would be.
    assert "tf.compat.v1.train.Supervisor" in text
