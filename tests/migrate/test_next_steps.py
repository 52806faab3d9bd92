"""After files were written: packages as edits, launch, checkpoints, proof, backups, git."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

import click.testing
import pytest

from migrate import extras, packages
from migrate.checkpoint_places import find_places
from migrate.cli import main
from migrate.disk import git
from migrate.file_result import FileResult

ROOT = pathlib.Path(extras.__file__).resolve().parents[1]

PROGRAM = """\
import tensorflow as tf

tf.app.flags.DEFINE_string("dir", "/tmp/x", "")
x = tf.placeholder(tf.float32, [])
v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
train = tf.train.GradientDescentOptimizer(.1).minimize(tf.square(v - x))
with tf.train.MonitoredTrainingSession(checkpoint_dir=tf.app.flags.FLAGS.dir) as sess:
    sess.run(train, {x: 1.})
"""
WANT = "tensorflow>=2.15,<2.22"


def _run(*arguments: object, code: int = 0) -> click.testing.Result:
    done = click.testing.CliRunner().invoke(main, [str(a) for a in arguments])
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("requirements.txt", "tensorflow==1.15.0\n", f"{WANT}\n"),
        ("requirements-dev.txt", "a\ntensorflow>=1.4,<2 # x\n", f"a\n{WANT} # x\n"),
        ("requirements.txt", "tensorflow<2\n", f"{WANT}\n"),
        (
            "requirements.txt",
            "tensorflow-gpu==1.12\n",
            "tensorflow[and-cuda]>=2.15,<2.22\n",
        ),
        ("setup.py", "s(r=['tensorflow~=1.15'])\n", f"s(r=['{WANT}'])\n"),
        ("pyproject.toml", 'd = ["tensorflow==1.*"]\n', f'd = ["{WANT}"]\n'),
        ("pyproject.toml", 'tensorflow = "^1.15"\n', 'tensorflow = ">=2.15,<2.22"\n'),
        (
            "Dockerfile",
            "FROM tensorflow/tensorflow:1.15.2-gpu-py3\nRUN pip install tensorflow==1.15\n",
            f"FROM tensorflow/tensorflow:2.15.0-gpu\nRUN pip install '{WANT}'\n",
        ),
        ("environment.yml", "d:\n - tensorflow=1.15\n", f"d:\n - {WANT}\n"),
        (
            "pod.yaml",
            "c:\n- image: tensorflow/tensorflow:1.13.1\n",
            "c:\n- image: tensorflow/tensorflow:2.15.0\n",
        ),
        (
            "ci.yml",
            "- run: pip install tensorflow==1.15\n",
            f"- run: pip install '{WANT}'\n",
        ),
    ],
)
def test_each_kind_of_file_is_edited_once(
    name: str, old: str, new: str, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / name
    file.write_text(old)
    assert _run("packages", tmp_path, code=1).output.startswith(f"{file}:")
    assert file.read_text() == old
    _run("packages", tmp_path, "--write")
    assert file.read_text() == new
    assert packages.find_edits(tmp_path) == []


@pytest.mark.parametrize(
    "name, content",
    [
        ("requirements.txt", "tensorflow==2.3\ntensorflow\nmy-tensorflow==1.0\n"),
        ("requirements.txt", "tensorflow-probability==0.8\ntensorflow-hub==1.0\n"),
        ("requirements.txt", "tensorflow>=2.0,!=2.1\ntensorflow==1.15.foo-bar/x\n"),
        ("notes.txt", "tensorflow==1.15\n"),
        ("pod.yaml", "image: mytensorflow/tensorflow-serving:1.13\n"),
    ],
)
def test_what_is_no_requirement_of_tensorflow_1_stays(
    name: str, content: str, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / name
    file.write_text(content)
    edits = packages.find_edits(tmp_path)
    assert not any("probability" in line[1] for e in edits for line in e.lines)
    if "foo-bar" not in content:
        assert edits == []


def test_what_needs_a_decision_is_told_and_left(tmp_path: pathlib.Path) -> None:
    content = "RUN bash -c 'pip install tensorflow==1.15'\nFROM python:3.6\n"
    (tmp_path / "Dockerfile").write_text(content)
    (tmp_path / "requirements.txt").write_text("tensorflow_estimator==1.13\n")
    shown = _run("packages", tmp_path, "--write", code=1).output
    assert "Dockerfile:1: by hand: tensorflow==1.15: ask for tensorflow>=2.15" in shown
    assert "Dockerfile:2: by hand: FROM python:3.6: TensorFlow 2.21 needs" in shown
    assert "tensorflow_estimator==1.13: remove it; programs that" in shown
    assert (tmp_path / "Dockerfile").read_text() == content


def test_after_writing_comes_what_is_next(tmp_path: pathlib.Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "requirements.txt").write_text("tensorflow==1.15\n")
    assert "Next" not in _run("migrate", tmp_path).output
    shown = _run("migrate", tmp_path, "--write", "--backup", tmp_path / "old").output
    steps = shown.split("Next\n")[1]
    assert "pip install 'tensorflow>=2.15,<2.22'" in steps
    assert "requirements.txt:1: tensorflow==1.15 -> tensorflow>=2.15,<2.22" in steps
    assert f"tf1to2 packages {tmp_path} --diff" in steps
    assert f"python {tmp_path}/train.py, with the old flags" in steps
    place = "it has its checkpoints in checkpoint_dir=tf.compat.v1.app.flags.FLAGS.dir"
    assert f"{place} (line " in steps
    assert re.search(r"   pip install \S+\[verify\]", steps)
    assert (
        f"tf1to2 verify {tmp_path}/old/train.py {tmp_path}/train.py -- FLAGS" in steps
    )
    assert (tmp_path / "old" / "train.py").read_text() == PROGRAM
    # Nothing was changed, so nothing is next.
    assert "Next" not in _run("migrate", tmp_path / "train.py", "--write").output


def test_a_copy_is_verified_against_the_original(tmp_path: pathlib.Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "train.py").write_text(PROGRAM)
    out = tmp_path / "out"
    shown = _run("migrate", tmp_path / "in", "--output", out).output
    assert f"tf1to2 verify {tmp_path}/in/train.py {out}/train.py" in shown


def _run_git(directory: pathlib.Path, *arguments: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *name, *arguments], cwd=directory, check=True)


def _commit(directory: pathlib.Path) -> None:
    _run_git(directory, "init", "-q")
    _run_git(directory, "add", ".")
    _run_git(directory, "commit", "-qm", "before")


@pytest.mark.parametrize("start", [".", "models/old one", "..", "../elsewhere"])
def test_the_originals_of_git_are_outside_of_the_repository(
    start: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed commands are followed word by word, from wherever the tool was started."""
    top = tmp_path / "work" / "repository"
    project = top / "models" / "old one"
    project.mkdir(parents=True)
    (tmp_path / "work" / "elsewhere").mkdir()
    (tmp_path / "work" / "repository-before").mkdir()
    (project / "train.py").write_text(PROGRAM)
    _commit(top)
    (project / "later.py").write_text(PROGRAM)
    monkeypatch.chdir(top / start)
    shown = _run("migrate", os.path.relpath(project), "--write").output
    (add,) = re.findall(r"^   (git .+ HEAD)   \(the originals\)$", shown, re.M)
    subprocess.run(shlex.split(add), check=True)
    assert (tmp_path / "work" / "repository-before-2" / ".git").is_file()
    pairs = re.findall(r"^   (tf1to2 verify .+) -- FLAGS$", shown, re.M)
    later, train = [shlex.split(line)[2:] for line in pairs]
    assert pathlib.Path(train[0]).read_text() == PROGRAM
    assert pathlib.Path(train[1]).read_text() == (project / "train.py").read_text()
    # The last commit does not have the other one.
    assert later[0] == "OLD/later.py" and pathlib.Path(later[1]).is_file()
    assert "   OLD is a directory with your copies" in shown
    _run_git(top, "worktree", "remove", "--force", "../repository-before-2")


