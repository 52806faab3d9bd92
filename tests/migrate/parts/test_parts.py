"""Programs whose graph other files of the tree build, migrated with these files.

What they compute is compared with what genuine TensorFlow 1.15.5 did, recorded in
`tests/programs/trees/tf1.json` by `python -m tests.migrate.parts.test_parts PYTHON3.7 [NAME...]`.
"""

from __future__ import annotations

import ast
import hashlib
import json
import pathlib
import shutil
import sys
import tempfile

import pytest

from migrate.file_result import FileResult
from migrate.findings import Outcome
from migrate.options import Options
from migrate.parts import migrated as migrated_parts
from migrate.parts.files import find_programs_of_parts
from migrate.parts.merging import Merging, find_undefined
from migrate.parts.migrated import MARK
from migrate.parts.program import Settled, Together
from migrate.results import write_result
from migrate.run import run_tree
from reference import measured
from tests.programs.trees.trees import HERE, TREES, Tree, values

RECORDED = HERE / "tf1.json"
# Name -> a tree, and what is wrong in its migrated text.
FAULTS = {
    "other_model": (
        "given_to_a_loop",
        "weight_decay=2e-4",
        "weight_decay=3e-4",
    ),
    "other_batches": (
        "shared_columns",
        "clicks(epoch)",
        "clicks(epoch + 1)",
    ),
    "another_rate": (
        "package_of_networks",
        "MomentumOptimizer(0.02",
        "MomentumOptimizer(0.021",
    ),
    "one_bias_for_all": (
        "sentences",
        "zip(enumerate(widths), kernel_list, bias_list)",
        "zip(enumerate(widths), kernel_list, bias_list[:1] * 3)",
    ),
    "another_loss_for_hooks": (
        "hooks_of_a_module",
        'replicas.observe({"loss": loss})',
        'replicas.observe({"loss": loss * 1.01})',
    ),
    "one_batch_for_all_towers": (
        "tower_tutorial",
        "= tower_batches[i]",
        "= tower_batches[0]",
    ),
}
MODEL = """\
import tensorflow as tf

SIZE = 3


def build():
    x = tf.placeholder(tf.float32, [None, SIZE])
    w = tf.get_variable("w", [SIZE, 1])
    loss = tf.reduce_mean(tf.matmul(x, w))
    return x, loss
"""
PROGRAM = """\
import tensorflow as tf
IMPORT

x, loss = CALL()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train_op, loss], feed_dict={x: [[1.0, 2.0, 3.0]]}))
"""


def _written(directory: pathlib.Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, "utf-8")


def _migrated(directory: pathlib.Path) -> dict[str, FileResult]:
    """Migrates a tree in place."""
    results = {
        str(r.path.relative_to(directory)): r for r in run_tree([directory], jobs=1)
    }
    for result in results.values():
        assert not write_result(result, result.path).failed
    return results


def _refused(results: dict[str, FileResult]) -> set[str]:
    return {
        name
        for name, result in results.items()
        if any(f.outcome in (Outcome.REFUSED, Outcome.FAILED) for f in result.findings)
    }


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("from model import build", "build"),
        ("from model import build as make", "make"),
        ("import model", "model.build"),
        ("import model as m", "m.build"),
        ("from model import *", "build"),
    ],
)
def test_however_it_is_imported(
    statement: str, call: str, tmp_path: pathlib.Path
) -> None:
    program = PROGRAM.replace("IMPORT", statement).replace("CALL", call)
    _written(tmp_path, {"model.py": MODEL, "train.py": program})
    results = _migrated(tmp_path)
    assert not _refused(results)
    text = (tmp_path / "train.py").read_text("utf-8")
    assert "# From model.py:" in text and "import model\n" not in text
    assert [f.line for f in results["train.py"].findings if f.code == "S130"] == [2]
    moved = [f for f in results["model.py"].findings if f.code == "S130"]
    assert len(moved) == len(results["model.py"].findings) == 5
    left = (tmp_path / "model.py").read_text("utf-8")
    assert left == f"{MARK}train.py.\n{MODEL}"
    again = _migrated(tmp_path)
    assert not any(r.changed for r in again.values()) and not _refused(again)


SECOND = PROGRAM.replace("IMPORT", "import model").replace("CALL", "model.build")


