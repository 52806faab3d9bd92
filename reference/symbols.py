"""Generates the codemod's table of TensorFlow's public names from TensorFlow itself.

    python -m reference.symbols --tf1 PYTHON --tf2 PYTHON [--tf2 PYTHON ...]

Each interpreter runs this file with `--dump`, because versions of TensorFlow do not
share a process; the merge imports no TensorFlow. The last `--tf2` is the main target.
What is written, both sorted and one row a line:

* `migrate/tables/symbols.tsv`: every public name of TF1 and what became of it;
* `migrate/tables/target_names.tsv`: every public name of TF2 and of tf_keras.

The dump also runs under Python 3.7, so this file keeps to its syntax.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

TABLES = pathlib.Path(__file__).resolve().parent.parent / "migrate" / "tables"
SYMBOLS, TARGETS = "symbols.tsv", "target_names.tsv"

# Attributes of API modules that are not API, or that are walked under their own name.
_NOT_API = {"python", "core", "tools", "examples", "include", "contrib", "security"}
_NOT_API |= {"src", "api", "protobuf"}  # of tf_keras
_NOT_API |= {"pywrap_tensorflow", "tf_decorator"}  # leaks of 1.15
# Where modules of the API come from; 2.15's tf.summary is tensorboard's.
_PACKAGES = (
    "tensorflow",
    "tensorflow_core",
    "tensorflow_estimator",
    "tensorboard",
    "keras",
    "tf_keras",
)
_OTHER_ROOTS = {"tf.compat.v1", "tf.compat.v2", "tf.keras"}
# Below tf.contrib: private, or other modules under a second name.
_CONTRIB_COPIES = {"python", "ops", "keras", "specs", "quantization"}
# Modules of `tf` that Keras fills: Keras 2 in TF 2.15, whichever Keras 3 is installed
# from 2.16 on. Their contents are not TensorFlow's to promise.
KERAS_OWNED = ("initializers", "keras", "losses", "metrics", "optimizers")

# -- the dump: inside one TensorFlow's process -----------------------------------------


def _text(default: Any) -> str:
    """A default value as text without spaces, equal across versions if it means so."""
    name = getattr(default, "__name__", None)
    kind = type(default).__name__
    if kind == "DType":
        text = "tf." + default.name
    elif name is not None:
        text = name
    elif hasattr(default, "value") and hasattr(type(default), "__members__"):
        text = "%s.%s" % (kind, default.name)
    elif isinstance(default, (bool, int, float, str, bytes, tuple, list, dict)):
        text = repr(default)
    else:
        text = "None" if default is None else "<%s>" % kind
    return re.sub(r"\s", "", text)


def _signature(value: Any) -> list[str] | None:
    """Parameters as `name`, `name=default`, `*name`, `**name`, and a bare `*`."""
    import inspect

    constructor = inspect.isclass(value) and (
        value.__init__ if value.__init__ is not object.__init__ else value.__new__
    )  # not the metaclass's __call__, which takes anything
    try:
        found = list(inspect.signature(constructor or value).parameters.values())
    except (TypeError, ValueError):
        return None
    parameters: list[str] = []
    starred = False
    for parameter in found[1:] if constructor else found:
        text = parameter.name
        if parameter.kind is parameter.VAR_POSITIONAL:
            text, starred = "*" + text, True
        elif parameter.kind is parameter.VAR_KEYWORD:
            text = "**" + text
        elif parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parameters.append("*")
            starred = True
        if parameter.default is not parameter.empty:
            text += "=" + _text(parameter.default)
        parameters.append(text)
    return parameters


def _is_message(value: type) -> bool:
    return hasattr(value, "DESCRIPTOR")


def _members(value: type) -> Iterable[tuple[str, Any]]:
    """Yields the names that programs use on a class: constants, enum members, makers.

    Inherited attributes belong to the class that defines them.
    """
    import enum

    if _is_message(value):
        for kind in value.DESCRIPTOR.enum_types:  # type: ignore[attr-defined]
            for constant in kind.values:
                yield constant.name, constant.number
        return
    for name, raw in sorted(value.__dict__.items()):
        if name.startswith("_") or name in ("from_config", "from_spec"):
            continue
        # By value: GraphKeys.VARIABLES is a property of the class.
        constant = name.upper() == name and isinstance(
            getattr(value, name), (str, int, float)
        )
        method = isinstance(raw, (classmethod, staticmethod))
        if constant or method or isinstance(raw, enum.Enum):
            yield name, getattr(value, name)


class _Dump:
    """Walks one API root, keeping objects alive so that identities stay unique."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}
        self._alive: list[Any] = []

    def _unwrapped(self, value: Any) -> Any:
        """Without TensorFlow's own decorators: deprecation, dispatch, weak types.

        Not `__wrapped__`: Dataset's v1 methods use it for v2's, and differ from them.
        """
        while True:
            decorator = getattr(value, "__dict__", {}).get("_tf_decorator")
            if decorator is None:
                return value
            value = decorator.decorated_target

    def add(self, name: str, value: Any, depth: int = 0) -> None:
        import enum
        import inspect

        constant = isinstance(
            value, (bool, int, float, str, bytes, tuple, list, enum.Enum)
        )
        row: dict[str, Any] = {}
        if value is None or constant:
            row["value"] = (
                _text(value)
                if not isinstance(value, (int, str))
                else (re.sub(r"\s", " ", repr(value))[:60])
            )
        else:
            self._alive.append(value)
            row["id"] = id(value)
            row["inner"] = id(self._unwrapped(value))
            if callable(value):
                row["signature"] = _signature(value)
            names = getattr(value, "__dict__", {}).get("_tf_api_names")
            if names:
                row["canonical"] = "tf." + names[0]
        self.rows[name] = row
        if inspect.isclass(value) and depth == 0:
            for member, content in _members(value):
                self.add(name + "." + member, content, depth + 1)

    def walk(self, name: str, module: Any, above: tuple[int, ...] = ()) -> None:
        """Adds everything public below a module that is called `name`."""
        import types

        try:
            attributes = dir(module)
        except Exception:  # a lazily loaded module whose own imports fail
            return
        for attribute in attributes:
            child = name + "." + attribute
            if attribute.startswith("_") or attribute in _NOT_API:
                continue
            if child in _OTHER_ROOTS:
                continue
            try:
                value = getattr(module, attribute)
            except Exception:  # e.g. Keras 2 names where Keras 3 is installed
                continue
            if type(value).__name__ == "_Feature":  # from __future__ import ...
                continue
            if isinstance(value, types.ModuleType):
                home = value.__dict__.get("__name__", "")
                lazy = type(value).__name__.endswith("LazyLoader")
                known = lazy or home.split(".")[0] in _PACKAGES
                if known and id(value) not in above:
                    self.walk(child, value, (*above, id(value)))
                continue
            self.add(child, value)

    def walk_contrib(self, name: str, module: Any, depth: int = 0) -> None:
        """contrib's modules seldom hide what they import, so this looks at origins.

        Directly below `tf.contrib.X` everything of TensorFlow counts, deeper only
        what the module itself defines ("tf.contrib.slim.learning.train").
        """
        import types

        home = getattr(module, "__name__", "")
        listed = getattr(module, "__all__", None) if depth == 1 else None
        for attribute in sorted(set(listed or dir(module))):
            if attribute.startswith("_") or attribute in _CONTRIB_COPIES:
                continue
            try:
                value = getattr(module, attribute)
            except Exception:  # some parts of contrib were never shipped
                continue
            child = name + "." + attribute
            if isinstance(value, types.ModuleType):
                inside = value.__name__.startswith("tensorflow") and (
                    ".contrib." in value.__name__
                )
                if inside and (
                    depth < 2 or (depth == 2 and hasattr(module, "__path__"))
                ):
                    self.walk_contrib(child, value, depth + 1)
                continue
            origin = getattr(value, "__module__", None) or ""
            if depth == 0 or not callable(value) or not origin.startswith("tensorflow"):
                continue
            if depth == 1 or origin == home:
                self.add(child, value, depth=1)


