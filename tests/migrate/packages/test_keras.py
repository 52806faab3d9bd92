"""tf-keras is asked for where TensorFlow is, if a program that is served imports it."""

from __future__ import annotations

import pathlib

import click.testing
import pytest

from migrate.cli import main
from migrate.packages import edit_file, find_edits
from migrate.packages.users import find_keras_user, find_users
from migrate.tables import packages as table

TF = table.PACKAGES["tensorflow"]
GPU = table.PACKAGES["tensorflow-gpu"]
K = table.KERAS
IMAGE = table.IMAGE
OF_IMAGE = table.KERAS_OF_IMAGE

# Name of a file; what stands in it, before and after.
EDITED = [
    ("requirements.txt", "tensorflow==1.15.0\n", f"{TF}\n{K}\n"),
    ("requirements.txt", "a\r\ntensorflow==1.15\r\nb", f"a\r\n{TF}\r\n{K}\r\nb"),
    ("requirements.txt", "tensorflow<2", f"{TF}\n{K}"),
    (
        "requirements.in",
        "tensorflow==1.15; x == 'y'  # why\n",
        f"{TF}; x == 'y'  # why\n{K}; x == 'y'\n",
    ),
    (
        "requirements.txt",
        "tensorflow==1.15\ntensorflow-gpu==1.15\n",
        f"{TF}\n{K}\n{GPU}\n",
    ),
    # It was edited before the program was migrated.
    ("requirements.txt", f"{TF}\n", f"{TF}\n{K}\n"),
    ("setup.py", "s(r=['tensorflow~=1.15'])\n", f"s(r=['{TF}', '{K}'])\n"),
    (
        "setup.py",
        's(r=[\n    "a",\n    "tensorflow==1.15",\n    "b"])\n',
        f's(r=[\n    "a",\n    "{TF}",\n    "{K}",\n    "b"])\n',
    ),
    (
        "setup.py",
        's(e={"c": ["tensorflow==1.1"], "g": ["tensorflow-gpu==1.1", "x"]})\n',
        f's(e={{"c": ["{TF}", "{K}"], "g": ["{GPU}", "{K}", "x"]}})\n',
    ),
    (
        "setup.py",
        's(r="""\ntensorflow==1.15\nnumpy\n""")\n',
        f's(r="""\n{TF}\n{K}\nnumpy\n""")\n',
    ),
    (
        "setup.cfg",
        "[options]\ninstall_requires =\n    tensorflow==1.15\n    a\n",
        f"[options]\ninstall_requires =\n    {TF}\n    {K}\n    a\n",
    ),
    (
        "setup.cfg",
        "[options]\ninstall_requires = tensorflow==1.15\n",
        f"[options]\ninstall_requires = {TF}\n    {K}\n",
    ),
    (
        "tox.ini",
        "[a]\ndeps =\n  tensorflow==1.15\n[b]\ndeps =\n  tensorflow==1.14\n",
        f"[a]\ndeps =\n  {TF}\n  {K}\n[b]\ndeps =\n  {TF}\n  {K}\n",
    ),
    ("pyproject.toml", 'd = ["tensorflow==1.*"]\n', f'd = ["{TF}", "{K}"]\n'),
    (
        "pyproject.toml",
        'd = [\n  "tensorflow==1.*",\n]\n',
        f'd = [\n  "{TF}",\n  "{K}",\n]\n',
    ),
    (
        "pyproject.toml",
        '[t]\ntensorflow = "^1.15"\n',
        '[t]\ntensorflow = ">=2.15,<2.22"\ntf-keras = ">=2.15,<2.22"\n',
    ),
    (
        "Pipfile",
        '[packages]\ntensorflow = "==1.15"\n',
        '[packages]\ntensorflow = ">=2.15,<2.22"\ntf-keras = ">=2.15,<2.22"\n',
    ),
    (
        "Dockerfile",
        "FROM tensorflow/tensorflow:1.15.2-gpu-py3 AS a\nRUN x\n",
        f"FROM {IMAGE}-gpu AS a\nRUN pip install '{OF_IMAGE}'\nRUN x\n",
    ),
    (
        "Dockerfile",
        "RUN pip install tensorflow==1.15 numpy\n",
        f"RUN pip install '{TF}' '{K}' numpy\n",
    ),
    (
        "Dockerfile",
        "RUN pip install \\\n    tensorflow==1.15 \\\n    a\n",
        f"RUN pip install \\\n    '{TF}' '{K}' \\\n    a\n",
    ),
    (
        "Dockerfile",
        'RUN ["pip", "install", "tensorflow==1.15"]\n',
        f'RUN ["pip", "install", "{TF}", "{K}"]\n',
    ),
    (
        "environment.yml",
        "d:\n - tensorflow=1.15\n - pip:\n   - a\n",
        f"d:\n - {TF}\n - {K}\n - pip:\n   - a\n",
    ),
    (
        "job.yaml",
        "- run: pip install tensorflow==1.15\n",
        f"- run: pip install '{TF}' '{K}'\n",
    ),
    (
        "job.yaml",
        'args: ["pip install tensorflow==1.15 && x"]\n',
        f"args: [\"pip install '{TF}' '{K}' && x\"]\n",
    ),
    ("job.yaml", 'r: ["tensorflow==1.15", "b"]\n', f'r: ["{TF}", "{K}", "b"]\n'),
]
# Where it cannot be added for certain: what is edited all the same, and what is told.
BY_HAND = [
    (
        "pod.yaml",
        "image: tensorflow/tensorflow:1.13.1\n",
        f"image: {IMAGE}\n",
        f"{IMAGE}: ask for {OF_IMAGE}, too",
    ),
    ("setup.py", "a('tensorflow==1.15')\n", f"a('{TF}')\n", f"ask for {K}, too"),
    ("setup.py", "s(r='tensorflow<2')\n", f"s(r='{TF}')\n", f"ask for {K}, too"),
    ("pyproject.toml", 'd = "tensorflow<2"\n', f'd = "{TF}"\n', f"ask for {K}, too"),
    (
        "tox.ini",
        "[a]\ndeps = x: tensorflow==1.15\n",
        f"[a]\ndeps = x: {TF}\n",
        f"ask for {K}, too",
    ),
]


