"""No name of TensorFlow stays that 2.21 lacks, and no call that it cannot take, untold."""

from __future__ import annotations

import pathlib

import pytest

from migrate import pipeline
from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.options import Options
from tests import ledger
from tests.corpus import accounting

ROOT = pathlib.Path(__file__).parents[3]
HEAD = "import tensorflow as tf\n"
# In a file that is no TensorFlow 1 by anything else, too.
GONE = {
    "of Keras": "m = tf.keras.utils.multi_gpu_model(m, gpus=2)\n",
    "of Keras's experiments": "tf.keras.experimental.export_saved_model(m, 'x')\n",
    "by an import": "from tensorflow.keras.utils import multi_gpu_model\n",
    "by an import, used": "from tensorflow.keras.utils import multi_gpu_model\n"
    "m = multi_gpu_model(m)\n",
    "of TensorFlow 2.0": "tf.keras.experimental.PeepholeLSTMCells(3)\n",
    "never there": "tf.data.Datasets.range(3)\n",
}
MISFITS = {
    "too few": "tf.matmul(x)\n",
    "unknown": "tf.matmul(x, x, transposed=True)\n",
    "too many": "tf.stack([x], 0, 'n', 4)\n",
    "in a file of TensorFlow 1": "y = tf.log(1.0)\nz = tf.matmul(y)\n",
    "of compat.v1": "y = tf.log(1.0)\nz = tf.compat.v1.log(1.0, 2, 3)\n",
}
REFUSED = """\
x = tf.placeholder(tf.float32, [None, 3])
names = tf.train.string_input_producer(["a"])
f = tf.keras.utils.multi_gpu_model
loss = tf.reduce_sum(x)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
print(sess.run(loss), sess.partial_run(1))
"""


def told(text: str, *codes: str) -> list[Finding]:
    found = migrate_text(text).findings
    assert not any(f.outcome is Outcome.FAILED for f in found)
    return [f for f in found if f.code in codes and f.outcome is Outcome.REFUSED]


@pytest.mark.parametrize("name", GONE)
@pytest.mark.parametrize("more", ["", "y = tf.log(1.0)\n"])
def test_a_name_that_is_gone_is_told(name: str, more: str) -> None:
    lines = GONE[name].splitlines()
    found = told(HEAD + more + GONE[name], "T111", "T111", "T111")
    if name == "by an import" and more:
        # Nothing reads it, and the file is migrated: the import is dropped.
        assert "multi_gpu_model" not in migrate_text(HEAD + more + GONE[name]).text
        return
    assert len(found) == 1 or name == "by an import, used"
    there = len((HEAD + more).splitlines())
    assert {f.line for f in found} <= set(range(there + 1, there + len(lines) + 1))


@pytest.mark.parametrize("name", MISFITS)
def test_a_call_that_cannot_be_made_is_told(name: str) -> None:
    text = HEAD + MISFITS[name]
    (found,) = told(text, "T121")
    assert found.line == len(text.splitlines())


def test_what_fits_is_not_told() -> None:
    text = HEAD + "tf.matmul(x, x, transpose_b=True)\ntf.keras.layers.Dense(3)\n"
    assert not migrate_text(text).findings


def test_what_keras_2_alone_has_is_told_and_kept() -> None:
    found = migrate_text(HEAD + "tf.keras.backend.learning_phase()\n").findings
    assert [(f.code, f.outcome) for f in found] == [("T113", Outcome.KEPT)]


def test_in_a_refused_program_every_name_is_told() -> None:
    text = HEAD + REFUSED
    found = migrate_text(text)
    assert any(f.code == "N100" for f in found.findings)
    lines = {f.line for f in found.findings if f.outcome is Outcome.REFUSED}
    assert lines >= {2, 3, 4, 6, 7}
    spelled = accounting.unaccounted(text, found.text, lines, set())
    assert not spelled


# -- the suite, judged without the compiler's own eyes ----------------------------------


def folders() -> list[pathlib.Path]:
    found = {p.parent for p in (ROOT / "tests" / "programs").rglob("*.py")}
    found |= {p.parent for p in (ROOT / "reference").rglob("tf1*.py")}
    return sorted(found)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("folder", folders(), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_suite_is_closed(folder: pathlib.Path) -> None:
    """Each file by itself; those of programs beside each other are told so elsewhere."""
    ledger.rests_on(ledger.COMPILER)
    missing: list[str] = []
    for path in sorted(folder.glob("*.py")):
        data = path.read_bytes()
        if b"tensorflow" not in data:
            continue
        result = pipeline.migrate_bytes(path, data, Options())
        missing += [f"{path.name}:{line}" for line in untold(result, data)]
    assert not missing


@pytest.mark.parametrize(
    "call",
    ['tf.saved_model.load("d")', "tf.image.resize(x, [2, 2], antialias=True)"],
)
def test_a_call_that_only_tensorflow_2_takes_is_its_own(call: str) -> None:
    """In a file of TensorFlow 1; what both take is TensorFlow 1's."""
    text = f"{HEAD}tf.logging.info('a')\n{call}\n"
    done = migrate_text(text)
    assert f"\n{call}\n" in done.text
    assert not [f for f in done.findings if f.outcome is Outcome.REFUSED]
    loads = 'tf.saved_model.load(sess, ["serve"], "d")'
    done = migrate_text(f"{HEAD}tf.logging.info('a')\ndef f(sess):\n    {loads}\n")
    assert loads.replace("tf.", "tf.compat.v1.") in done.text


def untold(result: pipeline.FileResult, data: bytes) -> list[str]:
    """Names and calls of a result that do not exist and were not told."""
    if result.failed:
        return []
    old = data.decode()
    new = result.new.decode() if result.changed else old
    findings = [
        f
        for f in result.findings
        if f.outcome is Outcome.REFUSED or f.code in ("T113", "T117")
    ]
    lines, names = {f.line for f in findings}, {f.symbol for f in findings}
    return [
        *(
            f"{s.line}: {s.path}"
            for s in accounting.unaccounted(old, new, lines, names)
        ),
        *accounting.misfits(old, new, lines),
    ]


@pytest.mark.parametrize(
    "text", ["tf.keras.utils.multi_gpu_model(m)\n", "tf.matmul(x)\n", "tf.log(1.0)\n"]
)
def test_the_judge_sees_what_is_not_told(text: str) -> None:
    data = (HEAD + text).encode()
    assert untold(pipeline.FileResult(pathlib.Path("a.py")), data)


@pytest.mark.parametrize("name, wrong", [("flag_name", False), ("flagname", True)])
def test_flags_take_older_names_of_arguments(name: str, wrong: bool) -> None:
    text = (
        "import tensorflow as tf\n"
        f"tf.app.flags.DEFINE_string({name}='a', default_value='b', docstring='A.')\n"
    )
    assert bool(list(told(text, "T121"))) is wrong