def _load(module: Any) -> Any:
    """A lazily loaded module, loaded: its `dir` is empty or fails before that."""
    try:
        dir(module)
    except Exception:
        pass
    return module


def dump() -> dict[str, Any]:
    """Every public name of the TensorFlow of this process."""
    import tensorflow as tf

    version = tf.__version__
    result: dict[str, Any] = {"version": version}
    if version.startswith("1."):
        one = _Dump()
        one.walk("tf", tf)
        one.walk("tf.keras", tf.keras)
        one.walk_contrib("tf.contrib", _load(tf.contrib))
        result["tf"] = one.rows
        return result
    import tf_keras
    from tensorflow.tools.compatibility import all_renames_v2

    modules = [
        ("tf", "tf", tf),
        ("compat", "tf", tf.compat.v1),
        ("tf_keras", "tf_keras", tf_keras),
    ]
    if os.environ.get("TF_USE_LEGACY_KERAS") == "1":
        modules.append(("compat_keras", "tf.keras", tf.compat.v1.keras))
    keep = []  # one list of live objects, so that equal ids mean the same object
    for key, name, module in modules:
        one = _Dump()
        one.walk(name, _load(module))
        keep.append(one)
        result[key] = one.rows
    result["renames"] = dict(all_renames_v2.symbol_renames)
    return result


