"""Model functions of one file that Estimators of other files have.

Such a model_fn can only become a class where all files that know it change with it, and
those whose functions make its layers (`migrate.shared.networks`). So each is tried: all of
them are migrated, and it counts if every one comes out whole.
"""

from __future__ import annotations

import ast
import dataclasses
import logging
import os
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping

from migrate.facts.trees.imports import resolve_module
from migrate.findings import Outcome
from migrate.options import Options
from migrate.program.keras_files import MAKES_LAYERS, SharedModels
from migrate.shared.files import TreeFiles
from migrate.shared.networks import Models, Networks, add_networks, drop_networks
from migrate.source.nodes import parse_source

_LOGGER = logging.getLogger(__name__)
# What a file spells that has an Estimator, and takes its model_fn from elsewhere.
_ESTIMATOR = "Estimator"
# What a file spells that has model functions.
_SPEC = "EstimatorSpec"


@dataclasses.dataclass(frozen=True)
class _Known:
    """One use of a model_fn in a file, which imports it from another file."""

    file: str
    text: str
    name: str
    line: int
    makes: bool
    given: frozenset[str] = frozenset()


def find_shared_models(
    paths: Iterable[pathlib.Path], options: Options
) -> Mapping[str, SharedModels]:
    """The model functions that files have together, by their real path.

    Args:
      options: of the run, with all that is known of its other files.
    """
    if not options.makes_models:
        return {}
    return _Search(TreeFiles(paths, options.tree), options).run()


class _Search:
    """Tries one model function after another, each with those that were taken."""

    def __init__(self, tree: TreeFiles, options: Options) -> None:
        # What is not reported is done all the same.
        self._options = dataclasses.replace(options, select=(), ignore=())
        self._tree = tree
        self._found: Models = {}

    def run(self) -> Models:
        tree = self._tree
        texts = {r: t for r in tree.modules if "tensorflow" in (t := tree.read_text(r))}
        knowing: dict[tuple[str, str], list[_Known]] = {}
        for real in texts:
            for target, known in _find_known_models(real, tree):
                knowing.setdefault((target, known.name), []).append(known)
        for (target, name), users in knowing.items():
            if target not in texts:
                continue
            own = {target, *(user.file for user in users)}
            others = sorted(map(os.path.basename, tree.find_naming(name, own)))
            reason = f"which {', '.join(others)} may use, too"
            left: list[_Known] = []
            if unfit := self._options.tree.columns.get(target):
                reason = f"in {os.path.basename(target)}: {unfit}"
            elif len({user.given for user in users}) > 1:
                reason = "which gets different arguments in different places"
            elif not others:
                tried = _add_model(self._found, target, name, users)
                reason = self._try(tried, target, own - {target})
                left = (
                    self._take_where_not_refused(target, name, users) if reason else []
                )
            self._say(users if not left else [], reason)
        for real, text in texts.items():
            known_of = self._found.get(real, SharedModels())
            if _SPEC in text and known_of.files is None:
                self._try(self._found, real, set())
        return self._found

    def _try(self, models: Models, target: str, users: set[str]) -> str:
        """Takes a file's model functions, if all files that change with them come out.

        Returns:
          Why they do not; "" if they do.
        """
        try:
            whole = add_networks(models, target, self._tree)
            changed = {*users, *whole.functions}
            if not changed or self._come_out({target, *changed}, whole, target):
                self._found = whole.models
                return ""
            reason = f"in {os.path.basename(target)}"
            if whole.functions:
                kept = drop_networks(models, whole, target)
                if not users or self._come_out({target, *users}, kept, target):
                    self._found = kept.models
                    return ""
            if whole.stay:
                return f"{reason}: {'; '.join(dict.fromkeys(whole.stay))}"
            names = ", ".join(sorted(map(os.path.basename, whole.functions)))
            with_them = f", with {names}" if names else ""
            return f"{reason}{with_them}, which cannot be migrated completely"
        except Exception as error:  # A fault of ours must not cost the user the run.
            _LOGGER.debug("%s: %s", target, error, exc_info=True)
            return f"in {os.path.basename(target)}"

    def _take_where_not_refused(
        self, target: str, name: str, users: list[_Known]
    ) -> list[_Known]:
        """Takes it for those files that are not refused anyway.

        Returns:
          Its uses in other files; none if it is not taken.
        """
        left = [user for user in users if self._is_refused(user.file)]
        rest = [user for user in users if user not in left]
        if not left or not rest:
            return []
        tried = _add_model(self._found, target, name, rest)
        for user in left:
            own = tried.get(user.file, SharedModels())
            gone = {**own.gone, **self._explain_refused_use(user, target)}
            tried[user.file] = dataclasses.replace(own, gone=gone)
        if self._try(tried, target, {user.file for user in rest}):
            return []
        return left

    def _explain_refused_use(
        self, user: _Known, target: str
    ) -> dict[int, tuple[str, str]]:
        """Writes the note at the line where a refused file names a model_fn."""
        line = self._tree.read_raw(user.file).split("\n")[user.line - 1].strip()
        # Not "is now": this refusal may keep the whole program as it was.
        becomes = "will make a Keras model" if user.makes else "becomes a Keras model"
        what = f"{user.name} of {os.path.basename(target)} {becomes}"
        return {
            user.line: (
                line,
                (
                    f"{what}. When you change this file, write the class in place of "
                    "the model_fn"
                ),
            )
        }

    def _is_refused(self, real: str) -> bool:
        """Whether a file is left as it is, whatever becomes of a model_fn of others."""
        from migrate.compiler import migrate_text

        text = self._tree.read_raw(real)
        try:
            found = migrate_text(text, self._options, real)
            same = _is_same_program(found.text, text)
        except (SyntaxError, RecursionError):
            return False
        return same and any(f.outcome is Outcome.REFUSED for f in found.findings)

    def _say(self, users: Iterable[_Known], reason: str) -> None:
        """Notes for each user of a model_fn the reason why it stays a model_fn."""
        found = dict(self._found)
        for user in users if reason else ():
            own = found.get(user.file, SharedModels())
            stay = {**own.stay, user.text: reason}
            found[user.file] = dataclasses.replace(own, stay=stay)
        self._found = found

    def _come_out(self, files: Iterable[str], tried: Networks, target: str) -> bool:
        return all(self._comes_out(real, tried, target) for real in sorted(files))

    def _comes_out(self, real: str, tried: Networks, target: str) -> bool:
        """Whether a file is migrated whole, with all of its part in the models."""
        from migrate.compiler import migrate_text

        around = dataclasses.replace(self._options.tree, models=tried.models)
        options = dataclasses.replace(self._options, tree=around)
        try:
            migration = migrate_text(self._tree.read_raw(real), options, real)
            beside = options.prepare_second_run(migration.support)
            again = migrate_text(migration.text, beside, real)
        except (SyntaxError, RecursionError):
            return False
        loud = (Outcome.REFUSED, Outcome.FAILED)
        if any(f.outcome in loud for f in migration.findings):
            return False
        if again.text != migration.text:
            return False
        own = tried.models[real]
        classes = migration.text.count("(tf_keras.Model)")
        named = [name for name in own.imported.values() if name]
        if real == target:
            named += tried.classes
        functions = [f for f in migration.findings if f.reason.startswith(MAKES_LAYERS)]
        return (
            classes >= len(own.exported)
            and all(re.search(rf"\b{name}\b", migration.text) for name in named)
            and (not own.imported or "keras_estimator.Estimator" in migration.text)
            and len(functions) >= tried.functions.get(real, 0)
        )


