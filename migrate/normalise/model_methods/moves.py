"""Writes methods as functions behind their class."""

from __future__ import annotations

import ast
import bisect
import io
import tokenize

from migrate.facts.names import is_docstring
from migrate.facts.objects import Unsettled
from migrate.facts.scopes import Scopes, build_scopes
from migrate.normalise.model_methods.function_names import Naming
from migrate.normalise.model_methods.needed_methods import Method
from migrate.normalise.model_methods.places import (
    find_begin,
    find_end,
    make_point,
    make_span,
)
from migrate.normalise.model_methods.sites import Site
from migrate.normalise.text import Edit, Text, find_lines_inside_strings
from migrate.source.nodes import parse_source

_WIDTH = 88


class Move(Naming):
    """Moves one model_fn out of its class, with the methods that it calls."""

    def __init__(
        self,
        text: Text,
        scopes: Scopes,
        site: Site,
        sites: list[Site],
        elsewhere: tuple[str, ...],
    ) -> None:
        super().__init__(text, scopes, site, sites, elsewhere)
        self._tokens = _list_tokens(text.source)
        self._edits: list[Edit] = []
        # By function, what it takes that its object had.
        self.given: dict[str, list[str]] = {}

    def run(self) -> Text:
        """The text without the method.

        Raises:
          Unsettled: what it computes may depend on more than is in sight.
        """
        owner, name = self._owner, self._site.node.attr
        self._take(owner, name, self._site.node)
        owner = self._objects.find_home(self._methods[name].node) or owner
        self._owner = owner
        sites = self._find_uses()
        needed = self._find_needed_attributes()
        for attribute in sorted({a for one in needed.values() for a in one}):
            stores = self._objects.find_settled_bindings(owner, attribute)
            for site in sites:
                if not site.late:
                    self._check_ready(site, attribute, stores)
        if needed[name] and not self._of_object:
            raise Unsettled(
                self._site.node, f"the tool cannot tell the object of {name}() here"
            )
        self._check_elsewhere(needed)
        taken = self._find_taken_names()
        functions = self._name_functions(taken)
        values = self._name_values(needed, functions)
        for name_, method in self._methods.items():
            self._edit(method, needed, functions, values)
            self.given[functions[name_]] = [values[a] for a in needed[name_]]
        partial = False
        for site in sites:
            partial |= self._edit_site(site, needed[name], functions[name], values)
        text = self._text.apply_edits(self._edits)
        text = _split_long_lines(self._place_methods(text, owner))
        text = _import_functools(text) if partial else text
        try:
            parse_source(text.source)
        except SyntaxError:
            raise Unsettled(self._site.node, "its lines cannot be moved") from None
        return text

    def _edit(
        self,
        method: Method,
        needed: dict[str, list[str]],
        functions: dict[str, str],
        values: dict[str, str],
    ) -> None:
        for attribute, nodes in method.reads.items():
            self._edits += [Edit(node, values[attribute]) for node in nodes]
        for name, calls in method.calls.items():
            for call in calls:
                self._edits.append(Edit(call.func, functions[name]))
                self._give(call, self._methods[name], [values[a] for a in needed[name]])
        self._edit_parameters(method, [values[a] for a in needed[method.node.name]])
        self._rename(method.node, functions[method.node.name])

    def _give(self, call: ast.Call, method: Method, given: list[str]) -> None:
        """Adds the arguments that a function needs now (see `_edit_parameters`)."""
        arguments = method.node.args
        place = len(arguments.args) - len(arguments.defaults) - bool(method.receiver)
        if not given or not arguments.defaults or len(call.args) <= place:
            return self._append(call, [f"{name}={name}" for name in given])
        line, column = begin = find_begin(call.args[place])
        column = self._text.find_column(line, column)
        at = bisect.bisect_left(self._tokens, (line, column), key=lambda t: t.start)
        if self._tokens[at - 1].string != ",":
            raise Unsettled(call, "an argument stands in parentheses")
        self._edits.append(
            Edit(make_point(*begin), "".join(f"{name}, " for name in given))
        )

    def _append(self, call: ast.Call, given: list[str]) -> None:
        """Appends further arguments to a call, by name."""
        if not given:
            return
        end = call.end_lineno or 0
        column = self._text.find_column(end, (call.end_col_offset or 1) - 1)
        last = (
            bisect.bisect_left(self._tokens, (end, column), key=lambda t: t.start) - 1
        )
        token = self._tokens[last]
        comma = {"(": "", ",": " "}.get(token.string, ", ")
        line, column = token.end
        byte = len(self._text.lines[line - 1][:column].encode())
        self._edits.append(Edit(make_point(line, byte), comma + ", ".join(given)))

    def _edit_parameters(self, method: Method, given: list[str]) -> None:
        """Removes `self` from the parameters, and adds what the function needs."""
        arguments = method.node.args
        if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
            raise Unsettled(
                method.node, f"{method.node.name}() takes `*args` or `**kwargs`"
            )
        every = [*arguments.args, *arguments.kwonlyargs]
        own = every[1:] if method.receiver else every
        if method.receiver:
            end = find_end(every[0])
            if own and not arguments.args[1:]:
                raise Unsettled(method.node, "it has keyword-only arguments")
            stop = find_begin(own[0]) if own else end
            self._edits.append(Edit(make_span(find_begin(every[0]), stop), ""))
        if not given:
            return
        first = len(arguments.args) - len(arguments.defaults)
        if arguments.defaults and first < len(arguments.args):
            if arguments.args[first] is (own[0] if own else None):
                # Before the first, where `self` stood or the list begins.
                raise Unsettled(
                    method.node,
                    f"every argument of {method.node.name}() is optional",
                )
            at = make_point(*find_begin(arguments.args[first]))
            self._edits.append(Edit(at, "".join(f"{g}, " for g in given)))
        elif own:
            last = own[-1].annotation or own[-1]
            self._edits.append(
                Edit(make_point(*find_end(last)), "".join(f", {g}" for g in given))
            )
        elif method.receiver:
            self._edits[-1] = Edit(self._edits[-1].node, ", ".join(given))
        else:
            raise Unsettled(method.node, f"{method.node.name}() takes no arguments")

    def _rename(self, node: ast.FunctionDef, name: str) -> None:
        if name != node.name:
            line = self._text.lines[node.lineno - 1]
            column = len(line[: line.index(node.name, node.col_offset + 3)].encode())
            end = column + len(node.name.encode())
            self._edits.append(
                Edit(make_span((node.lineno, column), (node.lineno, end)), name)
            )

    def _edit_site(
        self, site: Site, needed: list[str], function: str, values: dict[str, str]
    ) -> bool:
        """Edits an Estimator's argument; returns whether that is a partial now."""
        of = self._text.find_segment(site.node.value)
        given = [f"{values[a]}={of}.{a}" for a in needed]
        if any(a.startswith("__") for a in needed) and site.node.value.id != "self":  # type: ignore[attr-defined]
            raise Unsettled(
                site.node,
                "code outside of its class would use a private attribute (`__...`)",
            )
        if site.built is not None:
            self._edits.append(Edit(site.node, function))
            self._append(site.built, given)
            return False
        if not given:
            self._edits.append(Edit(site.node, function))
            return False
        line = self._text.lines[site.node.lineno - 1]
        new = f"functools.partial({function}, {', '.join(given)})"
        if len(line) - len(self._text.find_segment(site.node)) + len(new) > _WIDTH:
            # Its Estimator's arguments may get lines of their own.
            deeper = 8 if site.call.lineno == site.node.lineno else 4
            hang = "\n" + line[: len(line) - len(line.lstrip())] + " " * deeper
            new = f"functools.partial({hang}{f',{hang}'.join([function, *given])})"
        self._edits.append(Edit(site.node, new))
        return True

    def _place_methods(self, text: Text, owner: ast.ClassDef) -> Text:
        """Moves the methods out of their classes, below the Estimator's own class."""
        lines: list[str] = []
        origins: list[int] = []
        gone: list[tuple[int, int]] = []
        for method in sorted(self._methods.values(), key=lambda m: m.node.lineno):
            begin, end = self._find_lines(method.node)
            gone.append((begin, end))
            more, where = self._dedent_lines(text, method.node, begin, end)
            blank = [where[0]] * 2
            lines += ["", "", *more]
            origins += [*blank, *where]
        last = owner.end_lineno or owner.lineno
        text = text.splice(last + 1, last, lines, origins)
        for begin, end in sorted(gone, reverse=True):
            text = self._drop_lines(text, begin, end)
        return text

    def _find_lines(self, node: ast.FunctionDef) -> tuple[int, int]:
        """A method's lines, with its decorators and the comment above."""
        begin = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        while self._text.lines[begin - 2].strip().startswith("#"):
            begin -= 1
        return begin, node.end_lineno or node.lineno

    def _dedent_lines(
        self, text: Text, node: ast.FunctionDef, begin: int, end: int
    ) -> tuple[list[str], list[int]]:
        verbatim: set[int] = set()
        for statement in node.body:
            if not is_docstring(statement):
                verbatim |= find_lines_inside_strings(statement)
        decorators = {d.lineno for d in node.decorator_list}
        indent = text.lines[node.lineno - 1][: node.col_offset]
        lines: list[str] = []
        origins: list[int] = []
        for number in range(begin, end + 1):
            if number in decorators:
                continue
            line = text.lines[number - 1]
            if number not in verbatim and line.startswith(indent):
                line = line[len(indent) :]
            lines.append(line)
            origins.append(text.origins[number - 1])
        return lines, origins

    def _drop_lines(self, text: Text, begin: int, end: int) -> Text:
        """The text without some lines of a class, which may not be left empty."""
        home = next(
            c
            for c in self._scopes.tree.body
            if isinstance(c, ast.ClassDef) and c.lineno < begin <= (c.end_lineno or 0)
        )
        members = {m.node for m in self._methods.values()}
        if all(member in members for member in home.body):
            first = home.body[0]
            assert isinstance(first, ast.FunctionDef)
            if self._find_lines(first)[0] == begin:
                indent = text.lines[first.lineno - 1][: first.col_offset]
                line = [indent + "pass"]
                return text.splice(begin, end, line, [text.origins[begin - 1]])
        while begin > 2 and not text.lines[begin - 2].strip():
            begin -= 1
        if text.lines[begin - 2].rstrip().endswith(":"):  # The class's first.
            while end < len(text.lines) and not text.lines[end].strip():
                end += 1
        return text.splice(begin, end, [], [])


def _split_long_lines(text: Text) -> Text:
    """Splits lines of the text into which edits put line breaks."""
    lines: list[str] = []
    origins: list[int] = []
    for line, origin in zip(text.lines, text.origins):
        several = line.split("\n")
        lines += several
        origins += [origin] * len(several)
    return Text(tuple(lines), tuple(origins))


def _import_functools(text: Text) -> Text:
    """The text with `import functools`."""
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    bound = scopes.module.bindings.get("functools", [])
    if bound:
        if all(isinstance(b, ast.Import) for b in bound):
            return text
        raise Unsettled(bound[0], "the name functools is taken")
    imports = [
        s
        for s in tree.body
        if isinstance(s, ast.Import)
        or (isinstance(s, ast.ImportFrom) and s.module != "__future__")
    ]
    at = imports[0].lineno
    return text.splice(at, at - 1, ["import functools"], [text.origins[at - 1]])


def _list_tokens(source: str) -> list[tokenize.TokenInfo]:
    """Tokens that mean something, in order."""
    return [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
        and token.type not in (tokenize.INDENT, tokenize.DEDENT)
    ]
