"""Public names of what programs import from TensorFlow's own files; generated.

`reference/private_names.py` writes the data from TensorFlow 1.15.5, by identity of the
objects. It is read when the first private module is met.
"""

from __future__ import annotations

import functools
import importlib.resources

TABLE = "private_names.tsv"
# Constants have no identity to go by: module -> (public module, its constants).
_CONSTANTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "tensorflow.python.platform.tf_logging": (
        "tf.logging",
        ("DEBUG", "ERROR", "FATAL", "INFO", "WARN"),
    ),
}


@functools.cache
def _read_rows() -> dict[str, str]:
    text = importlib.resources.files(__package__).joinpath(TABLE).read_text("utf-8")
    parts = (
        line.partition("\t") for line in text.splitlines() if not line.startswith("#")
    )
    return {module: rest for module, _, rest in parts}


@functools.cache
def _read_names(module: str) -> dict[str, str]:
    """A module's names of public objects -> their public symbols."""
    found: dict[str, str] = {}
    for field in filter(None, _read_rows()[module].split("\t")):
        prefix, _, names = field.partition(":")
        if prefix == "!":
            continue
        if prefix.startswith("="):
            found[prefix[1:]] = names
        else:
            found |= {name: f"{prefix}.{name}" for name in names.split()}
    public_module, constants = _CONSTANTS.get(module, ("", ()))
    found |= {name: f"{public_module}.{name}" for name in constants}
    return found


def list_modules() -> frozenset[str]:
    """Every module of TensorFlow 1.15.5's own files."""
    return frozenset(_read_rows())


def find_public(path: str) -> str | None:
    """The public symbol of a private path, with the attributes that follow it.

    `tensorflow.python.framework.ops.Graph.as_default` is `tf.Graph.as_default`. None
    where 1.15.5 has the module, and the object has no public name; "" where it has no
    such module, or the path is a module's.
    """
    module, _, name = path.rpartition(".")
    rest = ""
    if path in _read_rows():
        return ""
    while module:
        if module in _read_rows():
            symbol = _read_names(module).get(name)
            return None if symbol is None else symbol + rest
        rest = f".{name}{rest}"
        module, _, name = module.rpartition(".")
    return ""


@functools.cache
def _find_still_there(module: str) -> frozenset[str]:
    fields = _read_rows().get(module, "").split("\t")
    return frozenset(n for f in fields if f.startswith("!:") for n in f[2:].split())


def is_still_there(path: str) -> bool:
    """Whether TF2 has a private function or class as 1.15.5 had it, by its parameters.

    An attribute of such a class counts too.
    """
    module, _, name = path.rpartition(".")
    while module:
        if name in _find_still_there(module):
            return True
        module, _, name = module.rpartition(".")
    return False
