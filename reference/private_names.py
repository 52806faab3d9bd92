"""Generates the codemod's table of TensorFlow's private modules from TensorFlow itself.

    python -m reference.private_names --tf1 PYTHON --tf2 PYTHON_WITH_2.21

Programs import from TensorFlow's own files (`from tensorflow.python.ops import
array_ops`). Here every module below `tensorflow.python` and `tensorflow.contrib` of
TensorFlow 1.15.5 is looked through for objects that have a public name, by identity.
Private functions and classes that TF2 still has at the same place, with the same
parameters, are marked. An object that 1.15.5 has only under `tf.compat.v2` counts where TF2 takes the same
arguments, or where `tf` has a function that takes these arguments and more. What is written, one row a module, sorted: `migrate/tables/private_names.tsv`.

The dump also runs under Python 3.7, so this file keeps to its syntax.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
from typing import Any

TABLE = "private_names.tsv"
_TOPS = ("tensorflow.python", "tensorflow.contrib")
# Tests and generated code, which no program imports from; Keras, which is another
# package in TF2; and modules that cannot be imported without their hardware.
_NO_MODULES = (
    "_test",
    ".testdata",
    ".gen_",
    ".pywrap",
    ".keras",
    ".examples",
    ".tools",
)
_NO_MODULES += (".autograph", ".profiler")

# Of these 1.15.5's `tf` has one that takes the same arguments, and the old ones
# (reduction_indices, keep_dims, collections), which older programs gave the private one.
_ALSO_IN_TF1 = re.compile(r"tf\.compat\.v2\.(reduce_\w+|constant|Variable)")


# -- the dump: inside TensorFlow 1.15.5's process --------------------------------------


def _public(names: list[str]) -> dict[int, list[str]]:
    """Objects' identities -> their public names."""
    import tensorflow as tf

    found: dict[int, list[str]] = {}
    for name in names:
        value: Any = tf
        try:
            for part in name.split(".")[1:]:
                value = getattr(value, part)
        except Exception:  # some parts of contrib were never shipped
            continue
        if _is_one(value):
            found.setdefault(id(value), []).append(name)
    return found


def _is_one(value: Any) -> bool:
    """Whether an object's identity says what it is: numbers and strings are shared."""
    return callable(value) or type(value).__name__ == "DType"


def _version_two() -> list[str]:
    import tensorflow as tf

    names = []
    todo = [("tf.compat.v2", tf.compat.v2)]
    seen = set()
    while todo:
        prefix, module = todo.pop()
        for attribute in dir(module):
            if attribute.startswith("_") or attribute in ("compat", "keras", "raw_ops"):
                continue
            value = getattr(module, attribute, None)
            name = "%s.%s" % (prefix, attribute)
            if type(value).__name__ in (
                "module",
                "TFModuleWrapper",
                "DeprecationWrapper",
            ):
                if "compat.v2" in getattr(value, "__name__", "") and name not in seen:
                    seen.add(name)
                    todo.append((name, value))
            elif _is_one(value):
                names.append(name)
    return names


def _best(names: list[str], module: str, leaf: str) -> str:
    """The public name of the same part of contrib, of the same last part; the shortest."""
    part = "tf.contrib.%s." % module.split(".")[2] if module.count(".") > 1 else ""
    return min(
        names,
        key=lambda n: (
            n.startswith("tf.contrib.") and not n.startswith(part),
            n.rpartition(".")[2] != leaf,
            n.count("."),
            len(n),
            n,
        ),
    )


def dump(names: list[str]) -> dict[str, dict[str, Any]]:
    """Private module -> its name of an object -> the object's public name.

    Of what is defined there and has none, `!name` -> its parameters.
    """
    import tensorflow  # noqa: F401

    symbols = _neighbour()
    names = [n for n in names if not n.startswith(("tf.raw_ops.", "tf.keras."))]
    core = [n for n in names if not n.startswith("tf.contrib.")]
    contrib = [n for n in names if n.startswith("tf.contrib.")]
    tables = [_public(core), _public(_version_two()), _public(contrib)]
    found: dict[str, dict[str, str]] = {}
    for top in _TOPS:
        package = importlib.import_module(top)
        walk = pkgutil.walk_packages(package.__path__, top + ".", lambda name: None)
        for entry in walk:
            if any(word in entry.name for word in _NO_MODULES):
                continue
            try:
                module = importlib.import_module(entry.name)
            except BaseException:  # contrib has parts whose libraries are missing
                continue
            row = {}
            for leaf, value in sorted(vars(module).items()):
                if leaf.startswith("_") or not _is_one(value):
                    continue
                if getattr(value, "__module__", "") == entry.name:
                    row["!" + leaf] = symbols._signature(value)
                # contrib's modules leak much of what they import.
                for table in tables if ".contrib." in entry.name else tables[:2]:
                    if id(value) in table:
                        row[leaf] = _best(table[id(value)], entry.name, leaf)
                        row.pop("!" + leaf, None)
                        break
            found[entry.name] = row
    return found