@pytest.mark.parametrize(
    ("model", "program"),
    [
        # The module itself is handed on.
        (MODEL, SECOND + "print(vars(model))\n"),
        # A builtin that is the module's own.
        (MODEL + "\n\ndef print(x):\n    return x\n", SECOND),
        # A name that a function binds anew, after the program has its value.
        (
            MODEL + "\n\ndef grow():\n    global SIZE\n    SIZE += 1\n",
            SECOND.replace("import model", "import model\nfrom model import SIZE"),
        ),
        # The module's own place.
        (MODEL + "HERE = __file__\n", SECOND),
        # It is imported where it does not always come.
        (MODEL, SECOND.replace("import model", "if True:\n    import model")),
        # A name of it is set from outside.
        (MODEL, SECOND.replace("x, loss", "model.SIZE = 4\nx, loss")),
    ],
)
def test_what_is_not_certain_is_refused(
    model: str, program: str, tmp_path: pathlib.Path
) -> None:
    _written(tmp_path, {"model.py": model, "train.py": program})
    results = _migrated(tmp_path)
    assert _refused(results) == {"model.py", "train.py"}
    assert MARK not in (tmp_path / "model.py").read_text("utf-8")


def test_one_name_for_two_things(tmp_path: pathlib.Path) -> None:
    program = SECOND.replace("x, loss", "SIZE = 4\nx, loss")
    more = "\n\ndef never_called():\n    return tf.get_variable('v', [SIZE])\n"
    _written(tmp_path, {"model.py": MODEL + more, "train.py": program})
    assert not _refused(_migrated(tmp_path))
    text = (tmp_path / "train.py").read_text("utf-8")
    assert "\nmodel_SIZE = 3\n" in text and "\nSIZE = 4\n" in text
    assert "[model_SIZE, 1]" in text and "never_called" not in text


def test_a_function_has_another_thing_by_that_name(tmp_path: pathlib.Path) -> None:
    head, body = SECOND.replace("loss", "build").split("\n\n", 1)
    inside = "".join(f"    {line}\n" for line in body.splitlines() if line)
    program = f"{head}\n\n\ndef main():\n{inside}\n\nmain()\n"
    assert "x, build = model.build()" in program
    _written(tmp_path, {"model.py": MODEL, "train.py": program})
    assert not _refused(_migrated(tmp_path))
    text = (tmp_path / "train.py").read_text("utf-8")
    assert "tf.Variable(" in text and "import model\n" not in text


def test_a_module_that_other_code_imports_is_not_left(tmp_path: pathlib.Path) -> None:
    other = "import model\nimport tensorflow as tf\n\n\ndef f():\n    return tf.log(model.SIZE)\n"
    test = "import other\n"
    _written(
        tmp_path,
        {"model.py": MODEL, "train.py": SECOND, "other.py": other, "check.py": test},
    )
    results = _migrated(tmp_path)
    assert _refused(results) == {"model.py"}
    assert MARK not in (tmp_path / "model.py").read_text("utf-8")


def test_two_programs_of_one_module(tmp_path: pathlib.Path) -> None:
    _written(tmp_path, {"model.py": MODEL, "a.py": SECOND, "b.py": SECOND})
    assert not _refused(_migrated(tmp_path))
    first = (tmp_path / "model.py").read_text("utf-8").splitlines()[0]
    assert first == f"{MARK}a.py, b.py."


def test_one_of_two_programs_is_refused(tmp_path: pathlib.Path) -> None:
    """Its module is then told why, as it would be alone."""
    wrong = SECOND.replace("sess.run([", "sess.partial_run([")
    _written(tmp_path, {"model.py": MODEL, "a.py": SECOND, "b.py": wrong})
    assert _refused(_migrated(tmp_path)) == {"b.py", "model.py"}


def test_the_reason_is_that_of_the_program_with_its_modules(
    tmp_path: pathlib.Path,
) -> None:
    """Alone, its feed is refused, and the module's placeholder: neither is to blame."""
    wrong = SECOND.replace(
        "x, loss = model.build()",
        "words = tf.contrib.learn.preprocessing.ByteProcessor(9)\n"
        "x, loss = model.build()",
    )
    _written(tmp_path, {"model.py": MODEL, "train.py": wrong})
    results = _migrated(tmp_path)
    reasons = {
        name: [(f.line, f.code) for f in r.findings if f.blocks and f.code != "N100"]
        for name, r in results.items()
    }
    assert reasons == {"model.py": [], "train.py": [(4, "T111")]}
    assert _refused(results) == {"model.py", "train.py"}
    # One of the module's lines is told there.
    wrong = MODEL.replace("loss = ", "tf.contrib.no.such()\n    loss = ")
    _written(tmp_path, {"model.py": wrong, "train.py": SECOND})
    results = _migrated(tmp_path)
    told = [f for f in results["model.py"].findings if f.code == "T111"]
    line = wrong.splitlines().index("    tf.contrib.no.such()") + 1
    assert [f.line for f in told] == [line]
    assert not any(f.code.startswith("S1") for f in results["train.py"].findings)