# -- the merge: no TensorFlow ----------------------------------------------------------


class Row(NamedTuple):
    """One line of `symbols.tsv`; `migrate.tables.symbols.Symbol` explains the fields."""

    name: str
    status: str
    new_name: str
    status_2_15: str
    flags: str
    signature_v1: str
    signature_v2: str
    suggestion: str


def run_dump(python: str, legacy_keras: bool = False) -> dict[str, Any]:
    """The dump of the TensorFlow that an interpreter has."""
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    environment.pop("TF_USE_LEGACY_KERAS", None)
    if legacy_keras:
        environment["TF_USE_LEGACY_KERAS"] = "1"
    # -I: the neighbours of this file must not shadow what TensorFlow imports.
    command = [python, "-I", "-W", "ignore", os.path.abspath(__file__), "--dump"]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, env=environment, timeout=300, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.decode("utf-8").splitlines()[-1])
    return found


def compatible(old: list[str] | None, new: list[str] | None) -> bool:
    """Whether every call that fits `old` means the same given to `new`.

    `new` may have more parameters, at the end. `name` may have moved: it is given
    by keyword (2.21 put `grad_a` before it in matmul, for one).
    """
    if old is None or new is None:
        return old == new

    def split(parameters: list[str]) -> tuple[list[str], bool]:
        names = [p for p in parameters if p != "name=None"]
        return names, len(names) != len(parameters)

    (before, named), (after, still_named) = split(old), split(new)
    if named and not (still_named or any(p.startswith("**") for p in new)):
        return False
    if after[: len(before)] != before:
        return False
    rest = [p for p in after[len(before) :] if p != "*"]
    return all("=" in p or p.startswith("*") for p in rest)


def _best_name(candidates: Iterable[str], preferred: str) -> str:
    """The name to write: tf_upgrade_v2's, else the one nearest to the root."""
    found = [
        c
        for c in candidates
        if not c.startswith(("tf.compat.", "tf.raw_ops.", "tf.experimental.numpy."))
    ]
    if preferred in found:
        return preferred
    return min(found, key=lambda c: (c.count("."), len(c), c), default="")