def _neighbour() -> Any:
    """reference/symbols.py: `python -I` has no package around this file."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import symbols

    return symbols


def _signatures(names: list[str]) -> dict[str, list[str] | None]:
    """Parameters of TensorFlow's functions, in whichever TensorFlow this process has."""
    import tensorflow as tf

    symbols = _neighbour()
    found: dict[str, list[str] | None] = {}
    for name in names:
        value: Any = tf
        try:
            if ":" in name:  # module:name, of TensorFlow's own files
                module, _, leaf = name.partition(":")
                value = getattr(importlib.import_module(module), leaf)
            else:
                for part in name.split(".")[1:]:
                    value = getattr(value, part)
        except (AttributeError, ImportError):
            continue
        found[name] = symbols._signature(value) if callable(value) else []
    return found


# -- the merge: no TensorFlow ----------------------------------------------------------


def _ask(python: str, action: str, names: list[str]) -> Any:
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    environment.pop("TF2_BEHAVIOR", None)
    command = [python, "-I", "-W", "ignore", os.path.abspath(__file__), action]
    done = subprocess.run(
        command,
        input=json.dumps(names).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        timeout=600,
        check=True,
    )
    return json.loads(done.stdout.decode("utf-8").splitlines()[-1])


def generate(tf1: str, tf2: str) -> str:
    """The text of the table."""
    from migrate.tables.symbols import list_symbols as rows
    from reference.symbols import compatible

    found = _ask(tf1, "--dump", sorted(rows()))
    later = sorted(
        {
            n
            for r in found.values()
            for n in r.values()
            if isinstance(n, str) and ".v2." in n
        }
    )
    private = ["%s:%s" % (m, n[1:]) for m, r in found.items() for n in r if n[0] == "!"]
    still = _ask(tf2, "--signatures", private)
    before = _ask(tf1, "--signatures", later)
    after = _ask(tf2, "--signatures", [n.replace("tf.compat.v2", "tf") for n in later])
    changed = {
        name
        for name in later
        if not (
            name.replace("tf.compat.v2", "tf") in after
            and compatible(before.get(name), after[name.replace("tf.compat.v2", "tf")])
        )
    }
    lines = [
        "# Generated by reference/private_names.py from TensorFlow 1.15.5.",
        "# module, then public prefix:names under it; =private:public where they differ;",
        "# !:private names that TensorFlow 2.21 still has there, of the same parameters.",
    ]
    for module, row in sorted(found.items()):
        there = [
            leaf[1:]
            for leaf, signature in row.items()
            if leaf[0] == "!"
            and "%s:%s" % (module, leaf[1:]) in still
            and compatible(signature, still["%s:%s" % (module, leaf[1:])])
        ]
        kept = {
            leaf: "tf" + name[12:] if _ALSO_IN_TF1.fullmatch(name) else name
            for leaf, name in row.items()
            if leaf[0] != "!" and name not in changed
        }
        fields = _fields(kept)
        if there:
            fields.append("!:%s" % " ".join(sorted(there)))
        lines.append("\t".join([module, *fields]))
    return "\n".join(lines) + "\n"


def _fields(row: dict[str, str]) -> list[str]:
    below: dict[str, list[str]] = {}
    others = []
    for leaf, name in sorted(row.items()):
        prefix, _, last = name.rpartition(".")
        if last == leaf:
            below.setdefault(prefix, []).append(leaf)
        else:
            others.append("=%s:%s" % (leaf, name))
    fields = ["%s:%s" % (prefix, " ".join(found)) for prefix, found in below.items()]
    return sorted(fields) + others


def main(arguments: list[str] | None = None) -> int:
    """Writes the table, or with `--dump` or `--signatures` answers for this process."""
    parser = argparse.ArgumentParser("reference private_names", description=__doc__)
    parser.add_argument("--dump", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--signatures", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--tf1", help="interpreter with TensorFlow 1.15.5")
    parser.add_argument("--tf2", help="interpreter with the target TensorFlow")
    options = parser.parse_args(arguments)
    if options.dump or options.signatures:
        del sys.argv[1:]  # tf.flags.FLAGS parses them when it is looked at
        names = json.load(sys.stdin)
        print(json.dumps(dump(names) if options.dump else _signatures(names)))
        return 0
    if not options.tf1 or not options.tf2:
        parser.error("--tf1 and --tf2 are needed")
    tables = pathlib.Path(__file__).resolve().parent.parent / "migrate" / "tables"
    text = generate(options.tf1, options.tf2)
    (tables / TABLE).write_text(text, encoding="utf-8")
    print("modules=%d" % (text.count("\n") - 3))
    return 0


if __name__ == "__main__":
    sys.exit(main())