DRAWS = """\
import tensorflow as tf


def draw(dataset):
    dataset = dataset.batch(1).repeat()
    return ITERATOR.get_next()
"""
DRAWN = """\
import tensorflow as tf

import data

x, y = data.draw(tf.data.Dataset.from_tensor_slices(([[1.0], [2.0]], [[2.0], [3.0]])))
w = tf.Variable([[1.0]])
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        print(sess.run([loss, train_op])[0])
"""


@pytest.mark.parametrize(
    "iterator",
    [
        "dataset.make_one_shot_iterator()",
        "tf.data.make_one_shot_iterator(dataset)",
        "tf.compat.v1.data.make_one_shot_iterator(dataset)",
    ],
)
def test_a_module_that_makes_an_iterator_comes_along(
    iterator: str, tmp_path: pathlib.Path
) -> None:
    """TensorFlow 2 would draw one batch when the program begins, and use it for ever."""
    module = DRAWS.replace("ITERATOR", iterator)
    _written(tmp_path, {"data.py": module, "train.py": DRAWN})
    assert not _refused(_migrated(tmp_path))
    text = (tmp_path / "train.py").read_text("utf-8")
    assert "iter(" in text and "one_shot" not in text
    assert (tmp_path / "data.py").read_text("utf-8") == f"{MARK}train.py.\n{module}"


def test_an_iterator_of_a_module_that_stays_is_refused(tmp_path: pathlib.Path) -> None:
    module = DRAWS.replace("ITERATOR", "dataset.make_one_shot_iterator()")
    program = DRAWN + "print(vars(data))\n"
    _written(tmp_path, {"data.py": module, "train.py": program})
    results = _migrated(tmp_path)
    assert _refused(results) == {"data.py"}
    assert {f.code for f in results["data.py"].findings} == {"I101"}


def test_a_module_that_builds_nothing_stays_where_it_is(tmp_path: pathlib.Path) -> None:
    data = "import tensorflow as tf\n\n\ndef batch():\n    return [[1.0, 2.0, 3.0]]\n"
    program = SECOND.replace("import model", "import model\nimport data").replace(
        "[[1.0, 2.0, 3.0]]", "data.batch()"
    )
    _written(tmp_path, {"model.py": MODEL, "data.py": data, "train.py": program})
    assert not _refused(_migrated(tmp_path))
    assert "import data\n" in (tmp_path / "train.py").read_text("utf-8")


def test_a_program_is_migrated_once(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not again for each of its modules: a tree of 86 files took minutes so."""
    modules = {f"part{i}.py": MODEL.replace("build", f"build{i}") for i in range(3)}
    lines = "".join(f"from part{i} import build{i}\n" for i in range(3))
    used = "".join(f"build{i}()\n" for i in range(1, 3))
    program = PROGRAM.replace("IMPORT\n", lines).replace("CALL", "build0")
    program = program.replace("x, loss", f"{used}x, loss", 1)
    asked: list[str] = []
    together = migrated_parts._migrate_whole

    def counted(
        whole: Together, path: str, migrate: migrated_parts.Migrate, options: Options
    ) -> Settled:
        asked.append(path)
        return together(whole, path, migrate, options)

    monkeypatch.setattr(migrated_parts, "_migrate_whole", counted)
    _written(tmp_path, {**modules, "train.py": program})
    results = _migrated(tmp_path)
    assert len(results) == 4
    assert asked == [str(tmp_path / "train.py")]


_MAIN = """\
import tensorflow as tf

def main(batch):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.zeros([2, 1]))
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    update = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update, {x: batch})

if __name__ == "__main__":
    main([[1.0, 2.0]])
