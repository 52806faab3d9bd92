"""TF1 to TF1: properties that build their part of the graph once, as methods.

    @define_scope                         def build_prediction(self):
    def prediction(self):                     ...
        ...                                   self.prediction = logits
        return logits

A decorator of the file's own is known by what it does: it keeps under an attribute what the
function gave, and asks it only where there is none; perhaps in a variable scope. Where the
program first reads the property, and only there, the method is called, in that scope.
"""

from __future__ import annotations

import ast
import dataclasses
import re

from migrate.facts import moments, names
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.classes import lazy_by_hand, lazy_decorators
from migrate.normalise.classes.lazy_decorators import Decorator
from migrate.normalise.text import Edit, Text
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import roles

# What makes variables, beside the functions that do nothing else.
_MAKERS = ("tf.layers.", "tf.contrib.", "tf.nn.rnn_cell.", "tf.keras.")


# What may leave out a part of itself, or run it later.
_PERHAPS = (
    *(ast.BoolOp, ast.IfExp, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


class _Unclear(Exception):
    """The order in which the graph is built cannot be told."""


@dataclasses.dataclass(frozen=True)
class _Lazy:
    """A property.

    Attributes:
      method: the decorated function.
      header: the scope that it is built in, a `with` statement's item; "" for none.
      build: the name of the method that builds it.
    """

    method: ast.FunctionDef
    header: str
    build: str


def build_properties(text: Text) -> Text:
    """The text with such properties as methods, as far as it is clear."""
    by_hand = lazy_by_hand.decorate_properties(text)
    for form in (lazy_by_hand.decorate_openers(by_hand), by_hand):
        if form is not text:
            done = _build_properties(form)
            if lazy_by_hand.NAME not in done.source:
                return done
    return _build_properties(text)


def _build_properties(text: Text) -> Text:
    for _ in range(text.source.count("class ") + 1):
        tree = parse_source(text.source)
        scopes = build_scopes(tree)
        decorators = lazy_decorators.find_decorators(tree, scopes)
        for owner in tree.body if decorators else ():
            if isinstance(owner, ast.ClassDef):
                try:
                    new = _Class(text, tree, scopes, owner, decorators).run()
                except _Unclear:
                    new = None
                if new is not None:
                    text = _drop_unused_decorators(new, tree, set(decorators))
                    break
        else:
            return text
    return text


def _drop_unused_decorators(text: Text, old: ast.Module, decorators: set[str]) -> Text:
    """The text without the decorators that nothing has any more."""
    for node in old.body:
        if isinstance(node, ast.FunctionDef) and node.name in decorators:
            decorators = decorators | {
                names.find_key(d) or "" for d in node.decorator_list
            }
    while True:
        tree = parse_source(text.source)
        read = [n for n in walk_breadth_first(tree) if isinstance(n, ast.Name)]
        gone = [
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
            and node.name in decorators
            and not any(n.id == node.name for n in read)
            and text.is_alone(node)
        ]
        if not gone:
            return text
        first = min([gone[-1].lineno, *[d.lineno for d in gone[-1].decorator_list]])
        last = gone[-1].end_lineno or gone[-1].lineno
        while last < len(text.lines) and not text.lines[last].strip():
            last += 1
        text = text.splice(first, last, [], [])


class _Class:
    """One class with such properties."""

    def __init__(
        self,
        text: Text,
        tree: ast.Module,
        scopes: Scopes,
        owner: ast.ClassDef,
        decorators: dict[str, Decorator],
    ) -> None:
        self._text = text
        self._tree = tree
        self._scopes = scopes
        self._owner = owner
        self._methods = {
            m.name: m for m in owner.body if isinstance(m, ast.FunctionDef)
        }
        self._lazy = {
            name: lazy
            for name, method in self._methods.items()
            if (lazy := self._read(method, decorators)) is not None
        }
        self._done: set[str] = set()
        self._entered: list[str] = []  # Methods that are being gone through.
        self._edits: list[Edit] = []
        # Calls: the lines that they stand in place of; none where the end is before them.
        self._inserted: list[tuple[int, int, list[str]]] = []

    def _read(
        self, method: ast.FunctionDef, decorators: dict[str, Decorator]
    ) -> _Lazy | None:
        if len(method.decorator_list) != 1:
            return None
        used = method.decorator_list[0]
        call = used if isinstance(used, ast.Call) else None
        decorator = decorators.get(names.find_key(call.func if call else used) or "")
        if decorator is None:
            return None
        given = [ast.unparse(a) for a in call.args] if call else []
        keywords = (
            {k.arg or "": ast.unparse(k.value) for k in call.keywords} if call else {}
        )
        name = repr(method.name)
        if given or keywords:
            name = keywords.pop(decorator.named, given.pop(0) if given else name)
            if not decorator.named or "" in keywords:
                return None
            if (given or keywords) and not decorator.passes:
                return None
        more = [*given, *[f"{k}={v}" for k, v in keywords.items()]]
        header = (
            f"{decorator.scope}({', '.join([name, *more])})" if decorator.scope else ""
        )
        return _Lazy(method, header, self._choose_free_name(f"build_{method.name}"))

    def _choose_free_name(self, name: str) -> str:
        while re.search(rf"\b{name}\b", self._text.source):
            name += "_"
        return name

    def run(self) -> Text | None:
        """The text with the class's properties as methods; None if it has none.

        Raises:
          _Unclear: where they are first read cannot be told.
        """
        if not self._lazy:
            return None
        made = self._find_construction()
        constructor = self._methods.get("__init__")
        if constructor is not None:
            self._enter(constructor)
        self._read_outside(made)
        for name in self._lazy:
            self._write_method(name)
        self._drop_bare_reads(made)
        text = self._text.apply_edits(self._edits)
        # Calls that were inserted at one line run in the order of insertion.
        for line, end, lines in sorted(self._inserted[::-1], key=lambda i: -i[0]):
            origin = text.origins[line - 1]
            text = text.splice(line, end, lines, [origin] * len(lines))
        return text

    def _drop_bare_reads(self, made: ast.Assign) -> None:
        """Leaves out statements that only read a property that is built by then."""
        replaced = {line for line, end, _ in self._inserted if end >= line}
        for node in walk_breadth_first(self._tree):
            if not (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Attribute)
                and node.value.attr in self._done
                and isinstance(node.value.value, ast.Name)
                and node.lineno not in replaced
            ):
                continue
            home = self._scopes.find_scope(node.value).node
            own = ast.unparse(made.targets[0])
            if isinstance(home, ast.FunctionDef) and home in self._owner.body:
                own = home.args.args[0].arg if home.args.args else ""
            if node.value.value.id != own:
                continue
            suite = names.find_suite(self._scopes.parents[node], node) or []
            last = node.end_lineno or node.lineno
            if len(suite) > 1 and self._text.is_alone(node):
                self._inserted.append((node.lineno, last, []))
            else:
                self._edits.append(Edit(node.value, "pass"))

    def _find_construction(self) -> ast.Assign:
        """The statement that makes the class's one object.

        Raises:
          _Unclear: there are several, or it has no name.
        """
        uses = [
            n
            for n in walk_breadth_first(self._tree)
            if isinstance(n, ast.Name) and n.id == self._owner.name
        ]
        call = self._scopes.parents[uses[0]] if len(uses) == 1 else None
        made = self._scopes.parents[call] if isinstance(call, ast.Call) else None
        if not (
            isinstance(made, ast.Assign)
            and made.value is call
            and len(made.targets) == 1
            and isinstance(made.targets[0], ast.Name)
        ):
            raise _Unclear
        return made

    # -- in the class --------------------------------------------------------------------

    def _enter(self, method: ast.FunctionDef) -> None:
        """Goes through a method as it is called, for what it reads first."""
        if method.name in self._entered or not method.args.args:
            return
        self._entered.append(method.name)
        self._read_suite(method.body, method.args.args[0].arg)

    def _read_suite(self, suite: list[ast.stmt], own: str) -> None:
        for statement in suite:
            inner = names.list_suites(statement)
            if not inner:
                self._visit_simple(statement, statement, own)
            elif isinstance(statement, ast.With):
                for item in statement.items:
                    self._visit_simple(item.context_expr, statement, own)
                self._read_suite(statement.body, own)
            elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                self._visit_simple(statement, statement, own)
            else:
                before = set(self._done)
                for name in self._list_reads(statement, own):
                    if name in self._lazy and name not in before:
                        raise _Unclear  # Not always built, or in a loop.

    def _visit_simple(self, node: ast.AST, statement: ast.stmt, own: str) -> None:
        for read in self._read_nodes(node, own):
            name = read.attr
            if name in self._lazy:
                self._check_moment(name, read, statement)
                self._build(name, statement, own)
            elif name in self._methods:
                self._enter(self._methods[name])

    def _check_moment(self, name: str, read: ast.AST, statement: ast.stmt) -> None:
        """Refuses to build a property before a statement that first does something else.

        Raises:
          _Unclear: the statement may do so, or may not read it, and that may be noticed.
        """
        if name in self._done or not moments.depends_on_moment(
            self._scopes, self._lazy[name].method
        ):
            return
        around = read
        while around is not statement:
            if around not in self._scopes.parents:
                raise _Unclear
            around = self._scopes.parents[around]
            if isinstance(around, _PERHAPS):
                raise _Unclear
        others = [
            n
            for n in walk_breadth_first(statement)
            if isinstance(n, ast.Call) and read not in walk_breadth_first(n)
        ]
        if names.list_suites(statement) or any(
            not (self._scopes.resolve(n.func) or "").startswith("tf.") for n in others
        ):
            raise _Unclear

    def _list_reads(self, node: ast.AST, own: str) -> list[str]:
        """The object's attributes that code reads, in order."""
        return [n.attr for n in self._read_nodes(node, own)]

    def _read_nodes(self, node: ast.AST, own: str) -> list[ast.Attribute]:
        found = [
            n
            for n in walk_breadth_first(node)
            if isinstance(n, ast.Attribute)
            and isinstance(n.ctx, ast.Load)
            and names.find_key(n.value) == own
        ]
        found.sort(key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0))
        return found

    def _build(self, name: str, statement: ast.stmt, own: str) -> None:
        """Calls the method that builds a property before a statement."""
        if name in self._done:
            return
        self._done.add(name)
        lazy = self._lazy[name]
        self._enter(lazy.method)
        if not self._text.is_alone(statement):
            raise _Unclear
        indent = self._text.lines[statement.lineno - 1][: statement.col_offset]
        call = f"{own}.{lazy.build}()"
        lines = [indent + call]
        if lazy.header:
            lines = [f"{indent}with {lazy.header}:", f"{indent}    {call}"]
        end = statement.lineno - 1
        if (
            isinstance(statement, ast.Expr)
            and names.find_key(statement.value) == f"{own}.{name}"
        ):
            end = statement.end_lineno or statement.lineno  # All that it was there for.
        self._inserted.append((statement.lineno, end, lines))

    def _write_method(self, name: str) -> None:
        """A property's function as the method that builds it.

        Raises:
          _Unclear: it returns in several places.
        """
        lazy = self._lazy[name]
        method = lazy.method
        inside = [
            n
            for n in walk_breadth_first(method)
            if isinstance(n, (ast.Return, ast.Yield))
        ]
        last: ast.stmt = method.body[-1]
        while isinstance(last, ast.With):
            last = last.body[-1]
        read = name in self._done
        if read and inside and inside != [last]:
            raise _Unclear
        own = method.args.args[0].arg
        decorator = method.decorator_list[0]
        at = ast.Constant(None)
        at.lineno, at.col_offset = decorator.lineno, decorator.col_offset - 1
        at.end_lineno, at.end_col_offset = (
            decorator.end_lineno,
            decorator.end_col_offset,
        )
        self._edits.append(Edit(at, ""))
        header = ast.Constant(None)
        start = self._text.lines[method.lineno - 1].index(
            method.name, method.col_offset + 4
        )
        header.lineno = header.end_lineno = method.lineno
        header.col_offset, header.end_col_offset = start, start + len(method.name)
        self._edits.append(Edit(header, lazy.build))
        if inside and read:
            word = ast.Constant(None)
            word.lineno = word.end_lineno = last.lineno
            word.col_offset, word.end_col_offset = last.col_offset, last.col_offset + 6
            assert isinstance(last, ast.Return)
            new = f"{own}.{name} =" if last.value is not None else "pass"
            self._edits.append(Edit(word, new))

    # -- outside of the class ---------------------------------------------------------

    def _read_outside(self, made: ast.Assign) -> None:
        """Follows the program's first reads of properties, after it made the object."""
        assert isinstance(made.targets[0], ast.Name)
        own = made.targets[0].id
        suite = self._find_suite(made)
        rest = suite[suite.index(made) + 1 :]
        if not rest:
            rest = [made]
        for statement in rest:
            for name, always, read in self._find_read_properties(statement, own, True):
                self._check_moment(name, read, statement)
                if not always and name not in self._done and self._trains(name, set()):
                    raise _Unclear  # Perhaps never built, with its variables.
                self._build_outside(name, statement, made, own)
        inside = set(walk_breadth_first(self._owner)) | {
            n for s in rest for n in walk_breadth_first(s)
        }
        for node in walk_breadth_first(
            self._tree
        ):  # Functions that are given the object.
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node not in inside
                and node.attr in self._lazy
                and self._scopes.resolve(node) is None
            ):
                self._check_moment(node.attr, node, rest[0])
                self._build_outside(node.attr, rest[0], made, own)

    def _find_read_properties(
        self, statement: ast.stmt, own: str, always: bool
    ) -> list[tuple[str, bool, ast.AST]]:
        """Properties read in a statement and the methods it calls, in order.

        Each with whether it is read whatever a branch decides, and the read itself.
        """
        found: list[tuple[str, bool, ast.AST]] = []
        for node in self._read_nodes(statement, own):
            name, method = node.attr, self._methods.get(node.attr)
            alike = always and not self._is_in_branch(node, statement)
            if name in self._lazy:
                found.append((name, alike, node))
            elif method is not None and name not in self._entered and method.args.args:
                self._entered.append(name)
                for inner in method.body:
                    found += self._find_read_properties(
                        inner, method.args.args[0].arg, alike
                    )
        return found

    def _is_in_branch(self, node: ast.AST, statement: ast.stmt) -> bool:
        """Whether a node of a statement stands in a branch of it."""
        while node is not statement:
            parent = self._scopes.parents[node]
            if isinstance(parent, (ast.If, ast.IfExp)) and node is not parent.test:
                return True
            node = parent
        return False

    def _trains(self, name: str, seen: set[str]) -> bool:
        """Whether building a property may make variables."""
        seen.add(name)
        method = self._methods[name]
        for node in walk_breadth_first(method):
            if not isinstance(node, (ast.Attribute, ast.Name)):
                continue
            symbol = self._scopes.resolve(node) or ""
            if symbol in roles.VARIABLES or symbol.startswith(_MAKERS):
                return True
            attribute = node.attr if isinstance(node, ast.Attribute) else ""
            if attribute in ("minimize", "apply_gradients"):
                return True
            if attribute in self._methods and attribute not in seen:
                if self._trains(attribute, seen):
                    return True
        return False

    def _build_outside(
        self, name: str, statement: ast.stmt, made: ast.Assign, own: str
    ) -> None:
        if statement is made:
            raise _Unclear
        self._build(name, statement, own)

    def _find_suite(self, statement: ast.stmt) -> list[ast.stmt]:
        parent = self._scopes.parents[statement]
        for _, suite in (
            names.list_suites(parent) if isinstance(parent, ast.stmt) else ()
        ):
            if statement in suite:
                return suite
        if isinstance(parent, ast.Module) or isinstance(parent, ast.FunctionDef):
            return parent.body
        raise _Unclear