class _Target:
    """One TF2 version's answers."""

    def __init__(self, plain: dict[str, Any], legacy: dict[str, Any]) -> None:
        self.version: str = plain["version"]
        self.tf: dict[str, Any] = plain["tf"]
        self.compat: dict[str, Any] = plain["compat"]
        self.tf_keras: dict[str, Any] = plain["tf_keras"]
        self.renames: dict[str, str] = plain["renames"]
        self.legacy_compat: dict[str, Any] = legacy["compat"]
        self.legacy_keras: dict[str, Any] = legacy["compat_keras"]
        self.legacy_tf_keras: dict[str, Any] = legacy["tf_keras"]
        self.by_id: dict[int, list[str]] = {}
        self.by_inner: dict[int, list[str]] = {}
        for name, row in self.tf.items():
            if "id" in row and not name.startswith("tf.keras."):
                self.by_id.setdefault(row["id"], []).append(name)
                self.by_inner.setdefault(row["inner"], []).append(name)

    @staticmethod
    def _is_same(one: dict[str, Any], two: dict[str, Any]) -> bool:
        if "id" in one:
            return bool(one["id"] == two.get("id"))
        return "value" in two and bool(one["value"] == two["value"])

    def judge(self, name: str, old: list[str] | None) -> tuple[str, str, set[str]]:
        """Status, the name that keeps TF1's meaning, flags."""
        if name.startswith("tf.keras."):
            return self._judge_keras(name, old)
        new, v1 = self.tf.get(name), self.compat.get(name)
        compat_name = "tf.compat.v1." + name[3:]
        if v1 is None:
            if new is not None:
                return "changed", "", {"no-compat"}
            if name in self.legacy_compat:
                return "compat", compat_name, {"legacy-keras"}
            return "gone", "", set()
        flags = set()
        if not compatible(old, v1.get("signature")):
            flags.add("signature")
        if new is not None:
            if self._is_same(new, v1):
                return ("changed" if flags else "same"), name, flags
            decorated = "id" in new and new["inner"] == v1.get("inner")
            if decorated and compatible(v1.get("signature"), new.get("signature")):
                return "changed", name, flags | {"decorated"}
        else:
            preferred = self.renames.get(name, "")
            best = _best_name(self.by_id.get(v1.get("id", 0), ()), preferred)
            if not best and "value" in v1 and preferred in self.tf:
                best = preferred if self._is_same(v1, self.tf[preferred]) else ""
            if best:
                return "moved", best, flags
            for best in self.by_inner.get(v1.get("inner", 0), ()):
                if compatible(v1.get("signature"), self.tf[best].get("signature")):
                    same = [best] + self.by_id[self.tf[best]["id"]]
                    return "moved", _best_name(same, preferred), flags | {"decorated"}
        return ("compat" if new is None else "changed"), compat_name, flags

    def _judge_keras(
        self, name: str, old: list[str] | None
    ) -> tuple[str, str, set[str]]:
        """Keras 2 is tf_keras; `tf.keras` is Keras 3 from TF 2.16 on."""
        target = "tf_keras." + name[len("tf.keras.") :]
        new = self.legacy_tf_keras.get(target)
        v1 = self.legacy_keras.get(name)
        flags = set()
        if new is None:
            if v1 is None:
                return "gone", "", set()
            return "compat", "tf.compat.v1." + name[3:], {"legacy-keras"}
        if not compatible(old, new.get("signature")):
            flags.add("signature")
        same = v1 is not None and self._is_same(new, v1)
        return ("moved" if same else "changed"), target, flags

    def suggestion(self, name: str, new_name: str) -> str:
        """The native name tf_upgrade_v2 has for it, where it is not the new name."""
        found = self.renames.get(name, "")
        known = found in self.tf and not found.startswith("tf.keras.")
        return found if known and found != new_name else ""

    def signature(self, status: str, name: str, new_name: str) -> list[str] | None:
        """Returns the signature of the TF2 namesake, or else of the new name."""
        if name.startswith("tf.keras."):
            row = self.legacy_tf_keras.get(new_name)
        elif status == "compat":
            row = self.compat.get(name) or self.legacy_compat.get(name)
        else:
            row = self.tf.get(name) or self.tf.get(new_name)
        return (row or {}).get("signature")


def _joined(signature: list[str] | None) -> str:
    """Parameters between spaces; `()` for none, `?` where it cannot be known."""
    if signature is None:
        return "?"
    return " ".join(signature) or "()"


def merge(v1: dict[str, Any], targets: list[_Target]) -> list[Row]:
    """Rows of every TF1 name; the last target is the main one, the first the older."""
    core_by_id: dict[int, str] = {}
    for name, row in sorted(v1["tf"].items()):
        if "id" in row and not name.startswith(("tf.contrib.", "tf.keras.")):
            best = core_by_id.get(row["id"], "")
            if not best or (name.count("."), len(name)) < (best.count("."), len(best)):
                core_by_id[row["id"]] = name
    rows = []
    for name, row in sorted(v1["tf"].items()):
        old = row.get("signature")
        # raw_ops take keywords only and have the op's own arguments: no news there.
        callable_ = "signature" in row and not name.startswith("tf.raw_ops.")
        if name.startswith("tf.contrib."):
            core = core_by_id.get(row.get("id", 0), "")
            flags: set[str] = {"core"} if core else set()
            new_name, signature = "", None
            if core:
                status, new_name, more = targets[-1].judge(core, old)
                flags |= more
                signature = targets[-1].signature(status, core, new_name)
            rows.append(
                Row(
                    name,
                    "contrib",
                    new_name,
                    "contrib",
                    ",".join(sorted(flags)),
                    _joined(old) if callable_ else "",
                    _joined(signature) if signature is not None else "",
                    targets[-1].suggestion(name, new_name),
                )
            )
            continue
        status, new_name, flags = targets[-1].judge(name, old)
        older = targets[0].judge(name, old)[0]
        signature = targets[-1].signature(status, name, new_name)
        rows.append(
            Row(
                name,
                status,
                new_name,
                older,
                ",".join(sorted(flags)),
                _joined(old) if callable_ else "",
                _joined(signature) if callable_ and status != "gone" else "",
                targets[-1].suggestion(name, new_name),
            )
        )
    return rows


