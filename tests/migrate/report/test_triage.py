"""The first page of a report: programs, what blocks them, and in which order to go."""

from __future__ import annotations

import json
import pathlib

import pytest

from migrate import baseline, run
from migrate.file_result import FileResult
from migrate.report import markdown, text
from migrate.report.summary import Action, Run
from migrate.report.triage import (
    Triage,
    explain_block,
    list_next_steps,
    triage,
    write_verdict,
)

READY = "import tensorflow as tf\nprint(tf.log(2.))\n"
BLOCKED = "import tensorflow as tf\ns = tf.Session()\nprint(s)\n"
PYTHON_2 = "import tensorflow as tf\nprint tf.log(2.)\n"
LIBRARY = "import tensorflow as tf\n\ndef loss(x):\n    return tf.log(x)\n"
SCENARIOS = pathlib.Path(__file__).parents[3] / "reference"


def _run(directory: pathlib.Path, files: dict[str, str]) -> list[FileResult]:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return [r for program in run.run_programs([directory]) for r in program]


def _found(directory: pathlib.Path, files: dict[str, str]) -> Triage:
    return triage(Run(_run(directory, files)))


def test_ready_first_then_what_has_least_to_do(tmp_path: pathlib.Path) -> None:
    twice = BLOCKED + "tf.contrib.foo.bar()\n"
    found = _found(
        tmp_path,
        {"a.py": twice, "b.py": BLOCKED, "c.py": READY, "d.py": PYTHON_2, "e.py": "1"},
    )
    assert [e.path.name for e in found.entries] == ["c.py", "b.py", "d.py", "a.py"]
    assert [e.places for e in found.entries] == [0, 1, 1, 2]
    assert write_verdict(found) == "1 of 4 programs can be migrated now, 3 are blocked."
    blockers = {b.code: (b.entries, b.alone, b.places) for b in found.blockers}
    assert blockers == {
        "S120": (2, 1, 2),
        "E004": (1, 1, 1),
        "T111": (1, 0, 1),
    }
    assert explain_block(found, found.entries[2]).startswith(
        "line 2: E004 this is Python 2"
    )
    commands = [command for command, _ in list_next_steps(found)]
    assert commands[0].endswith("c.py --diff") and "add --python2" in commands
    assert "tf1to2 rule S120" in commands


def test_an_entry_point_waits_for_one_that_shares_a_file(
    tmp_path: pathlib.Path,
) -> None:
    found = _found(
        tmp_path,
        {
            "train.py": "import model\nif __name__ == '__main__':\n    model.loss(1.)\n",
            "model_test.py": "import model\n" + BLOCKED,
            "model.py": LIBRARY,
        },
    )
    test, train = found.entries
    assert (test.path.name, test.waits, test.places) == ("model_test.py", False, 1)
    assert (train.path.name, train.waits, train.places) == ("train.py", True, 0)
    assert explain_block(found, train).startswith(
        "waits for model_test.py, line 3: S120"
    )
    # Only a test is in the way: leaving it out is what to do.
    assert ("add --exclude model_test.py") in [c for c, _ in list_next_steps(found)]


def test_an_entry_point_is_what_somebody_starts(tmp_path: pathlib.Path) -> None:
    guarded = LIBRARY + "\nif __name__ == '__main__':\n    loss(1.)\n"
    found = _found(
        tmp_path,
        {
            "main.py": "import used\nused.loss(1.)\n",
            "used.py": guarded,
            "alone.py": LIBRARY,
        },
    )
    starts = {e.path.name: e.starts for e in found.entries}
    # Imported or not, a file that tests __name__ can be started; one without cannot.
    assert starts == {"main.py": True, "used.py": True, "alone.py": False}
    assert found.entries[-1].path.name == "alone.py"


@pytest.mark.parametrize(
    "scenario, kind, becomes",
    [
        ("async_parameter_server", "asynchronous", "ParameterServerStrategy"),
        ("sync_replicas", "by_flag", "MultiWorkerMirroredStrategy or Parameter"),
        ("ring_versus_parameter_server", "synchronous", "MultiWorkerMirroredStrategy"),
        ("in_graph_towers", "towers", "MirroredStrategy"),
        ("queue_input", "session", "eager steps in one process"),
        ("estimator_layers", "estimator", "a Keras model"),
        ("estimator_canned", "estimator", "its model_fn"),
    ],
)
def test_what_a_program_is_and_becomes(scenario: str, kind: str, becomes: str) -> None:
    (program,) = run.run_programs([SCENARIOS / scenario / "tf1.py"])
    (entry,) = triage(Run(program)).entries
    assert entry.kind.name == kind
    assert entry.becomes.startswith(becomes)


