"""What `--estimators fit` writes, and where it leaves the Estimator."""

from __future__ import annotations

import ast
import json
import os

import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Finding, Outcome
from migrate.migration import Migration
from migrate.options import Options
from tests.programs.fitted import FIT, GUIDED, STEADY

_TEXT = STEADY.path.read_text()


def _migrate(*changes: tuple[str, str], options: Options = FIT) -> Migration:
    """The migration of a program in which something is replaced."""
    text = _TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return migrate_text(text, options, filename="steady.py")


def _find(migration: Migration, code: str) -> list[Finding]:
    return [finding for finding in migration.findings if finding.code == code]


def test_it_is_not_the_default() -> None:
    default = _migrate(options=Options())
    assert "keras_estimator.Estimator(" in default.text
    assert "fit_callbacks" not in default.text
    assert not _find(default, "K190") and not _find(default, "K191")
    for name in ("estimator", "keras"):
        assert _migrate(options=Options(estimators=name)) == default


def test_a_script_of_the_guides_shape() -> None:
    """The strategy, the model and `fit` stand in the file; no Estimator does."""
    migration = migrate_text(GUIDED.path.read_text(), FIT, filename="guided.py")
    text = migration.text
    for part in (
        "with strategy.scope():\n  model = make_model()\n",
        "return tf.distribute.ParameterServerStrategy(resolver)\n",
        "return tf.distribute.MultiWorkerMirroredStrategy()\n",
        "model.compile(optimizer=optimizer, loss=",
        "model.fit(\n    dataset,\n    steps_per_epoch=steps,\n",
    ):
        assert part in text, part
    assert "stimator" not in text
    assert len(text.splitlines()) <= 80
    assert set(beside.files_for(text)) == {"fit_callbacks.py"}
    (found,) = _find(migration, "K190")
    assert found.outcome is Outcome.REWRITTEN
    assert "Estimator(" in GUIDED.path.read_text().splitlines()[found.line - 1]


def test_what_stands_beside_is_only_what_is_used() -> None:
    text = migrate_text(GUIDED.path.read_text(), FIT, filename="guided.py").text
    (data,) = beside.files_for(text).values()
    defined = {
        node.name
        for node in ast.parse(data).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    assert {"Checkpoints", "Evaluation", "Progress", "join_cluster"} <= defined
    assert not {"Logging", "EvaluationAndExport", "predictions", "as_in_tf1"} & defined


_ESTIMATOR = 'config, params={"rate": 0.125})'
_TRAIN = "tf.estimator.train_and_evaluate(estimator, train, evaluation)"
_STAYS = {
    "warm-start": (
        (_ESTIMATOR, _ESTIMATOR[:-1] + ', warm_start_from="old")'),
        "it starts from another training's values",
    ),
    "evaluation-hooks": (
        ("steps=3,", "steps=3, hooks=[tf.train.StepCounterHook()],"),
        "hooks watch its evaluations",
    ),
    "kept-for-ever": (
        (
            "keep_checkpoint_max=100",
            "keep_checkpoint_max=100, keep_checkpoint_every_n_hours=1",
        ),
        "some of its checkpoints are kept for ever",
    ),
    "no-checkpoints": (
        ("save_checkpoints_steps=8", "save_checkpoints_steps=None"),
        "it saves no checkpoints",
    ),
    "some-predictions": (
        (_TRAIN, f"{_TRAIN}\n  next(estimator.predict(input_fn, ['loss']))"),
        "it is asked for some of the predictions",
    ),
    "handled-error": (
        (
            f"  {_TRAIN}",
            f"  try:\n    {_TRAIN}\n  except KeyboardInterrupt:\n    pass",
        ),
        "an error of its training is handled",
    ),
    "handled-in-a-caller": (
        ("  main()\n", "  try:\n    main()\n  except ValueError:\n    main()\n"),
        "an error of its training is handled",
    ),
    "unknown-config": (
        (
            "config = tf.estimator.RunConfig(",
            "config = other() or tf.estimator.RunConfig(",
        ),
        "its RunConfig is not in sight",
    ),
    "exported-as-text": (
        (
            _TRAIN,
            f"{_TRAIN}\n  estimator.export_saved_model("
            '"out", serving_input_receiver_fn=receive, as_text=True)',
        ),
        "it is exported as text",
    ),
    "own-strategy-function": (
        ("def main():", "def make_strategy():\n  pass\n\n\ndef main():"),
        "the program has a `make_strategy` of its own",
    ),
}


@pytest.mark.parametrize("name", _STAYS)
def test_what_fit_cannot_say_stays_an_estimator(name: str) -> None:
    """All of it, as without the option; a finding tells where, and why."""
    change, reason = _STAYS[name]
    migration = _migrate(change)
    (found,) = _find(migration, "K191")
    assert reason in found.reason and found.outcome is Outcome.KEPT
    assert 1 < found.line <= len(migration.text.splitlines())
    assert not _find(migration, "K190")
    assert "fit_callbacks" not in migration.text
    faithful = _migrate(change, options=Options())
    assert migration.text == faithful.text
    assert migration.support == faithful.support


def test_a_directory_that_may_be_none_is_a_temporary_one() -> None:
    given = 'os.environ["MODEL_DIR"]'
    text = _migrate((given, 'os.environ.get("MODEL_DIR")')).text
    assert 'model_dir = os.environ.get("MODEL_DIR") or tempfile.mkdtemp()\n' in text
    assert "tempfile" not in _migrate().text
    flag = 'tf.flags.DEFINE_string("where", None, "Directory.")\n\n\ndef input_fn():'
    text = _migrate((given, "tf.flags.FLAGS.where"), ("def input_fn():", flag)).text
    assert "FLAGS.where or tempfile.mkdtemp()\n" in text
    flag = flag.replace("None", '"out"')
    text = _migrate((given, "tf.flags.FLAGS.where"), ("def input_fn():", flag)).text
    assert "tempfile" not in text


def test_an_evaluator_has_nothing_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The process that trains evaluates: a second one must not train, too."""
    (made,) = (
        node
        for node in ast.parse(_migrate().text).body
        if isinstance(node, ast.FunctionDef) and node.name == "make_strategy"
    )
    known = {"json": json, "os": os}
    exec(ast.unparse(made), known)  # Our own text.
    task = {"type": "evaluator", "index": 0}
    cluster = {"chief": ["localhost:1"], "ps": ["localhost:2"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task}))
    with pytest.raises(SystemExit) as ended:
        known["make_strategy"]()  # type: ignore[operator]
    assert ended.value.code == 0
    assert "the process that trains evaluates, too" in capsys.readouterr().out
