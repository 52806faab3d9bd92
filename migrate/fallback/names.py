"""Uses of TensorFlow in a file, and the names by which graph mode on 2.21 has them."""

from __future__ import annotations

import ast
import dataclasses
import pathlib
from collections.abc import Collection, Iterator, Mapping

from migrate import emitted
from migrate.facts import modules, python_data
from migrate.facts.scopes import Scopes
from migrate.fallback.homes import (
    Home,
    Lost,
    exists,
    find_home,
    find_home_of_2,
    find_home_of_module,
    is_in_compat,
    spell_public_module,
)
from migrate.fallback.imports import V1
from migrate.fallback.private import KEPT, Kept, explain_loss, judge
from migrate.fallback.returned_modules import Returned, find_getter
from migrate.fallback.untaken import find_decided, is_builtin
from migrate.findings import Finding, Outcome
from migrate.plan import Plan
from migrate.program.code import Code, make_code
from migrate.rules import calls
from migrate.tables import contrib_graph, graph_mode, not_public, symbols
from migrate.tables.calls import CallRow

CODE = "T151"
_NO_NAME = "T111"
_WHEN_ASKED = "graph_functions.when_asked"
# A name that is known at run time alone.
UNSEEN = "T115"
# A decision by the version.
VERSION = "T150"
# What a home's first name may be besides `tf` and an emitted module.
_PACKAGES = frozenset({"tf_keras", "tf_slim", "types"})
_MODULE = Lost(
    "the program passes on the module itself, which TensorFlow 2.21 does not have",
    "Import the names that you use from the module, in the file that uses them.",
)
_UNSEEN = Lost(
    "the function returns a module that TensorFlow 2.21 does not have, and this line does "
    "not show which of its names are used",
    "Take a name of the module where the function is called.",
)
_ARGUMENTS = Lost(
    "the function that replaces it takes other arguments than this call has",
    "Pass the arguments by keyword, and only those that the new function has.",
)