def test_the_originals_of_a_repository_in_another_are_outside_of_both(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "train.py").write_text(PROGRAM)
    _commit(inner)
    _run_git(tmp_path / "outer", "init", "-q")
    monkeypatch.chdir(inner)
    shown = _run("migrate", ".", "--write").output
    assert "   git worktree add ../../inner-before HEAD   (the originals)" in shown
    assert "tf1to2 verify ../../inner-before/train.py train.py -- FLAGS" in shown


def test_originals_beside_which_nothing_can_be_written(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    tree = git.choose_worktree(tmp_path / "top")
    assert tree.parent == pathlib.Path(tempfile.gettempdir())


def test_a_dirty_tree_is_told(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(PROGRAM)
    _commit(tmp_path)
    assert "Warning" not in _run("migrate", file, "--write").output
    _run_git(tmp_path, "checkout", "-q", "train.py")
    file.write_text(PROGRAM + "# mine\n")
    (tmp_path / "x.py").write_text("")
    shown = _run("migrate", file, "--write").output
    assert "uncommitted changes in 1 file here (train.py). After" in shown
    file.write_text(PROGRAM + "# mine\n")
    shown = _run("migrate", tmp_path, "--write").output
    assert "uncommitted changes in 4 files here (train.py and 3 more)." in shown


def test_a_backup_directory_is_new(tmp_path: pathlib.Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").write_text("")
    _run("migrate", tmp_path / "train.py", "--write", "--backup", full, code=2)
    _run("migrate", tmp_path / "train.py", "--backup", tmp_path / "b", code=2)
    assert (tmp_path / "train.py").read_text() == PROGRAM


SAVES = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
train = tf.train.GradientDescentOptimizer(.1).minimize(tf.square(v - x))
saver = tf.train.Saver(max_to_keep=3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    latest = tf.train.latest_checkpoint("/tmp/ck")
    if latest:
        saver.restore(sess, latest)
    sess.run(train, {x: 1.})
    saver.save(sess, "/tmp/ck/model.ckpt", global_step=3)
    open("/tmp/x").save(sess, "mine")
"""


def test_a_program_that_reads_its_task_is_started_with_it(
    tmp_path: pathlib.Path,
) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import tensorflow as tf\n"
        'cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]})\n'
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])\n"
        'model.compile("sgd", "mse")\nmodel.fit(x, y)\n'
    )
    output = " ".join(_run("migrate", path, "--write").output.split())
    assert "a.py, in each process with a TF_CONFIG that says which task it is" in output
    path.write_text(PROGRAM)
    assert "TF_CONFIG" not in _run("migrate", path, "--write").output


def test_the_paths_of_savers_are_named(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(SAVES.replace('    open("/tmp/x").save(sess, "mine")\n', ""))
    steps = _run("migrate", tmp_path, "--write").output.split("Next\n")[1]
    lines = file.read_text().splitlines()
    for told, code in (
        ("it looks for checkpoints in '/tmp/ck'", "latest_checkpoint("),
        ("it restores latest", "saver.restore("),
        ("it saves checkpoints as '/tmp/ck/model.ckpt'", "saver.save("),
    ):
        number = next(n for n, line in enumerate(lines, 1) if code in line)
        assert f"     {told} (line {number})\n" in steps


def test_another_objects_save_is_no_savers() -> None:
    path = pathlib.Path("train.py")
    found = list(find_places(FileResult(path, b"", SAVES.encode())))
    assert [place.value for place in found] == [
        "'/tmp/ck'",
        "latest",
        "'/tmp/ck/model.ckpt'",
    ]


def test_the_places_of_a_notebook_have_cells() -> None:
    lines = SAVES.splitlines(keepends=True)
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
        for source in (lines[:7], lines[7:8] + lines[12:13])
    ]
    cells[1]["source"] = [line.strip(" ") for line in cells[1]["source"]]
    cells[0]["source"] = lines[:6]
    made = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})
    (place,) = find_places(FileResult(pathlib.Path("a.ipynb"), b"", made.encode()))
    assert (place.where, place.value) == ("cell 2, line 2", "'/tmp/ck/model.ckpt'")


@pytest.mark.parametrize(
    "url, told",
    [
        ("file://{}", "pip install '{}[verify]'"),
        ("file:///nowhere/at/all", "pip install '.[verify]' in a checkout of tf1to2"),
        ("https://example.com/x.git", "pip install '.[verify]' in a checkout"),
    ],
)
def test_the_line_for_verify_names_what_this_was_installed_from(
    url: str, told: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names a checkout, else what pip was given, else words."""
    assert extras.install_line() == f"pip install '{ROOT}[verify]'"
    information = tmp_path / "tf1to2-0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Name: tf1to2\nVersion: 0\n")
    (information / "direct_url.json").write_text(
        json.dumps({"url": url.format(tmp_path), "dir_info": {}})
    )
    monkeypatch.setattr(extras, "_ROOT", tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert extras.install_line().startswith(told.format(tmp_path))


def test_estimators_in_graph_mode_need_their_package(tmp_path: pathlib.Path) -> None:
    text = (
        "import tensorflow as tf\n"
        "e = tf.estimator.Estimator(lambda features, mode: None)\n"
        "x = tf.placeholder(tf.float32, [2])\n"
        "with tf.Session() as sess:\n"
        "  told = tf.RunMetadata()\n"
        "  sess.run(x, {x: [1.0, 2.0]}, tf.RunOptions(trace_level=3), told)\n"
    )
    (tmp_path / "train.py").write_text(text)
    shown = _run("migrate", tmp_path, "--fallback", "compat", "--write").output
    assert (
        "pip install --no-deps tensorflow-estimator==2.15.0   (Estimators in graph mode)"
        in shown
    )
    assert (tmp_path / "graph_estimators.py").is_file()


def test_the_directory_of_a_fit_is_told_with_its_value() -> None:
    made = """\
import fit_callbacks
model_dir = FLAGS.dir or "x"
model.fit(data, callbacks=[fit_callbacks.Training(model_dir, keep=10)])
other.fit(data, callbacks=[fit_callbacks.Training(config.model_dir)])
fit_callbacks.Evaluated(model_dir)
"""
    found = find_places(FileResult(pathlib.Path("a.py"), b"", made.encode()))
    assert [(p.where, p.does, p.value) for p in found] == [
        ("line 2", "has its checkpoints in", "model_dir=FLAGS.dir or 'x'"),
        ("line 4", "has its checkpoints in", "config.model_dir"),
    ]


_SLIM = """\
import tensorflow as tf
from tensorflow.contrib import slim

data = slim.dataset.Dataset("x", tf.TFRecordReader, None, 1, {})
provider = slim.dataset_data_provider.DatasetDataProvider(data)
with tf.Session() as session:
    session.run(provider.get(["label"]))
"""


@pytest.mark.parametrize("text, told", [(_SLIM, True), (PROGRAM, False)])
def test_slim_in_graph_mode_asks_for_its_package(
    tmp_path: pathlib.Path, text: str, told: bool
) -> None:
    (tmp_path / "train.py").write_text(text)
    done = _run("migrate", tmp_path / "train.py", "--fallback", "compat", "--write")
    assert ("pip install tf_slim==1.1.0" in done.output) == told


def test_the_projector_asks_for_its_package(tmp_path: pathlib.Path) -> None:
    text = """\
import tensorflow as tf
from tensorflow.contrib.tensorboard.plugins import projector

with tf.Session() as session:
    writer = tf.summary.FileWriter("log")
    projector.visualize_embeddings(writer, projector.ProjectorConfig())
"""
    (tmp_path / "train.py").write_text(text)
    done = _run("migrate", tmp_path / "train.py", "--fallback", "compat", "--write")
    assert "pip install 'tensorboard>=2.15,<2.22'" in done.output
