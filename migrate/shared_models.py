"""Model functions of one file that Estimators of other files have.

Such a model_fn can only become a class where all files that know it change with it. So
each is tried: its file and theirs are migrated, and it counts if both come out whole.
"""

from __future__ import annotations

import ast
import dataclasses
import os
import pathlib
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping

from migrate.facts.imports import resolved
from migrate.facts.scopes import Scopes
from migrate.findings import Outcome
from migrate.migration import Options
from migrate.program.keras_model import SharedModels

# What a file spells that has an Estimator, and takes its model_fn from elsewhere.
_ESTIMATOR = b"Estimator("


@dataclasses.dataclass(frozen=True)
class _Known:
    """What a file calls a model_fn of another."""

    file: str
    text: str
    name: str
    makes: bool


def shared_models(
    paths: Iterable[pathlib.Path], options: Options
) -> Mapping[str, SharedModels]:
    """The model functions that files have together, by their real path.

    Args:
      options: of the run, with all that is known of its other files.
    """
    if options.estimators != "keras":
        return {}
    files = {
        os.path.realpath(path): path
        for path in paths
        if path.suffix == ".py" and path.is_file()
    }
    texts = {real: text for real, path in files.items() if (text := _text(path))}
    knowing: dict[tuple[str, str], list[_Known]] = {}
    for real in texts:
        for target, known in _known(real, files, texts):
            knowing.setdefault((target, known.name), []).append(known)
    found: dict[str, SharedModels] = {}
    for (target, name), users in knowing.items():
        if target not in texts or _is_known_elsewhere(target, name, users, texts):
            continue
        tried = _together(found, target, name, users)
        changed = {target, *(user.file for user in users)}
        if all(_comes_out(real, texts[real], tried, options) for real in changed):
            found = tried
    return found


def _text(path: pathlib.Path) -> str:
    try:
        data = path.read_bytes()
        return data.decode() if b"tensorflow" in data else ""
    except (OSError, UnicodeDecodeError):
        return ""  # Whoever migrates it says why.


def _known(
    real: str, files: Mapping[str, pathlib.Path], texts: Mapping[str, str]
) -> Iterator[tuple[str, _Known]]:
    """(file, what is known of it) of the model functions that a file's Estimators have."""
    from migrate.frontends.model_fn.flows import Flows
    from migrate.frontends.model_fn.modes import NotSplit

    if _ESTIMATOR.decode() not in texts[real]:
        return
    scopes = _scopes(texts[real])
    if scopes is None:
        return
    flows = Flows(scopes)
    for text, (_, places) in flows.elsewhere.items():
        place = places[0]
        level, parts = place.module
        target = resolved(files[real], level, (parts,), files)
        try:
            flows.check_elsewhere(text)
        except NotSplit:
            continue
        if target is not None and target != real:
            yield target, _Known(real, text, place.name, place.makes)


def _scopes(text: str) -> Scopes | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Scopes(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_known_elsewhere(
    target: str, name: str, users: list[_Known], texts: Mapping[str, str]
) -> bool:
    """Whether a file that is none of the users may name the function."""
    own = {target, *(user.file for user in users)}
    module = pathlib.Path(target).stem
    word = re.compile(rf"\b{re.escape(name)}\b")
    of = re.compile(rf"\b{re.escape(module)}\b")
    return any(
        word.search(text) and of.search(text)
        for real, text in texts.items()
        if real not in own
    )


def _together(
    found: Mapping[str, SharedModels], target: str, name: str, users: list[_Known]
) -> dict[str, SharedModels]:
    """With one more model function."""
    from migrate.frontends.model_fn.signature import class_name

    more = dict(found)
    own = more.get(target, SharedModels())
    more[target] = dataclasses.replace(own, exported=own.exported | {name})
    for user in users:
        own = more.get(user.file, SharedModels())
        called = "" if user.makes else class_name(name)
        imported = {**own.imported, user.text: called}
        more[user.file] = dataclasses.replace(own, imported=imported)
    return more


def _comes_out(
    real: str, text: str, models: Mapping[str, SharedModels], options: Options
) -> bool:
    """Whether a file is migrated whole, with all of its part in the models."""
    from migrate.compiler import migrate_text

    options = dataclasses.replace(options, models=models)
    try:
        migration = migrate_text(text, options, real)
    except (SyntaxError, RecursionError):
        return False
    loud = (Outcome.REFUSED, Outcome.FAILED)
    if any(f.outcome in loud for f in migration.findings):
        return False
    own = models[real]
    classes = migration.text.count("(tf_keras.Model)")
    named = [name for name in own.imported.values() if name]
    return (
        classes >= len(own.exported)
        and all(re.search(rf"\b{name}\b", migration.text) for name in named)
        and (not own.imported or "keras_estimator.Estimator(" in migration.text)
    )
