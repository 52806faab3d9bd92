"""The gate of edited files: what differs besides packages of TensorFlow is seen."""

from __future__ import annotations

import pathlib

import pytest

from migrate.packages import edit_file, edits
from migrate.packages.gates import keeps_the_rest
from migrate.packages.keras import Added
from migrate.tables.packages import KERAS, KERAS_OF_IMAGE, PACKAGES

TF = PACKAGES["tensorflow"]
DOCKER = "FROM tensorflow/tensorflow:1.15\nRUN pip install tensorflow==1.15 \\\n  numpy==1.16\n"
CONDA = "dependencies:\n  - numpy=1.16\n  - tensorflow=1.15\n  - pip:\n    - six\n"
JOB = "a: {image: 'tensorflow/tensorflow:1.15'}\nrun: |\n  pip install tensorflow==1.15\n  ls > x\n"
POETRY = '[tool.poetry.dependencies]\nnumpy = "1.16"\ntensorflow = "^1.15"\n'
SETUP = (
    "setup(name='a', install_requires=['tensorflow==1.15', 'six'], zip_safe=False)\n"
)
CFG = "[options]\ninstall_requires =\n    tensorflow==1.15\n    six; x == 'y'\n"

# A file's name, its text, and an edit of it that keeps the rest.
KEPT = [
    ("Dockerfile", DOCKER, "tensorflow==1.15", f"'{TF}'"),
    ("Dockerfile", DOCKER, ":1.15\n", f":2.15.0\nRUN pip install '{KERAS_OF_IMAGE}'\n"),
    ("environment.yml", CONDA, "tensorflow=1.15", f"{TF}\n  - {KERAS}"),
    ("job.yaml", JOB, "tensorflow==1.15", f"'{TF}' '{KERAS}'"),
    # A template: its lines are compared.
    ("job.yaml", "{{ x }}\n" + JOB, "tensorflow==1.15", f"'{TF}'"),
    ("pyproject.toml", POETRY, '"^1.15"', '">=2.15"\ntf-keras = ">=2.15"'),
    ("setup.py", SETUP, "tensorflow==1.15", TF),
    ("setup.cfg", CFG, "tensorflow==1.15", f"{TF}\n    {KERAS}"),
    ("requirements.txt", "six\ntensorflow==1.15 # why\n", "tensorflow==1.15", TF),
]
# The same with a fault.
FAULTS = [
    # A shell takes > and < for files.
    ("Dockerfile", DOCKER, "tensorflow==1.15", TF),
    ("Dockerfile", DOCKER, "numpy==1.16", ""),
    ("Dockerfile", DOCKER, "RUN pip", "RUN pip3"),
    ("Dockerfile", DOCKER, ":1.15\n", ":2.15.0\nRUN pip install six\n"),
    ("environment.yml", CONDA, "numpy=1.16\n  - tensorflow=1.15", f"{TF}"),
    ("environment.yml", CONDA, "tensorflow=1.15\n  - pip:", f"{TF}\n  - pip"),
    ("environment.yml", CONDA, "tensorflow=1.15", f"{TF}: x"),
    ("environment.yml", CONDA, "- tensorflow=1.15", f"{TF}"),
    ("job.yaml", JOB, "tensorflow==1.15", TF),
    ("job.yaml", JOB, "ls > x", "ls > y"),
    ("job.yaml", JOB, "|", ">"),
    ("job.yaml", "{{ x }}\n" + JOB, "ls", ""),
    ("pyproject.toml", POETRY, '"1.16"', '"1.17"'),
    ("pyproject.toml", POETRY, '"^1.15"', '"2'),
    ("setup.py", SETUP, "'tensorflow==1.15', ", f"'{TF}' "),
    ("setup.py", SETUP, "False", "True"),
    ("setup.py", SETUP, "name", "names"),
    ("setup.cfg", CFG, "tensorflow==1.15\n    six", f"{TF}\nsix"),
    ("setup.cfg", CFG, "'y'", "'z'"),
    ("requirements.txt", "six\ntensorflow==1.15 # why\n", "six\n", ""),
    ("requirements.txt", "six\ntensorflow==1.15 # why\n", "==1.15 # why", "-hub"),
]


@pytest.mark.parametrize("name, text, old, new", KEPT)
def test_packages_of_tensorflow_may_differ(
    name: str, text: str, old: str, new: str
) -> None:
    assert keeps_the_rest(pathlib.Path(name), text, text.replace(old, new, 1))


@pytest.mark.parametrize("name, text, old, new", FAULTS)
def test_a_planted_fault_is_seen(name: str, text: str, old: str, new: str) -> None:
    assert old in text
    assert not keeps_the_rest(pathlib.Path(name), text, text.replace(old, new, 1))


def test_a_wrong_edit_is_left_to_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "_is_of_a_shell", lambda path, match: False)
    edit = edit_file(pathlib.Path("Dockerfile"), b"RUN pip install tensorflow==1.15\n")
    assert edit is not None and not edit.changed
    assert edit.by_hand == ((1, f"tensorflow==1.15: ask for {TF}"),)


def test_a_wrong_addition_is_left_to_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def add(path: pathlib.Path, text: str) -> Added:
        return Added(text.replace("six", KERAS), ((1, KERAS),))

    monkeypatch.setattr(edits, "add_keras", add)
    path = pathlib.Path("requirements.txt")
    edit = edit_file(path, b"tensorflow==1.15\nsix\n", "train.py")
    assert edit is not None and edit.new == f"{TF}\nsix\n".encode()
    assert edit.by_hand == ((1, f"ask for {KERAS}, too: train.py imports tf_keras"),)
