"""Programs are migrated whole or left whole, and one of four words says which."""

from __future__ import annotations

import pathlib

import pytest

from migrate import outcomes, run
from migrate.file_result import FileResult
from migrate.findings import Finding, Outcome
from migrate.outcomes import Status
from migrate.report.summary import summarise
from migrate.run import run_programs

MODEL = "import tensorflow as tf\ndef loss(x):\n    return tf.log(x)\n"
REFUSED = "import tensorflow as tf\nimport {}\nsess = tf.Session()\n"
TRAINER = "import tensorflow as tf\nimport {}\nprint(tf.log(2.0))\n"
HELPER = "def add(a, b):\n    return a + b\n"


def written(directory: pathlib.Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def statuses(directory: pathlib.Path) -> dict[str, str]:
    """Returns each file's status; "-" if there was nothing to migrate."""
    found = {}
    for program in run_programs([directory]):
        for result in program:
            name = result.path.relative_to(directory).as_posix()
            found[name] = result.status.value if result.status else "-"
            if result.status in (Status.REFUSED, Status.FAILED):
                assert not result.changed, name
    return found


CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "a module of a refused program stays": (
        {"train.py": REFUSED.format("model"), "model.py": MODEL},
        {"train.py": "refused", "model.py": "refused"},
    ),
    "a control: of a migrated program it does not": (
        {"train.py": TRAINER.format("model"), "model.py": MODEL},
        {"train.py": "migrated", "model.py": "migrated"},
    ),
    "a program whose module is refused stays": (
        {"train.py": TRAINER.format("model"), "model.py": REFUSED.format("os")},
        {"train.py": "refused", "model.py": "refused"},
    ),
    "two programs that share a module are one": (
        {
            "a.py": REFUSED.format("model"),
            "b.py": TRAINER.format("model"),
            "model.py": MODEL,
        },
        {"a.py": "refused", "b.py": "refused", "model.py": "refused"},
    ),
    "a helper without TensorFlow joins nobody": (
        {
            "a.py": REFUSED.format("helper"),
            "b.py": TRAINER.format("helper"),
            "helper.py": HELPER,
        },
        {"a.py": "refused", "b.py": "migrated", "helper.py": "-"},
    ),
    "a helper that imports the refused file joins": (
        {
            "b.py": TRAINER.format("helper"),
            "helper.py": "import a\n" + HELPER,
            "a.py": REFUSED.format("os"),
        },
        {"a.py": "refused", "b.py": "refused", "helper.py": "-"},
    ),
    "a starter without TensorFlow joins what it imports": (
        {
            "main.py": "import a, model\n",
            "a.py": REFUSED.format("os"),
            "model.py": MODEL,
        },
        {"main.py": "-", "a.py": "refused", "model.py": "refused"},
    ),
    "a package's own file is run by who imports of it": (
        {
            "train.py": TRAINER.format("nets.model"),
            "nets/__init__.py": REFUSED.format("os"),
            "nets/model.py": MODEL,
        },
        dict.fromkeys(["train.py", "nets/__init__.py", "nets/model.py"], "refused"),
    ),
    "relative imports over several lines": (
        {
            "pkg/__init__.py": "",
            "pkg/train.py": "from . import (\n    other,\n    model,\n)\n"
            + REFUSED.format("os"),
            "pkg/model.py": MODEL,
            "pkg/other.py": HELPER,
        },
        {
            "pkg/__init__.py": "-",
            "pkg/train.py": "refused",
            "pkg/model.py": "refused",
            "pkg/other.py": "-",
        },
    ),
    "a path that is added": (
        {
            "bin/train.py": "import sys\nsys.path.append('../lib')\n"
            + REFUSED.format("model"),
            "lib/model.py": MODEL,
        },
        {"bin/train.py": "refused", "lib/model.py": "refused"},
    ),
    "files in a circle": (
        {"a.py": REFUSED.format("b"), "b.py": MODEL + "import a\n"},
        {"a.py": "refused", "b.py": "refused"},
    ),
    "Python 2 fails, and its program stays": (
        {
            "train.py": "from model import (\n loss)\nprint 'x'\n" + MODEL,
            "model.py": MODEL,
        },
        {"train.py": "failed", "model.py": "refused"},
    ),
    "programs that have nothing in common": (
        {"a.py": REFUSED.format("os"), "b.py": MODEL},
        {"a.py": "refused", "b.py": "migrated"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_program_is_migrated_whole_or_left_whole(
    case: str, tmp_path: pathlib.Path
) -> None:
    files, expected = CASES[case]
    written(tmp_path, files)
    assert statuses(tmp_path) == expected


def test_the_reason_is_the_real_one_and_told_at_every_file(
    tmp_path: pathlib.Path,
) -> None:
    written(tmp_path, {"lib/model.py": MODEL, "train.py": REFUSED.format("lib.model")})
    results = [r for p in run_programs([tmp_path]) for r in p]
    (program,) = outcomes.list_programs(results)
    assert program.status is Status.REFUSED
    assert program.path.name == "train.py"  # It is the file that one starts.
    assert program.reason is not None
    path, finding = program.reason
    assert (path.name, finding.code, finding.line) == ("train.py", "S120", 3)
    model = next(r for r in results if r.path.name == "model.py")
    assert {f.outcome for f in model.findings} == {Outcome.REFUSED}
    assert model.findings[0].code == "N102"
    assert model.findings[0].reason.startswith("../train.py, line 3, ")


def _result(*findings: Finding, name: str = "a.py", new: bytes = b"n") -> FileResult:
    return FileResult(pathlib.Path(name), b"o", new, findings)


KEPT = Finding(2, 1, "T105", Outcome.KEPT, "tf.Session", "works through compat.v1")
PLAIN = Finding(2, 1, "T105", Outcome.KEPT, "tf.log", "works through compat.v1")
MISTAKE = Finding(2, 1, "D101", Outcome.WARNED, "tf.keras", "a mistake")
MISSING = Finding(2, 1, "T111", Outcome.REFUSED, "tf.contrib", "is gone")


@pytest.mark.parametrize(
    ("findings", "status", "code"),
    [
        ((), Status.MIGRATED, 0),
        ((PLAIN,), Status.MIGRATED, 0),
        ((KEPT,), Status.COMPAT, 1),
        ((MISTAKE,), Status.MIGRATED, 1),
        ((MISSING,), Status.REFUSED, 1),
        ((KEPT, MISSING), Status.REFUSED, 1),
    ],
)
def test_status_and_exit_code(
    findings: tuple[Finding, ...], status: Status, code: int
) -> None:
    ((result,),) = outcomes.settle([_result(*findings)])
    assert result.status is status
    assert summarise([result]).exit_code == code
    assert result.changed is (status in (Status.MIGRATED, Status.COMPAT))


def test_what_runs_through_compat_is_done_where_it_is_asked_for() -> None:
    assert summarise([_result(KEPT)]).exit_code == 1
    assert summarise([_result(KEPT)], accepts_compat=True).exit_code == 0


def test_nothing_to_migrate_is_none_of_the_four() -> None:
    ((result,),) = outcomes.settle([_result(PLAIN, new=b"o")])
    assert result.status is None
    assert outcomes.list_programs([result]) == []


def test_a_fallback_gets_whole_programs_and_gives_their_outcome(
    tmp_path: pathlib.Path,
) -> None:
    written(tmp_path, CASES["a module of a refused program stays"][0])
    written(
        tmp_path,
        {
            "alone.py": MODEL,
            "bad.py": "import os\n" + TRAINER.format("os") + "print 'x'\n",
        },
    )
    asked: list[set[str]] = []

    def fallback(results: object) -> list[FileResult]:
        assert isinstance(results, list)
        asked.append({r.path.name for r in results})
        assert not any(r.changed for r in results)
        return [
            FileResult(r.path, b"old", b"new", status=Status.COMPAT) for r in results
        ]

    programs = run.run_programs([tmp_path], fallback=fallback)
    assert asked == [{"train.py", "model.py"}]  # Not what failed, nor what migrates.
    found = {r.path.name: r.status for p in programs for r in p}
    assert found == {
        "train.py": Status.COMPAT,
        "model.py": Status.COMPAT,
        "alone.py": Status.MIGRATED,
        "bad.py": Status.FAILED,
    }


def test_no_module_is_brought_to_a_program_that_stays_one_of_tensorflow_1(
    tmp_path: pathlib.Path,
) -> None:
    """A merged program is migrated; one that runs through compat.v1 keeps its modules."""
    train = (
        "import tensorflow.compat.v1 as tf\n"
        "import model\n"
        "tf.disable_v2_behavior()\n"
        "x = tf.placeholder(tf.float32, [None, 3])\n"
        "loss, train = model.build(x)\n"
        "sess = tf.Session()\n"
        "sess.run(tf.global_variables_initializer())\n"
        "print(sess.run([loss, train], {x: [[1.0, 2.0, 3.0]]}))\n"
    )
    model = (
        "import tensorflow.compat.v1 as tf\n"
        "def build(x):\n"
        "    loss = tf.reduce_mean(tf.matmul(x, tf.get_variable('w', [3, 2])))\n"
        "    return loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
    )
    written(tmp_path, {"train.py": train, "model.py": model})
    results = [r for p in run_programs([tmp_path]) for r in p]
    assert not any(r.changed for r in results)
    (program,) = outcomes.list_programs(results)
    assert program.status is Status.COMPAT and program.path.name == "train.py"
    # A control: of TensorFlow 1's own names it becomes one of TensorFlow 2.
    plain = {
        "train.py": train.replace("tf.disable_v2_behavior()\n", ""),
        "model.py": model,
    }
    for name, text in plain.items():
        plain[name] = text.replace("tensorflow.compat.v1", "tensorflow")
    written(tmp_path, plain)
    found = {r.path.name: r for p in run_programs([tmp_path]) for r in p}
    assert found["train.py"].status is Status.MIGRATED
    assert b"import plain_session" in found["train.py"].new
    assert b"model" not in found["train.py"].new


def test_a_consequence_is_not_noted() -> None:
    """What was noted of a rewrite is not done in a program that is left."""
    done = Finding(3, 1, "M110", Outcome.REWRITTEN, reason="dropped", noted=True)
    cause = Finding(2, 1, "S101", Outcome.REFUSED)
    held = outcomes.hold(FileResult(pathlib.Path("a.py"), findings=(cause, done)), None)
    assert [(f.code, f.noted) for f in held.findings] == [
        ("S101", False),
        ("N100", False),
    ]