class NameRules:
    """Gives every use of TensorFlow in a file the name that graph mode has for it.

    Args:
      named_for_2: whether `tf.X` means TensorFlow 2's X.
      untaken: what never runs on TensorFlow 2.21.
      returned: modules of contrib that functions of the program return.
    """

    def __init__(
        self,
        scopes: Scopes,
        plan: Plan,
        named_for_2: bool = False,
        untaken: Collection[ast.AST] = (),
        returned: Returned = Returned(),  # noqa: B008 - it is frozen
    ) -> None:
        self.scopes = scopes
        self.plan = plan
        self._named_for_2 = named_for_2
        self._untaken = untaken
        self._returned = returned
        self.lost: list[Finding] = []
        # Uses of what no TensorFlow has: they stay, and fail as they did.
        self.mistakes: list[Finding] = []
        # Private names that stay, by symbol: each is told where it is first used.
        self.kept: dict[str, Finding] = {}
        # Decisions by TensorFlow's version.
        self.versions: list[Finding] = []
        # A name to bind for compat.v1, "" where the file has one or needs none.
        self.new_alias = ""
        self._alias = self._find_alias()

    def run(self) -> None:
        unread = self._drop_unread_choices()
        for node, symbol in self.scopes.walk_uses():
            if node in unread:
                continue
            if symbol == "tf" or symbol.startswith("tf."):
                self._rewrite_use(node, symbol)
        for call in python_data.find(self.scopes, _WHEN_ASKED):
            self._keep_on_demand(call)

    def _keep_on_demand(self, call: ast.Call) -> None:
        """Has a dataset of Python code take its elements when a step asks for them."""
        if self._take(_WHEN_ASKED):
            self.plan.replace(call, python_data.write(call, _WHEN_ASKED))
        else:
            self._add(call.func, "tf.data.Dataset", _make_lost(_WHEN_ASKED))

    def _rewrite_use(self, node: ast.expr, symbol: str) -> None:
        path = self.scopes.find_dotted_path(node) or ""
        if node in self._untaken and modules.is_private(path):
            return
        if self._decide_by_version(node, symbol, path):
            return
        if symbol in graph_mode.LOOKED_UP and self._is_looked_up_in(node):
            self._warn_of_lookup(node, symbol)
            return self._replace(node, symbol, graph_mode.LOOKED_UP[symbol])
        module = spell_public_module(symbol)
        if module in self._returned.names and find_getter(node, self.scopes):
            return self._replace_returned(node, module)
        private = self._judge_private(node, path, symbol)
        if isinstance(private, Kept):
            return self._keep(node, symbol, private)
        home = private or self._find_home(path, symbol)
        if home is None:
            return
        if self._is_alias_of_module(node, symbol):
            return  # What is used through it has its own answer.
        if isinstance(home, Lost):
            if not modules.is_private(path) and not_public.is_mistake(symbol):
                return self._add_mistake(node, symbol)
            return self._add(node, symbol, home)
        self._replace(node, symbol, home)

    def check_returned(self, file: pathlib.Path) -> None:
        """Refuses names that are taken of a returned module and have no home."""
        for node, name, module in self._returned.find_uses(self.scopes, file):
            _, home = self._find_home_of_name(module, name)
            if isinstance(home, Lost):
                self._add(node, f"{module}.{name}" if name else module, home)

    def _find_home_of_name(self, module: str, name: str) -> tuple[str, str | Lost]:
        """The part of a returned module's name that has a home, and the home."""
        if not name:
            return "", _UNSEEN
        parts = name.split(".")
        lost: Lost | None = None
        for length in range(1, len(parts) + 1):
            inside = ".".join(parts[:length])
            path = f"tensorflow{module[2:]}.{inside}"
            symbol = modules.make_canonical(path) or f"{module}.{inside}"
            if symbol in symbols.list_modules():
                continue
            home = self._find_home(path, symbol)
            if isinstance(home, str):
                return inside, home
            found = home if isinstance(home, Lost) else _ARGUMENTS
            if lost is None or symbols.look_up(symbol) is not None:
                lost = found
        return name, lost or _UNSEEN

    def _replace_returned(self, node: ast.expr, module: str) -> None:
        """Returns a namespace of the names that the program uses of a module."""
        homes: dict[str, str] = {}
        for name in sorted(self._returned.names[module]):
            inside, home = self._find_home_of_name(module, name)
            if isinstance(home, Lost):
                continue  # It is refused where it is used.
            if not self._take(home):
                return self._add(node, module, _make_lost(home))
            homes[inside] = self._spell_home(home)
        self._take("types.SimpleNamespace")
        self.plan.replace(node, make_code(_spell_namespace(homes)))
        has = f"only the names that the program uses: {', '.join(sorted(homes))}"
        reason = (
            f"the function returns `{module}`, which TensorFlow 2.21 does not have. It "
            f"returns a namespace now. The namespace has "
            f"{has if homes else 'no name, because the program uses none'}"
        )
        recipe = "If you use another name of it, add it here."
        self.kept.setdefault(
            module, _make_finding(node, UNSEEN, Outcome.WARNED, module, reason, recipe)
        )

    def _replace(self, node: ast.expr, symbol: str, home: str | CallRow) -> None:
        if isinstance(home, CallRow):
            new = self._rewrite_call(node, home)
            if new is None:
                return self._add(node, symbol, _ARGUMENTS)
            target, written = home.target, new
        else:
            target, written = home, make_code(self._spell_home(home))
        if not self._take(target):
            return self._add(node, symbol, _make_lost(target))
        parent = self.scopes.parents.get(node)
        self.plan.replace(
            parent if isinstance(home, CallRow) and parent is not None else node,
            written,
        )

    def _decide_by_version(self, node: ast.expr, symbol: str, path: str) -> bool:
        """Replaces TensorFlow's version by TensorFlow 1's, which `tf` is."""
        name = next(
            (v for v in graph_mode.VERSIONS if f"{symbol}.".startswith(f"{v}.")), ""
        )
        if not name or path.startswith("tensorflow.compat.v2"):
            return False
        if self._named_for_2 and not path.startswith(V1):
            return False
        version = node
        for _ in symbol.removeprefix(name).split(".")[1:]:
            assert isinstance(version, ast.Attribute)
            version = version.value
        if version is node and not self._is_read_as_version(node):
            return False
        self.plan.replace(version, make_code(f'"{graph_mode.VERSION}"'))
        reason = (
            "decided by TensorFlow 1's version: `tf` is tensorflow.compat.v1, whose names "
            "and arguments are TensorFlow 1's"
        )
        self.versions.append(
            _make_finding(node, VERSION, Outcome.REWRITTEN, symbol, reason, "")
        )
        return True

    def _is_read_as_version(self, node: ast.expr) -> bool:
        """Whether something is decided by a version, which is not only shown."""
        parent = self.scopes.parents.get(node)
        if isinstance(parent, ast.Call):
            name = ast.unparse(parent.func).rpartition(".")[2]
            return name in graph_mode.READ_VERSIONS and node in parent.args
        return isinstance(parent, ast.Compare) or (
            isinstance(parent, ast.Subscript) and parent.value is node
        )

    def _drop_unread_choices(self) -> set[ast.AST]:
        """Leaves out what `hasattr` never lets the program read; all its nodes."""
        unread: set[ast.AST] = set()
        for node, taken, others in find_decided(self.scopes, self._is_there):
            self.plan.replace(node, make_code(taken))
            for other in others:
                unread.update(ast.walk(other))
        return unread

    def _is_there(self, symbol: str) -> bool:
        """Whether TensorFlow 1.15 has a public name, and compat.v1 has it, too."""
        known = symbol in symbols.list_modules() or symbols.look_up(symbol) is not None
        return known and is_in_compat(symbol)

    def _is_looked_up_in(self, node: ast.expr) -> bool:
        """Whether a module is where `getattr` looks a name up."""
        parent = self.scopes.parents.get(node)
        return (
            isinstance(parent, ast.Call)
            and is_builtin(parent.func, "getattr", self.scopes)
            and parent.args[:1] == [node]
        )

    def _warn_of_lookup(self, node: ast.expr, symbol: str) -> None:
        home = graph_mode.LOOKED_UP[symbol]
        has = [
            name.rpartition(".")[2]
            for name, at in graph_mode.HOMES.items()
            if at.startswith(f"{home}.")
        ]
        reason = (
            f"the name is known only when the program runs: of `{symbol}` `{home}` has "
            f"{', '.join(sorted(has))}; for another of its names the program ends here "
            "with NotImplementedError"
        )
        recipe = "Use one of these names."
        self.kept.setdefault(
            symbol,
            _make_finding(node, UNSEEN, Outcome.WARNED, symbol, reason, recipe),
        )

    def _find_home(self, path: str, symbol: str) -> Home | None:
        """Finds the home of a use; None if the use stays as it is."""
        if symbol == "tf":
            return None if not modules.is_private(path) else _MODULE
        if path.startswith("tensorflow.compat.v2"):
            name = "tf" + path.removeprefix("tensorflow.compat.v2")
            return None if exists(name) else find_home_of_2(name)
        private = path
        if symbol.startswith("tf.python."):  # tf.python.ops.X
            private = "tensorflow" + symbol[2:]
            symbol = modules.make_canonical(private) or symbol
        if modules.is_private(private) or private.startswith("tensorflow.core."):
            if symbol.startswith(("tf.python.", "tf.core.")):
                return _find_private_home(symbol)
            if is_in_compat(symbol) and symbol not in symbols.list_modules():
                return f"tf.compat.v1.{symbol[3:]}"
        else:
            if exists("tf" + path.removeprefix("tensorflow")):
                return None
            spelled = "tf" + path.removeprefix(V1).removeprefix("tensorflow")
            if spelled != symbol and is_in_compat(symbol):  # contrib's name for it.
                return f"tf.compat.v1.{symbol[3:]}"
        if symbol in symbols.list_modules():
            return find_home_of_module(symbol) or _MODULE
        if self._named_for_2 and not path.startswith((V1, "tensorflow.contrib.")):
            return find_home_of_2(symbol)
        return find_home(symbol)

    def _judge_private(
        self, node: ast.expr, path: str, symbol: str
    ) -> Kept | Lost | None:
        if not modules.is_private(path) and not path.startswith("tensorflow.core."):
            return None
        parent = self.scopes.parents.get(node)
        call = parent if isinstance(parent, ast.Call) and parent.func is node else None
        return judge(path, symbol, call)

    def _keep(self, node: ast.expr, symbol: str, kept: Kept) -> None:
        if kept.reason and symbol not in self.kept:
            self.kept[symbol] = _make_finding(
                node, KEPT, Outcome.WARNED, symbol, kept.reason, kept.recipe
            )

    def _is_alias_of_module(self, node: ast.expr, symbol: str) -> bool:
        """Whether a statement only gives a module a name: `slim = tf.contrib.slim`."""
        parent = self.scopes.parents.get(node)
        return (
            symbol in symbols.list_modules()
            and isinstance(parent, ast.Assign)
            and parent.value is node
            and len(parent.targets) == 1
            and isinstance(parent.targets[0], ast.Name)
        )

    def _rewrite_call(self, node: ast.expr, row: CallRow) -> Code | None:
        parent = self.scopes.parents.get(node)
        if not isinstance(parent, ast.Call) or parent.func is not node:
            return None
        if calls.may_have_arg_scope(row.symbol, self.scopes):
            return None
        spelled = dataclasses.replace(row, target=self._spell_home(row.target))
        return calls.rewrite_call(parent, spelled, self.scopes)

    def _find_alias(self) -> str:
        """Finds the file's own spelling of tensorflow.compat.v1, "" for none."""
        names = list(self.scopes.module.bindings)
        for path, spelled in ((V1, "{}"), ("tensorflow", "{}.compat.v1")):
            for name in names:
                if self.scopes.find_imported_path(name) == path:
                    return spelled.format(name)
        return ""

    def _spell_home(self, home: str) -> str:
        if not home.startswith("tf."):
            return home
        if not self._alias:
            self.new_alias = (
                "tf" if "tf" not in self.scopes.module.bindings else "tf_v1"
            )
            self._alias = self.new_alias
        inside = home.removeprefix("tf.compat.v1.").removeprefix("tf.")
        if home.startswith("tf.compat.v1.") or symbols.exists_in_target(
            f"tf.compat.v1.{inside}"
        ):
            return f"{self._alias}.{inside}"
        return f"{self._alias}.compat.v2.{inside}"

    def _take(self, home: str) -> bool:
        """Has a home imported, and written if it is ours; False if its name is taken."""
        module = home.partition(".")[0]
        files = contrib_graph.FILES.get(module, emitted.list_files(module))
        if files:
            self.plan.support.update(files)
        if files or module in _PACKAGES:
            self.plan.imports.append(f"import {module}")
            bound = self.scopes.module.bindings.get(module, [])
            return all(isinstance(n, (ast.Import, ast.ImportFrom)) for n in bound)
        return True

    def _add_mistake(self, node: ast.expr, symbol: str) -> None:
        reason = (
            f"TensorFlow 1.15 has no `{symbol}` either: if the program comes to this "
            "line, it ends with an AttributeError on both versions"
        )
        self.mistakes.append(
            _make_finding(
                node, _NO_NAME, Outcome.WARNED, symbol, reason, "Correct the name."
            )
        )

    def _add(self, node: ast.expr, symbol: str, lost: Lost) -> None:
        self.lost.append(
            _make_finding(node, CODE, Outcome.REFUSED, symbol, lost.reason, lost.recipe)
        )


