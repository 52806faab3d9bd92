"""Hooks of one file whose objects others make, as callbacks of Keras.

    # hooks.py                                  # train.py
    class Stop(tf.train.SessionRunHook): ...    estimator.train(fn, hooks=[hooks.Stop(9)])

Such a class can only become a callback where all files that name it give its objects to
Estimators of Keras models. So all of them are migrated, and it counts for those classes
that come out so in every file.
"""

from __future__ import annotations

import ast
import dataclasses
import logging
import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping

from migrate.facts.trees.mentions import find_calls_by_text, name_module
from migrate.findings import Finding, Outcome
from migrate.frontends.callbacks.elsewhere import find_uses_here, join_uses
from migrate.frontends.callbacks.given import Given
from migrate.frontends.callbacks.hook import HookReader
from migrate.frontends.callbacks.reasons import NoCallback
from migrate.frontends.sessions.derived_hooks import find_hook_classes
from migrate.options import Options
from migrate.program.callbacks import OfOtherFile, SharedCallbacks, UsedElsewhere
from migrate.shared.files import TreeFiles
from migrate.source.nodes import walk_breadth_first

_LOGGER = logging.getLogger(__name__)
# What a file spells that may have several devices in one process.
_SEVERAL = ("train_distribute", "MirroredStrategy")
# What a file spells that calls hooks as an Estimator does.
_ESTIMATORS = ("Estimator", "EvalSpec", "TrainSpec")


@dataclasses.dataclass(frozen=True, eq=False)
class _Class:
    """A hook that other files name.

    Attributes:
      users: the other files -> what names it there.
      parameters: those that are given tensors -> their place.
    """

    file: str
    name: str
    users: Mapping[str, tuple[str, ...]]
    used: UsedElsewhere
    parameters: Mapping[str, int]

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file, *self.users)


def find_shared_callbacks(
    paths: Iterable[pathlib.Path], options: Options
) -> Mapping[str, SharedCallbacks]:
    """Finds each file's part in callbacks that several files share, by real path.

    Args:
      options: of the run, with all that is known of its other files.
    """
    if not options.makes_models or not _has_hooks(options):
        return {}
    return _Search(TreeFiles(paths, options.tree), options).run()


def _has_hooks(options: Options) -> bool:
    tree = options.tree
    return any(tree.shared_hooks.values()) or bool(tree.models)