"""


@pytest.mark.parametrize(
    "program",
    [
        "import train\n\ntrain.main([[1.0, 2.0]])\n",
        "import train as t\n\nstart = t.main\nstart([[1.0, 2.0]])\n",
        "from train import main\n\nmain([[1.0, 2.0]])\n",
        "from train import main as start\n\nstart([[1.0, 2.0]])\n",
    ],
)
def test_a_main_that_another_file_calls_comes_along(
    program: str, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "train.py").write_text(_MAIN)
    (tmp_path / "program.py").write_text(program)
    done = {r.path.name: r for r in run_tree([tmp_path], jobs=1)}
    new = done["program.py"].new.decode()
    assert done["program.py"].changed and "def main(batch):" in new
    assert not find_undefined(ast.parse(new))


def test_a_module_that_is_a_program_too_is_migrated_as_one(
    tmp_path: pathlib.Path,
) -> None:
    """It stayed as it was, and nothing said that it no longer runs."""
    (tmp_path / "train.py").write_text(_MAIN)
    (tmp_path / "program.py").write_text("import train\n\ntrain.main([[1.0, 2.0]])\n")
    done = {r.path.name: r for r in run_tree([tmp_path], jobs=1)}
    assert done["program.py"].changed
    new = done["train.py"].new.decode()
    assert "tf.placeholder" not in new and MARK not in new and "__main__" in new


def test_a_module_that_cannot_be_the_program_that_it_is_says_so(
    tmp_path: pathlib.Path,
) -> None:
    refused = _MAIN + "    print(tf.contrib.nothing.of_this_kind())\n"
    (tmp_path / "train.py").write_text(refused)
    (tmp_path / "program.py").write_text("import train\n\ntrain.main([[1.0, 2.0]])\n")
    done = {r.path.name: r for r in run_tree([tmp_path], jobs=1)}
    assert done["program.py"].changed and MARK in done["train.py"].new.decode()
    (told,) = (f for f in done["train.py"].findings if f.outcome is Outcome.WARNED)
    assert (
        told.code == "S130"
        and told.line == refused[: refused.index("if __")].count("\n") + 1
    )


def test_what_has_no_definition_is_not_joined(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: a function that is called is left out."""
    (tmp_path / "train.py").write_text(_MAIN)
    program = tmp_path / "program.py"
    program.write_text("import train\n\ntrain.main([[1.0, 2.0]])\n")
    monkeypatch.setattr(
        Merging,
        "_find_script_only",
        lambda self, module: {
            s for s in module.tree.body if isinstance(s, ast.FunctionDef)
        },
    )
    done = {r.path.name: r for r in run_tree([tmp_path], jobs=1)}
    assert "main(" not in done["program.py"].new.decode().replace("train.main(", "")


def test_a_session_beside_an_estimator_joins_nothing(tmp_path: pathlib.Path) -> None:
    estimator = PROGRAM.replace(
        "import tensorflow as tf\n",
        "import tensorflow as tf\n\nestimator = tf.estimator.Estimator(print)\n",
        1,
    )
    for text, joined in ((PROGRAM, 1), (estimator, 0)):
        text = text.replace("IMPORT", "from model import build")
        _written(
            tmp_path, {"model.py": MODEL, "train.py": text.replace("CALL", "build")}
        )
        assert len(find_programs_of_parts(tmp_path.glob("*.py")).programs) == joined


# -- what they compute -----------------------------------------------------------------


def _digest(tree: Tree) -> str:
    found = hashlib.sha256()
    for path in sorted(tree.path.rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def _worst(one: list[list[float]], other: list[list[float]]) -> float:
    assert [row[0] for row in one] == [row[0] for row in other]
    return measured.note(
        max(
            abs(a - b)
            for row, twin in zip(one, other, strict=True)
            for a, b in zip(row, twin, strict=True)
        )
    )


def _found(
    tree: Tree, directory: pathlib.Path, old: str = "", new: str = ""
) -> list[list[float]]:
    """Runs a migrated tree, its program perhaps changed, and returns its values."""
    shutil.copytree(tree.path, directory / "tree")
    assert not _refused(_migrated(directory / "tree"))
    program = directory / "tree" / "train.py"
    if old:
        text = program.read_text("utf-8")
        assert text.count(old) == 1
        program.write_text(text.replace(old, new))
    tree.run(sys.executable, program, directory / "out")
    return values(directory / "out")


def _recorded(tree: Tree) -> list[list[float]]:
    """Returns the values that TensorFlow 1.15.5 computed."""
    recorded = json.loads(RECORDED.read_text("utf-8"))[tree.name]
    assert recorded["digest"] == _digest(tree), "record it again"
    found: list[list[float]] = recorded["values"]
    return found


@pytest.mark.parametrize("tree", TREES, ids=lambda t: t.name)
def test_equals_recorded_tf1(tree: Tree, tmp_path: pathlib.Path) -> None:
    recorded = _recorded(tree)
    assert len(recorded) >= 10
    assert _worst(_found(tree, tmp_path), recorded) <= tree.tolerance


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_noticed(fault: str, tmp_path: pathlib.Path) -> None:
    name, old, new = FAULTS[fault]
    (tree,) = (tree for tree in TREES if tree.name == name)
    wrong = _found(tree, tmp_path, old, new)
    assert _worst(wrong, _recorded(tree)) > 100 * tree.tolerance


def record(python: str, only: list[str]) -> None:
    """Writes what TensorFlow 1.15.5 gives, with the trees' digests.

    Args:
      only: names of trees; the others' records stay. None: all of them.
    """
    rows = json.loads(RECORDED.read_text("utf-8")) if only else {}
    for tree in [t for t in TREES if not only or t.name in only]:
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory) / "out"
            tree.run(python, tree.path / "train.py", out)
            rows[tree.name] = {
                "tensorflow": "1.15.5",
                "digest": _digest(tree),
                "values": values(out),
            }
    RECORDED.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    record(sys.argv[1], sys.argv[2:])