@pytest.mark.parametrize("name, old, new", EDITED)
def test_it_is_added_once(name: str, old: str, new: str) -> None:
    path = pathlib.Path(name)
    edit = edit_file(path, old.encode(), "train.py")
    assert edit is not None and edit.new.decode() == new
    assert any("tf_keras" in after for _, before, after in edit.lines if not before)
    assert edit_file(path, edit.new, "train.py") is None
    # No program imports it, so nothing is added.
    alone = edit_file(path, old.encode())
    assert alone is None or b"tf-keras" not in alone.new


@pytest.mark.parametrize("name, old, new, told", BY_HAND)
def test_what_is_not_certain_is_told(name: str, old: str, new: str, told: str) -> None:
    edit = edit_file(pathlib.Path(name), old.encode(), "train.py")
    assert edit is not None and edit.new.decode() == new
    assert any(told in words for _, words in edit.by_hand), edit.by_hand


@pytest.mark.parametrize("there", ["tf-keras", "tf_keras==2.16", "TF-Keras>=2"])
def test_one_that_is_there_stays(there: str) -> None:
    old = f"{there}\ntensorflow==1.15\n"
    edit = edit_file(pathlib.Path("requirements.txt"), old.encode(), "train.py")
    assert edit is not None and edit.new.decode() == f"{there}\n{TF}\n"


@pytest.mark.parametrize(
    "content",
    [
        "tensorflow==1.15.0 --hash=sha256:00\n",
        "tensorflow==1.15.0 \\\n    --hash=sha256:00\n",
    ],
)
def test_hashes_are_not_those_of_another_version(content: str) -> None:
    edit = edit_file(pathlib.Path("requirements.txt"), content.encode())
    assert edit is not None and not edit.changed
    assert "with its hashes" in edit.by_hand[0][1]


def _tree(root: pathlib.Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_file_serves_the_programs_below_it(tmp_path: pathlib.Path) -> None:
    _tree(
        tmp_path,
        one__a_py="import tensorflow as tf\nimport tf_keras\n",
        two__b_py="import tensorflow as tf\nx = 'tf_keras'  # Not imported.\n",
    )
    users = find_users(tmp_path)
    assert users == {tmp_path / "one" / "a.py": True, tmp_path / "two" / "b.py": False}

    def find(name: str) -> str:
        user = find_keras_user(tmp_path / name, users)
        return user.name if user else ""

    assert find("one/requirements.txt") == "a.py"
    assert find("two/requirements.txt") == ""
    assert find("requirements.txt") == find("docker/cpu/Dockerfile") == "a.py"


def test_the_command_adds_it_after_a_migration(tmp_path: pathlib.Path) -> None:
    """A model_fn becomes a Keras model: the requirements need both packages then."""
    file = tmp_path / "requirements.txt"
    file.write_text("tensorflow==1.15\n")
    program = pathlib.Path(__file__).parents[2] / "rules" / "K101.py"
    (tmp_path / "train.py").write_text(program.read_text())
    run = click.testing.CliRunner().invoke
    assert "tf-keras" not in run(main, ["packages", str(tmp_path)]).output
    shown = run(main, ["migrate", str(tmp_path), "--write"]).output
    assert f"requirements.txt:1: add {K} (" in shown
    assert f"pip install '{TF}' '{K}'" in shown
    told = run(main, ["packages", str(tmp_path), "--write"]).output
    assert "imports tf_keras)" in told
    assert file.read_text() == f"{TF}\n{K}\n"
    assert find_edits(tmp_path) == []
