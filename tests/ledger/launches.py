"""The digest of what started processes get to see: texts, data, flags, versions.

Paths of temporary directories and ports differ from run to run; they are written as one
word before the digest is taken. An archive of arrays is known by its arrays, for its
bytes hold the time.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from migrate import emitted
from reference import parsing
from reference.processes import Launch

ROOT = pathlib.Path(__file__).parents[2]
_PATH = re.compile(r"/[\w./+@-]+")
_PORT = re.compile(r"(localhost|127\.0\.0\.1)([:_\"', ]+)\d{4,5}")
# pytest's directories end in a number that depends on which test came first.
_NUMBERED = re.compile(r"(<tmp>(?:/[^/\s\"']+?)?)\d+(?=[/\s\"',]|$)")
_IGNORED = {"__pycache__", ".git"}
# A checkpoint's state file holds the times of its checkpoints.
_TIMES = re.compile(rb"(?m)^(all_model_checkpoint|last_preserved)_timestamps?:.*$")
_READ_BY_TENSORFLOW = ("TF_", "KERAS_", "OPENBLAS_", "OMP_", "CUDA_", "XLA_")
# Which processor OpenBLAS takes the machine for. The processor itself is in no key either: the
# tolerances allow for another one, see `reference.oracle.ELSEWHERE`.
_OF_THE_PROCESSOR = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
# Terraform's variables begin with "TF_", too:
# developer.hashicorp.com/terraform/cli/config/environment-variables
_READ_BY_TERRAFORM = (
    *("TF_CLI_", "TF_DATA_DIR", "TF_IGNORE", "TF_IN_AUTOMATION", "TF_INPUT", "TF_LOG"),
    *(
        "TF_PLUGIN_",
        "TF_REATTACH_",
        "TF_REGISTRY_",
        "TF_STATE_",
        "TF_TOKEN_",
        "TF_VAR_",
    ),
    "TF_WORKSPACE",
)

# Checkpoints and events that an earlier process wrote, whose own launch is in a digest: they
# are other bytes in each run.
_WRITTEN_BY_TENSORFLOW = re.compile(
    r"events\.out\.tfevents\..*|.*\.(index|meta|data-\d{5}-of-\d{5})"
)


@functools.cache
def _temporary() -> str:
    return str(pathlib.Path(tempfile.gettempdir()).resolve())


def _same_everywhere(text: str) -> str:
    """The text without what differs from run to run."""
    text = text.replace(sys.executable, "<python>").replace(str(ROOT), "<root>")
    for base in {_temporary(), tempfile.gettempdir()}:
        text = re.sub(
            re.escape(base) + r"/pytest-of-[^/\s]+/pytest-\d+(/popen-gw\d+)?",
            "<tmp>",
            text,
        )
        text = re.sub(re.escape(base) + r"/[^/\s\"']+", "<tmp>", text)
    text = re.sub(r"/\S*/bin/python[\d.]*", "<python>", text)
    return _PORT.sub(r"\1\2<port>", _NUMBERED.sub(r"\1", text))


def versions(python: str) -> dict[str, str]:
    """Versions of TensorFlow, tf_keras and NumPy that an interpreter has."""
    if python == sys.executable:
        return {
            name: importlib.metadata.version(name)
            for name in ("tensorflow", "tf_keras", "numpy")
        }
    return _versions_elsewhere(python)


@functools.cache
def _versions_elsewhere(python: str) -> dict[str, str]:
    found = {}
    for place in pathlib.Path(python).parents[1].glob("lib/python*/site-packages"):
        for name in ("tensorflow", "tf_keras", "numpy"):
            for info in place.glob(f"{name}-*.dist-info"):
                found[name] = info.name.removesuffix(".dist-info").partition("-")[2]
    return found


@dataclasses.dataclass(frozen=True)
class Seen:
    """All that a launch's processes can read.

    Attributes:
      digest: of all of it.
      committed: the committed files that are part of it.
      contents: digests of the files that are in temporary directories.
      beside: of those that the compiler writes beside programs.
    """

    digest: str
    committed: frozenset[pathlib.Path]
    contents: frozenset[bytes]
    beside: frozenset[bytes]


def look_at_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Those variables of an environment that TensorFlow may look at."""
    return {
        name: _same_everywhere(value)
        for name, value in sorted(inherited.items())
        if name.startswith(_READ_BY_TENSORFLOW)
        and not name.startswith(_READ_BY_TERRAFORM)
        and name not in _OF_THE_PROCESSOR
    }


