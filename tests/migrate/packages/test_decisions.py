"""Checks that only requirements which keep TensorFlow 2 out are reported."""

from __future__ import annotations

import pathlib

import pytest

from migrate.packages import edit_file
from migrate.tables import packages as table

TF = table.PACKAGES["tensorflow"]
EXTRA = table.PACKAGES["tensorflow-gpu"]
CONDA = table.CONDA["tensorflow-gpu"]


def _edit(name: str, text: str) -> tuple[str, list[str]]:
    edit = edit_file(pathlib.Path(name), text.encode())
    assert edit is not None
    return edit.new.decode(), [told for _, told in edit.by_hand]


@pytest.mark.parametrize(
    "name, old, new",
    [
        (
            "environment.yml",
            "dependencies:\n  - tensorflow-gpu=1.15\n",
            f"dependencies:\n  - {CONDA}\n",
        ),
        (
            "environment.yml",
            "dependencies:\n  - tensorflow-gpu==1.15\n",
            f"dependencies:\n  - {CONDA}\n",
        ),
        (
            "environment.yml",
            "dependencies:\n  - pip:\n    - tensorflow-gpu==1.15\n",
            f"dependencies:\n  - pip:\n    - {EXTRA}\n",
        ),
        (
            "environment.yml",
            "dependencies:\n  - pip:\n    - x\n  - tensorflow-gpu==1.15\n",
            f"dependencies:\n  - pip:\n    - x\n  - {CONDA}\n",
        ),
        (
            "Dockerfile",
            "RUN conda install -y tensorflow-gpu==1.15\n",
            f"RUN conda install -y '{CONDA}'\n",
        ),
        (
            "Dockerfile",
            "RUN conda install -y x && pip install tensorflow-gpu==1.15\n",
            f"RUN conda install -y x && pip install '{EXTRA}'\n",
        ),
    ],
)
def test_conda_has_no_extras(name: str, old: str, new: str) -> None:
    assert _edit(name, old) == (new, [])
    assert edit_file(pathlib.Path(name), new.encode()) is None


@pytest.mark.parametrize(
    "line",
    [
        'python_requires=">=3.5,<3.8"',
        'python_requires="~=3.7.0"',
        'python_requires="==3.7.*"',
        'python_requires="<=3.9"',
        'python_requires=">=2.7, <3"',
        'python_requires="==2.7.*"',
    ],
)
def test_a_python_that_tensorflow_2_lacks_is_told(line: str) -> None:
    _, told = _edit("setup.py", f"setup(r=['tensorflow==1.15'], {line})\n")
    assert told == [f"{line}: TensorFlow 2.21 needs Python 3.10 to 3.13"]


@pytest.mark.parametrize(
    "line",
    [
        'python_requires=">=3.5"',
        'python_requires="~=3.6"',
        'python_requires=">=3.6,<4"',
        'python_requires=">=2.7,!=3.0.*"',
        'python_requires=">=3.6,<3.11"',
    ],
)
def test_one_that_it_has_is_not(line: str) -> None:
    assert _edit("setup.py", f"setup(r=['tensorflow==1.15'], {line})\n")[1] == []


def test_other_files_say_it_in_their_own_words() -> None:
    cfg = "[options]\npython_requires = >=3.6,<3.8\ninstall_requires =\n    tensorflow<2\n"
    assert "python_requires = >=3.6,<3.8: TensorFlow" in _edit("setup.cfg", cfg)[1][0]
    toml = '[tool.poetry.dependencies]\npython = "~3.7"\ntensorflow = "^1.15"\n'
    assert 'python = "~3.7": TensorFlow' in _edit("pyproject.toml", toml)[1][0]
    assert _edit("pyproject.toml", toml.replace("~", "^"))[1] == []
    pipfile = '[packages]\ntensorflow = "==1.15"\n[requires]\npython_version = "3.7"\n'
    assert 'python_version = "3.7: TensorFlow' in _edit("Pipfile", pipfile)[1][0]


@pytest.mark.parametrize(
    "entry, want",
    [
        ('tensorflow-gpu = "^1.15"', EXTRA),
        ('tensorflow = {version = "^1.15", optional = true}', TF),
    ],
)
def test_an_entry_of_poetrys_in_more_than_a_word_is_told(entry: str, want: str) -> None:
    text = f"[tool.poetry.dependencies]\n{entry}\n"
    assert _edit("pyproject.toml", text) == (text, [f"{entry}: ask for {want}"])


@pytest.mark.parametrize(
    "pin, told",
    [
        ("numpy==1.16.4", True),
        ("numpy<1.17", True),
        ("numpy>=1.16,<1.19", True),
        ("protobuf==3.6.1", True),
        ("keras==2.3.1", True),
        ("numpy", False),
        ("numpy>=1.16", False),
        ("numpy<2", False),
        ("numpy==1.26.4", False),
        ("my-keras==1.0", False),
        ("keras-applications==1.0.8", False),
    ],
)
def test_a_pin_that_is_too_old_is_told(pin: str, told: bool) -> None:
    by_hand = _edit("requirements.txt", f"tensorflow==1.15\n{pin}\n")[1]
    assert [line.startswith(f"{pin}: TensorFlow 2.15") for line in by_hand] == (
        [True] if told else []
    )