def render_symbols(rows: list[Row], versions: list[str]) -> str:
    """The text of `symbols.tsv`; empty fields at the end of a line are cut.

    `=` stands for: new name is the name, status is the main one, signature is TF1's.
    """
    lines = [
        "# Generated by reference/symbols.py from TensorFlow %s." % ", ".join(versions),
        "# " + "\t".join(Row._fields) + "",
        "# = is the name in new_name, the status in status_2_15, signature_v1 in _v2.",
    ]
    for row in rows:
        fields = [
            row.name,
            row.status,
            "=" if row.new_name == row.name else row.new_name,
            "=" if row.status_2_15 == row.status else row.status_2_15,
            row.flags,
            row.signature_v1,
            "=" if row.signature_v2 == row.signature_v1 else row.signature_v2,
        ]
        lines.append("\t".join(fields + [row.suggestion]).rstrip("\t"))
    return "\n".join(lines) + "\n"


def target_rows(targets: list[_Target]) -> dict[str, tuple[str, ...]]:
    """Name -> the versions that have it; `tf.compat.v1.X` has a row of its own."""
    found: dict[str, tuple[str, ...]] = {}
    for target in targets:
        names = set(target.tf) | set(target.tf_keras)
        names |= {
            "tf.compat.v1." + name[3:]
            for name in target.compat
            if not name.startswith("tf.raw_ops.")
        }
        for name in names:
            found[name] = (*found.get(name, ()), target.version)
    return found


def render_targets(rows: dict[str, tuple[str, ...]], versions: list[str]) -> str:
    """The text of `target_names.tsv`: a name, and its versions unless it is in all."""
    lines = [
        "# Generated by reference/symbols.py from TensorFlow %s." % ", ".join(versions),
        "# name, and the versions that have it where not all do",
    ]
    for name in sorted(rows):
        everywhere = len(rows[name]) == len(versions)
        lines.append(name if everywhere else name + "\t" + " ".join(rows[name]))
    return "\n".join(lines) + "\n"


def load_target(python: str) -> _Target:
    """Dumps a TF2 version twice: as programs run it, and with Keras 2 as its Keras."""
    return _Target(run_dump(python), run_dump(python, legacy_keras=True))


def main(arguments: list[str] | None = None) -> int:
    """Writes the two tables, or with `--dump` prints this process's names as JSON."""
    parser = argparse.ArgumentParser("reference symbols", description=__doc__)
    parser.add_argument("--dump", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--tf1", help="interpreter with TensorFlow 1.15.5")
    parser.add_argument("--tf2", action="append", help="interpreter; oldest first")
    parser.add_argument("--output", default=str(TABLES), help="directory of the tables")
    options = parser.parse_args(arguments)
    if options.dump:
        del sys.argv[1:]  # tf.flags.FLAGS parses them when it is looked at
        print(json.dumps(dump()))
        return 0
    if not options.tf1 or not options.tf2:
        parser.error("--tf1 and --tf2 are needed")
    v1 = run_dump(options.tf1)
    targets = [load_target(python) for python in options.tf2]
    versions = [target.version for target in targets]
    rows = merge(v1, targets)
    output = pathlib.Path(options.output)
    symbols = render_symbols(rows, [v1["version"]] + versions)
    (output / SYMBOLS).write_text(symbols, encoding="utf-8")
    names = render_targets(target_rows(targets), versions)
    (output / TARGETS).write_text(names, encoding="utf-8")
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.status] = counts.get(row.status, 0) + 1
    print(" ".join("%s=%d" % item for item in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