def look_at(launch: Launch) -> Seen:
    """Finds all that a launch's processes can read."""
    strings = [*launch.command, *launch.environment.values()]
    told = {
        "versions": versions(launch.python),
        "command": [_same_everywhere(text) for text in launch.command],
        "environment": {
            name: _same_everywhere(value)
            for name, value in sorted(launch.environment.items())
        },
        "inherited": look_at_environment(launch.inherited),
    }
    whole = hashlib.sha256(json.dumps(told, sort_keys=True).encode())
    own: set[pathlib.Path] = set()
    contents = set()
    beside = set()
    for name, path in sorted(_files(strings, own)):
        found, is_beside = _look_inside(path)
        whole.update(f"\0{name}\0".encode())
        whole.update(found)
        contents.add(found)
        if is_beside:
            beside.add(found)
    return Seen(
        whole.hexdigest(), frozenset(own), frozenset(contents), frozenset(beside)
    )


def _files(
    strings: Iterable[str], own: set[pathlib.Path]
) -> set[tuple[str, pathlib.Path]]:
    """Files that processes can read: those told by path, and scripts' neighbours."""
    found: set[tuple[str, pathlib.Path]] = set()
    for path in {
        pathlib.Path(match)
        for text in strings
        for match in _PATH.findall(text)
        if not re.search(r"/bin/python[\d.]*$", match)
    }:
        if path.is_relative_to(ROOT):
            inside = committed(path)
            own |= inside
            found |= {(p.relative_to(ROOT).as_posix(), p) for p in inside}
        elif path.is_relative_to(_temporary()):
            tree = path.parent if path.suffix == ".py" else path
            for inner in _below(tree):
                if _WRITTEN_BY_TENSORFLOW.fullmatch(inner.name):
                    continue
                name = _same_everywhere(str(inner))
                found.add((name, inner))
    return found