def _spell_namespace(homes: Mapping[str, str]) -> str:
    """Nested namespaces: "a.b" is the attribute `b` of the attribute `a`."""
    inner: dict[str, dict[str, str]] = {}
    given: dict[str, str] = {}
    for name, home in homes.items():
        first, _, rest = name.partition(".")
        if rest:
            inner.setdefault(first, {})[rest] = home
        else:
            given[first] = home
    given |= {first: _spell_namespace(below) for first, below in inner.items()}
    arguments = ", ".join(f"{name}={given[name]}" for name in sorted(given))
    return f"types.SimpleNamespace({arguments})"


def _make_finding(
    node: ast.expr,
    code: str,
    outcome: Outcome,
    symbol: str,
    reason: str,
    recipe: str,
) -> Finding:
    column = node.col_offset + 1
    return Finding(node.lineno, column, code, outcome, symbol, reason, recipe)


def _make_lost(home: str) -> Lost:
    name = home.partition(".")[0]
    return Lost(
        f"`{name}` would be imported, and is a name of the file's own", "Rename it."
    )


def _find_private_home(symbol: str) -> Home:
    if symbol in graph_mode.HOMES:
        return graph_mode.HOMES[symbol]
    update = graph_mode.find_update(symbol)
    if update is not None:
        return update
    if symbol.startswith("tf.python."):
        return explain_loss(symbol)
    home = find_home(symbol)
    return home if isinstance(home, Lost) else _MODULE


def find_aliases_of_nothing(scopes: Scopes) -> Iterator[ast.Assign]:
    """Names for modules that TensorFlow 2.21 does not have, which nothing reads."""
    read = {
        node.id
        for node in scopes.walk()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    for node, symbol in scopes.walk_uses():
        parent = scopes.parents.get(node)
        if (
            symbol in symbols.list_modules()
            and not is_in_compat(symbol)
            and isinstance(parent, ast.Assign)
            and parent.value is node
            and len(parent.targets) == 1
            and isinstance(parent.targets[0], ast.Name)
            and parent.targets[0].id not in read
        ):
            yield parent
