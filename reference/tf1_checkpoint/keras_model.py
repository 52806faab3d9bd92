"""The weights of a user's Keras model: their names and their places in `.weights.h5`.

The model is built without values, so that one whose tables are larger than memory can
be a target. Keras itself says where each weight stands in the file.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import pathlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from reference import quiet
from reference.tf1_checkpoint.matching import Wanted

# Weights that belong to no layer: of an optimizer or metric that compile() adds.
_NOT_LAYERS = ("optimizer", "metrics", "compile_metrics", "_loss_tracker")
_SEED = "seed_generator"


class NoModel(Exception):
    """The user's function gives no model that can be read; says why."""


def read_model(place: str) -> tuple[list[Wanted], list[str]]:
    """The weights of the model that FILE.py:FUNCTION builds, and states of generators.

    Raises:
      NoModel: there is no such function, or it fails, or gives no Keras model.
    """
    file, colon, name = place.rpartition(":")
    path = pathlib.Path(file)
    if not colon or not path.is_file() or not name.isidentifier():
        raise NoModel(f"--model {place}: it is FILE.py:FUNCTION")
    tf = quiet.import_tensorflow()
    with _without_values(tf):
        build = getattr(_import_file(path), name, None)
        if not callable(build):
            raise NoModel(f"{path} has no function {name}")
        try:
            model = build()
        except Exception as error:
            raise NoModel(f"{name}() of {path} failed: {error!r}") from error
        stores = _stores(model, tf)
        return _weights(model, stores)


def _import_file(path: pathlib.Path) -> Any:
    sys.path.insert(0, str(path.absolute().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise NoModel(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise NoModel(f"{path} fails when it is imported: {error!r}") from error
    return module


@contextlib.contextmanager
def _without_values(tf: Any) -> Iterator[None]:
    """Keras 2 makes no values in a graph; Keras 3 makes them when the scope ends."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(tf.Graph().as_default())
        try:
            keras = importlib.import_module("keras")
            scope = keras.StatelessScope()
        except (ImportError, AttributeError):  # Keras 2 alone.
            yield
            return
        scope.__enter__()
        try:
            yield
        finally:
            tracker = importlib.import_module("keras.src.backend.common.global_state")
            # Leaving it as usual would make all values.
            tracker.set_global_attribute("stateless_scope", scope.original_scope)


def _stores(model: Any, tf: Any) -> dict[str, Mapping[str, Any]]:
    """Returns what each object of the model saves, by its path in the file."""
    package = type(model).__mro__
    names = {c.__module__.partition(".")[0] for c in package}
    home = "tf_keras" if "tf_keras" in names else "keras"
    if home not in names or not hasattr(model, "save_weights"):
        raise NoModel(f"the function gives a {type(model).__name__}, not a Keras model")
    try:
        library = importlib.import_module(f"{home}.src.saving.saving_lib")
        store_class, save = library.H5IOStore, library._save_state
    except (ImportError, AttributeError) as error:
        raise NoModel(f"this version of {home} keeps weights otherwise") from error

    found: dict[str, Mapping[str, Any]] = {}

    class Recorder(store_class):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            pass

        def __bool__(self) -> bool:
            return True

        def make(self, path: str, metadata: object = None) -> Any:
            store: dict[str, Any] = {}
            found[path] = store
            return store

    variable = tf.Variable if home == "tf_keras" else object
    with _values_are_variables(variable):
        try:
            save(model, Recorder(), None, "", set())
        except Exception as error:
            raise NoModel(f"the model does not say what it saves: {error!r}") from error
    return found


@contextlib.contextmanager
def _values_are_variables(cls: Any) -> Iterator[None]:
    """While layers are asked what they save: the variable itself, which has no value."""
    if cls is object:
        yield
        return
    made = importlib.import_module("tensorflow.python.ops.resource_variable_ops")
    base = made.BaseResourceVariable
    before = base.numpy
    base.numpy = lambda self: self
    try:
        yield
    finally:
        base.numpy = before


def _weights(
    model: Any, stores: Mapping[str, Mapping[str, Any]]
) -> tuple[list[Wanted], list[str]]:
    wanted: list[Wanted] = []
    generators: list[str] = []
    for path, store in stores.items():
        parts = path.replace("\\", "/").strip("/").split("/")
        if parts[0] in _NOT_LAYERS:
            continue
        for place, variable in store.items():
            key = "/".join([*filter(None, parts), "vars", place])
            if parts[-1] == _SEED:
                generators.append(key)
                continue
            shape = getattr(variable, "shape", None)
            if shape is None or not hasattr(variable, "dtype"):
                raise NoModel(f"{path} saves {place!r}, which is no variable")
            name = str(getattr(variable, "path", "") or variable.name).split(":")[0]
            first, _, rest = name.partition("/")
            # Keras 3 puts the model's name before its layers'.
            inner = (rest,) if rest and first == model.name else ()
            dtype = getattr(variable.dtype, "name", variable.dtype)
            wanted.append(
                Wanted(key, (name, *inner), tuple(map(int, shape)), str(dtype))
            )
    if not wanted:
        raise NoModel("the model has no weights: build it, or call it once")
    return wanted, generators