def test_data_read_with_contrib_learn_is_no_estimator(tmp_path: pathlib.Path) -> None:
    reading = (
        "from tensorflow.contrib import learn\nimport tensorflow as tf\n"
        "words = learn.preprocessing.VocabularyProcessor(9)\n"
    )
    session = reading + "with tf.Session() as s:\n    print(s.run(tf.log(2.)))\n"
    found = _found(tmp_path, {"a.py": session, "b.py": reading + "learn.Estimator()\n"})
    kinds = {e.path.name: e.kind.name for e in found.entries}
    assert kinds == {"a.py": "session", "b.py": "estimator"}


def test_an_interrupted_run_claims_nothing_of_what_was_not_read(
    tmp_path: pathlib.Path,
) -> None:
    assert write_verdict(triage(Run([], interrupted=True))).startswith(
        "Interrupted before any"
    )
    told = write_verdict(triage(Run(_run(tmp_path, {"a.py": READY}), interrupted=True)))
    assert told.startswith("Interrupted. Of what was read: 1 program, and it can be")
    assert write_verdict(triage(Run([]))) == "Nothing here uses TensorFlow 1."


def test_it_is_the_first_page_of_reports(tmp_path: pathlib.Path) -> None:
    told = Run(_run(tmp_path, {"a.py": READY, "b.py": BLOCKED}))
    line = "1 of 2 programs can be migrated now, 1 is blocked."
    assert text.render(told).startswith(line)
    assert markdown.render(told).splitlines()[2] == f"**{line}**"
    page = "\n".join(text.write_programs_first(told))
    assert (
        "line 2: S120 tf.Session" in page and "Left by hand: at least 1 place" in page
    )
    assert "1 program, and it can be migrated now." in text.render(
        Run([r for r in told.results if r.path.name == "a.py"])
    )


def test_after_a_run_that_writes_it_says_what_was_done(tmp_path: pathlib.Path) -> None:
    results = _run(tmp_path, {"a.py": READY, "b.py": BLOCKED, "c.py": READY})
    both = Run(results, Action.WRITE)
    assert write_verdict(triage(both)) == "2 of 3 programs are migrated, 1 is blocked."
    assert f"| migrated | `{tmp_path}/a.py` |" in markdown.render(both)
    one = [r for r in results if r.path.name != "c.py"]
    told = write_verdict(triage(Run(one, Action.WRITE)))
    assert told == "1 of 2 programs is migrated, 1 is blocked."
    alone = [r for r in results if r.path.name == "a.py"]
    assert (
        write_verdict(triage(Run(alone, Action.WRITE)))
        == "1 program, and it is migrated."
    )


def test_a_baseline_lets_only_what_is_new_through(tmp_path: pathlib.Path) -> None:
    tree, file = tmp_path / "tree", tmp_path / "known.json"
    results = _run(tree, {"a.py": READY, "b.py": BLOCKED})
    baseline.save(file, results)
    known = baseline.load(file)
    assert known == {"tree/a.py": {}, "tree/b.py": {"S120 tf.Session": 1}}

    same = baseline.compare(file, known, results)
    assert (same.new, same.files, same.gone) == (0, (), 0)
    assert all(f.hidden for r in same.results for f in r.findings)
    # Lines move, and what is rewritten is none of its business.
    moved = _run(tree, {"b.py": "\n\n" + BLOCKED, "a.py": READY + "tf.log(3.)\n"})
    assert baseline.compare(file, known, moved).new == 0

    more = _run(tree, {"b.py": BLOCKED + "tf.contrib.foo.bar()\n", "c.py": READY})
    found = baseline.compare(file, known, more)
    assert (found.new, [p.name for p in found.files]) == (2, ["c.py"])
    assert not found.failed
    broken = baseline.compare(file, known, _run(tree, {"a.py": PYTHON_2}))
    assert broken.failed

    fewer = baseline.compare(file, known, _run(tree, {"b.py": READY, "a.py": READY}))
    assert fewer.gone == 1


@pytest.mark.parametrize("content", ["", "[]", '{"format": 2}', '{"files": 3}'])
def test_what_is_no_baseline_is_refused(content: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "known.json"
    file.write_text(content)
    with pytest.raises(baseline.BaselineError):
        baseline.load(file)
    file.write_text(json.dumps({"format": 1, "files": {}}))
    assert baseline.load(file) == {}
