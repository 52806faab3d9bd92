"""The lines of a notebook that install or select TensorFlow 1, and what they become.

    %tensorflow_version 1.x                    %pip install -q "tensorflow>=2.15,<2.22" ...
    !pip install -q tensorflow==1.15 numpy     !pip install -q "tensorflow>=2.15,<2.22" ... numpy

Only IPython sees them, so no rule of Python's does. What else a line installs stays.
"""

from __future__ import annotations

import re

# What migrated code runs on; the extra `reference` of this project names the same.
REQUIREMENTS = ('"tensorflow>=2.15,<2.22"', '"tf-keras>=2.15,<2.22"')
_NEEDED = " ".join(REQUIREMENTS)

_SELECTS = re.compile(r"(\s*)%tensorflow_version\s+['\"]?1\b.*$")
_PIP = re.compile(
    r"(\s*(?:[!%]\s*)?(?:\S*python\S*\s+-m\s+)?pip3?\s+install\b)(.*)$", re.S
)
_OLD = (
    r"\s*(?:\[[\w,-]*\])?\s*(?:>=?\s*[\w.]+\s*,\s*)?"
    r"(?:(?:===?|~=|<=|<)\s*1(?:\.[\w.*]*)?|<\s*2(?:\.0)*)(?:\s*,\s*[<>=!~]+[\w.]*)*"
)
_END = r"(?=[\s;&\\]|$)"
_TENSORFLOW = re.compile(rf"(['\"]?)\btensorflow(?:[-_](?:gpu|cpu))?{_OLD}\1{_END}")
# Parts of TensorFlow that come with the new one, in the version it wants.
_PARTS = re.compile(rf"\s(['\"]?)(?:tensorflow[-_]estimator|tensorboard){_OLD}\1{_END}")
_UNREADABLE = re.compile(
    r"\b(?:pip3?|conda|mamba)\b.*\binstall\b.*"
    r"\btensorflow(?:[-_](?:gpu|cpu))?['\"]?\s*[-=~<]=?=?\s*1(?:\.|\b)"
    r"|\btensorflow_version['\"]?\s*,?\s*['\"]?1\b",
    re.S,
)


def replace_install(command: str) -> str | None:
    """The command as the migrated notebook needs it; None where it asks for no TF1.

    Also None where it asks for TF1 in a way that is not read: see `asks_for_1`.

    Args:
      command: a line as IPython or a shell reads it, with those that continue it.
    """
    selects = _SELECTS.match(command)
    if selects:
        return f"{selects[1]}%pip install -q {_NEEDED}"
    pip = _PIP.match(command)
    if not pip or not _TENSORFLOW.search(pip[2]):
        return None
    seen = False

    def write_needed(match: re.Match[str]) -> str:
        nonlocal seen
        text, seen = ("" if seen else _NEEDED), True
        return text

    return pip[1] + _TENSORFLOW.sub(write_needed, _PARTS.sub("", pip[2]))


def asks_for_1(command: str) -> bool:
    """Whether a command installs or selects TensorFlow 1, in whatever way."""
    return replace_install(command) is not None or bool(_UNREADABLE.search(command))