class _Search:
    """Tries all classes, and again without those that stay hooks."""

    def __init__(self, tree: TreeFiles, options: Options) -> None:
        # What is not reported is done all the same.
        self._options = dataclasses.replace(options, select=(), ignore=())
        self._tree = tree
        texts = [tree.read_text(real) for real in tree.modules]
        self._several = any(word in text for text in texts for word in _SEVERAL)
        self._created = any("after_create_session" in text for text in texts)
        self._stay: dict[str, dict[str, str]] = {}

    def run(self) -> Mapping[str, SharedCallbacks]:
        left = [
            found for real in self._tree.modules for found in self._find_classes(real)
        ]
        while left:
            parts = self._make_parts(left)
            failed = self._find_failed(left, parts)
            if not failed:
                break
            for one, reason in failed.items():
                self._note_stay(one.file, one.name, reason)
            left = [one for one in left if one not in failed]
        return self._make_parts(left)

    def _note_stay(self, real: str, name: str, reason: str) -> None:
        self._stay.setdefault(real, {})[name] = reason

    def _find_classes(self, real: str) -> Iterator[_Class]:
        """The hooks of a file that others give to Estimators."""
        named = self._options.tree.shared_hooks.get(real)
        scopes = self._tree.read_scopes(real) if named else None
        if not named or scopes is None:
            return
        for class_ in find_hook_classes(scopes):
            if class_.name not in named:
                continue
            if scopes.module.bindings.get(class_.name) != [class_]:
                continue
            users = dict(self._find_users(real, class_.name))
            texts = [self._tree.read_text(user) for user in (real, *users)]
            if not any(word in text for text in texts for word in _ESTIMATORS):
                continue
            try:
                yield self._find_used_class(real, class_, users)
            except NoCallback as reason:
                self._note_stay(real, class_.name, reason.reason)

    def _find_users(
        self, real: str, name: str
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The files that import a class, and what names it there."""
        for user in self._tree.modules:
            if user == real or name not in self._tree.read_text(user):
                continue
            texts = []
            for text, (target, member) in self._tree.find_imports(user).items():
                if target == real and member in ("", name):
                    texts.append(text if member else f"{text}.{name}")
            if texts:
                yield user, tuple(texts)

    def _find_used_class(
        self, real: str, class_: ast.ClassDef, users: dict[str, tuple[str, ...]]
    ) -> _Class:
        """A class that may become a callback.

        Raises:
          NoCallback: it stays a hook.
        """
        tree, name = self._tree, class_.name
        for other in tree.find_naming(name, (real, *users)):
            raise NoCallback(class_, f"{os.path.basename(other)} may use it, too")
        found = []
        for user, texts in users.items():
            scopes = tree.read_scopes(user)
            assert scopes is not None
            by_name = find_calls_by_text(scopes.tree, name, {name_module(real)})
            if next(by_name, None) is not None:
                raise NoCallback(class_, f"{os.path.basename(user)} may use it, too")
            for text in texts:
                try:
                    found.append(find_uses_here(scopes, class_, text))
                except NoCallback as reason:
                    raise _refuse_at(user, reason) from None
        used = join_uses(found, self._created, self._several)
        own = tree.read_scopes(real)
        assert own is not None
        if not used.modes:
            raise NoCallback(class_, "another file uses it, too")
        # Whether tensors may be given is seen where models are known.
        reader = HookReader(class_, own, Given([]), self._several, used)
        if reader.makes:
            raise NoCallback(class_, "its own file makes objects of it, too")
        return _Class(real, name, users, used, reader.run().parameters)

    def _make_parts(self, classes: Iterable[_Class]) -> dict[str, SharedCallbacks]:
        files = {*self._stay, *(real for real in self._options.tree.models)}
        own: dict[str, dict[str, UsedElsewhere]] = {}
        imported: dict[str, dict[str, OfOtherFile]] = {}
        for one in classes:
            own.setdefault(one.file, {})[one.name] = one.used
            for user, texts in one.users.items():
                for text in texts:
                    known = OfOtherFile(one.name, one.used, one.parameters)
                    imported.setdefault(user, {})[text] = known
        return {
            real: SharedCallbacks(
                own.get(real, {}),
                self._stay.get(real, {}),
                imported.get(real, {}),
                self._several,
            )
            for real in {*files, *own, *imported}
        }

    def _find_failed(
        self, classes: list[_Class], parts: dict[str, SharedCallbacks]
    ) -> dict[_Class, str]:
        """Classes that do not come out as callbacks -> why."""
        told = {
            real: self._migrate_file(real, parts)
            for real in sorted({real for one in classes for real in one.files})
        }
        failed: dict[_Class, str] = {}
        for one in classes:
            for real in one.files:
                reason = _find_reason(one, real, told[real], self._tree)
                if reason:
                    failed.setdefault(one, reason)
        return failed

    def _migrate_file(
        self, real: str, parts: dict[str, SharedCallbacks]
    ) -> tuple[str, tuple[Finding, ...]]:
        """A file's migration with all of them as callbacks."""
        from migrate.compiler import migrate_text

        around = dataclasses.replace(self._options.tree, callbacks=parts)
        options = dataclasses.replace(self._options, tree=around)
        try:
            migration = migrate_text(self._tree.read_raw(real), options, real)
        except Exception as error:  # A fault of ours must not cost the user the run.
            _LOGGER.debug("%s: %s", real, error, exc_info=True)
            return "", ()
        return migration.text, tuple(migration.findings)


def _find_reason(
    one: _Class, real: str, told: tuple[str, tuple[Finding, ...]], tree: TreeFiles
) -> str:
    """Explains why a class does not become a callback in a file; "" if it does."""
    text, findings = told
    where = "" if real == one.file else f"in {os.path.basename(real)}: "
    for finding in findings:
        start = f"{one.name} stays a hook: "
        if finding.code == "K131" and finding.reason.startswith(start):
            return where + finding.reason.removeprefix(start)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    if not text or any(f.outcome in loud for f in findings):
        return f"{where or 'its file '}cannot be migrated completely".replace(": ", " ")
    if real == one.file:
        done = f"class {one.name}(tf_keras.callbacks.Callback)" in text
        return "" if done else "no program with an Estimator uses its file"
    scopes = tree.read_scopes(real)
    assert scopes is not None
    made = sum(_count_mentions(scopes.tree, text) for text in one.users[real])
    start = f"{one.name} is a callback of Keras"
    count = sum(f.code == "K130" and f.reason.startswith(start) for f in findings)
    return "" if count == made else f"{where}no Estimator of a Keras model calls it"


def _count_mentions(tree: ast.Module, text: str) -> int:
    """Counts the calls whose function is spelled `text`."""
    return sum(
        isinstance(node, ast.Call) and ast.unparse(node.func) == text
        for node in walk_breadth_first(tree)
    )


def _refuse_at(user: str, reason: NoCallback) -> NoCallback:
    line = getattr(reason.node, "lineno", 1)
    where = f"{os.path.basename(user)}, line {line}"
    return NoCallback(reason.node, f"{where}: {reason.reason}")