def _find_known_models(real: str, tree: TreeFiles) -> Iterator[tuple[str, _Known]]:
    """Yields (file, use) of each other file's model function that Estimators have."""
    from migrate.frontends.model_fn.flows import Flows
    from migrate.frontends.model_fn.modes import NotSplit

    if _ESTIMATOR not in tree.read_text(real):
        return
    scopes = tree.read_scopes(real)
    if scopes is None:
        return
    flows = Flows(scopes)
    for text, (_, places) in flows.elsewhere.items():
        place = places[0]
        level, parts = place.module
        target = resolve_module(tree.modules[real], level, (parts,), tree.modules)
        try:
            flows.check_elsewhere(text)
        except NotSplit:
            continue
        if target is not None and target != real:
            if len({one.given for one in places}) == 1:
                line = place.statement.lineno
                known = (real, text, place.name, line, place.makes, place.given)
                yield target, _Known(*known)


def _is_same_program(text: str, other: str) -> bool:
    """Whether two texts are one program, but for comments."""
    return ast.dump(parse_source(text)) == ast.dump(parse_source(other))


def _add_model(
    found: Mapping[str, SharedModels], target: str, name: str, users: list[_Known]
) -> dict[str, SharedModels]:
    """Adds one more model_fn, and returns the new mapping."""
    from migrate.frontends.model_fn.signature import name_class

    more = dict(found)
    own = more.get(target, SharedModels())
    exported = {**own.exported, name: users[0].given}
    more[target] = dataclasses.replace(own, exported=exported)
    for user in users:
        own = more.get(user.file, SharedModels())
        called = "" if user.makes else name_class(name)
        imported = {**own.imported, user.text: called}
        more[user.file] = dataclasses.replace(own, imported=imported)
    return more