def _below(path: pathlib.Path) -> Iterator[pathlib.Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        for inner in path.rglob("*"):
            if inner.is_file() and not _IGNORED & set(inner.parts):
                yield inner


def committed(path: pathlib.Path) -> set[pathlib.Path]:
    """A committed file, or those of a directory; a script with what it imports."""
    if path.is_dir():
        return set() if path == ROOT else set(_below(path))
    if not path.is_file():
        return set()
    if path.suffix != ".py":
        return {path}
    found, work = {path}, [path]
    while work:
        new = _imports(work.pop()) - found
        found |= new
        work += new
    return found


@functools.cache
def _imports(script: pathlib.Path) -> frozenset[pathlib.Path]:
    """Modules of the repository that a script imports, from its directory or the root."""
    try:
        tree = parsing.parse(script.read_bytes())
    except SyntaxError:  # Python 2, or a case of what cannot be read.
        return frozenset()
    return _imports_of(tree, (script.parent, ROOT), script)


def _imports_of(
    tree: ast.AST,
    around: tuple[pathlib.Path, ...],
    script: pathlib.Path = ROOT / "<code>",
) -> frozenset[pathlib.Path]:
    places: set[tuple[pathlib.Path, str]] = set()
    for node in _statements(tree):
        names: list[str] = []
        bases = [*around]
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = f"{node.module}." if node.module else ""
            names = [module.rstrip(".")] * bool(module)
            names += [module + alias.name for alias in node.names]
            if node.level:
                bases = [script.parents[node.level - 1]]
        places |= {(base, name) for base in bases for name in names}
    return frozenset(path for base, name in places for path in _find(base, name))


@functools.cache
def _find(base: pathlib.Path, name: str) -> tuple[pathlib.Path, ...]:
    """The modules of the repository that a dotted name means, seen from a directory."""
    inner = base.joinpath(*name.split("."))
    return tuple(
        _the_one(path)
        for path in (inner.with_suffix(".py"), inner / "__init__.py")
        if path.is_file() and path.is_relative_to(ROOT)
    )


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes below a node that are in no expression: imports are there."""
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.expr):
            yield inner
            yield from _statements(inner)


@functools.cache
def _the_one(path: pathlib.Path) -> pathlib.Path:
    """One object for all equal paths: to compare two takes long, and is done millions of times."""
    return path


def find_read_by(
    command: Sequence[str], directory: pathlib.Path
) -> frozenset[pathlib.Path] | None:
    """The committed files that a process can read which a test starts without telling.

    Its command comes from what the test has read, so these are all that it adds.

    Args:
      command: the executable, and its arguments.
      directory: where it runs.

    Returns:
      None where that cannot be known: another program than Python or git, a module of
      another package, as pytest and mkdocs, which find files themselves, or the whole
      repository.
    """
    name, *rest = command
    program = pathlib.PurePath(name).name
    if program == "git" and directory.is_relative_to(_temporary()):
        return frozenset()
    if not re.fullmatch(r"python[\d.]*", program):
        return None
    found: set[pathlib.Path] = set()
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-W", "-X"):
            rest = rest[1:]
        elif option == "-c" and rest:
            inner = _find_imports_of(rest[0])
            if inner is None:
                return None
            found |= inner
            break
        elif option == "-m" and rest:
            # The compiler itself is in each module's key; it asks the project for options.
            if rest[0] not in ("tf1to2", "migrate"):
                return None
            found.add(ROOT / "pyproject.toml")
            if directory == ROOT and len(rest) < 3:
                return None
            break
    told = [directory / text for text in rest if "\n" not in text]
    if ROOT in (path.resolve() for path in told):
        return None
    _files([*rest, *map(str, told)], found)
    return frozenset(found)


def _find_imports_of(code: str) -> set[pathlib.Path] | None:
    """Finds the repository's files that some code imports, and those they import."""
    try:
        tree = parsing.parse(code.encode())
    except SyntaxError:
        return None
    found: set[pathlib.Path] = set()
    for path in _imports_of(tree, (ROOT,)):
        found |= committed(path)
    return found


def entries(path: pathlib.Path, names: frozenset[str]) -> bytes:
    """A digest of what a file holds of some names.

    Of a recording (arrays by "<name>/...", or a JSON object by name) that has some of
    the names, only their entries count; of all other files everything does.
    """
    found: dict[str, object] = {}
    if path.suffix == ".json":
        read = json.loads(path.read_bytes())
        if isinstance(read, dict):
            found = {k: v for k, v in read.items() if k in names}
    elif path.suffix == ".npz":
        with np.load(path) as archive:
            for key in archive.files:
                if key.partition("/")[0] in names:
                    found[key] = _array(archive[key])
    if not found:
        return content(path)
    text = json.dumps(found, sort_keys=True)
    return hashlib.sha256(text.encode()).digest()


def _array(value: np.ndarray[Any, Any]) -> str:
    digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    return f"{value.dtype} {value.shape} {digest}"


def content(path: pathlib.Path) -> bytes:
    """A digest of what a file holds, the same for every writing of it."""
    return _look_inside(path)[0]


def _look_inside(path: pathlib.Path) -> tuple[bytes, bool]:
    """A file's digest, and whether the compiler writes it beside programs."""
    if path.is_relative_to(ROOT):  # Tests change no committed file but for a while.
        state = path.stat()
        return _look_once(path, state.st_mtime_ns, state.st_size)
    return _digest(path), emitted.is_emitted(path, path.read_bytes())


@functools.cache
def _look_once(path: pathlib.Path, written: int, size: int) -> tuple[bytes, bool]:
    return _digest(path), emitted.is_emitted(path, path.read_bytes())


def _digest(path: pathlib.Path) -> bytes:
    if path.suffix == ".npz":
        whole = hashlib.sha256()
        try:
            with np.load(path) as archive:
                for name in sorted(archive.files):
                    whole.update(f"{name} {_array(archive[name])}\n".encode())
        except ValueError:  # Arrays of Python objects are not read.
            return hashlib.sha256(path.read_bytes()).digest()
        return whole.digest()
    data = path.read_bytes()
    if path.name == "checkpoint":
        data = _TIMES.sub(b"", data)
    # A checkout may lie in a temporary directory, too: its files are the same anywhere.
    made = path.is_relative_to(_temporary()) and not path.is_relative_to(ROOT)
    if made and b"\0" not in data[:1024]:
        data = _same_everywhere(data.decode("utf-8", "surrogateescape")).encode(
            "utf-8", "surrogateescape"
        )
    return hashlib.sha256(data).digest()
