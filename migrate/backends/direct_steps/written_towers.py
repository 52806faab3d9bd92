"""Writes the steps of a program with towers: `strategy.run` in a `tf.function`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from migrate.backends.direct_steps.made_variables import NotKnown
from migrate.backends.direct_steps.program import Program, Step
from migrate.backends.direct_steps.results import Results
from migrate.backends.direct_steps.towers import Tower, find_values, read_tower
from migrate.facts import names
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, join_code, make_code

_TOWER = "tower_step"
_WIDTH = 88
# Parts of the names of functions and layers whose gradients are sparse.
_SPARSE = ("gather", "mbedding")


class Towers:
    """The steps of a program with towers.

    Args:
      plan: where expressions are replaced.
      new: where statements are replaced.
      find_column: gives the column at which a statement will stand.
    """

    def __init__(
        self,
        program: Program,
        plan: Plan,
        new: dict[ast.stmt, list[Item]],
        find_column: Callable[[ast.stmt], int],
    ) -> None:
        self._program = program
        self._scopes = program.scopes
        self._tf = program.tensorflow
        self._strategy = program.strategy
        self._plan = plan
        self._new = new
        self._find_column = find_column
        self._kind = f"{self._tf}.VariableAggregation.ONLY_FIRST_REPLICA"
        read = [n for n in self._scopes.walk() if isinstance(n, ast.Name)]
        if any(n.id == _TOWER for n in read):
            raise NotKnown
        asked = {n.attr for n in self._scopes.walk() if isinstance(n, ast.Attribute)}
        self._sparse = any(part in name for name in asked for part in _SPARSE)
        # Whether each variable of a list has a gradient, as those have that a tape watched.
        self.all_watched = not program.listings and "stop_gradient" not in asked

    # -- variables ---------------------------------------------------------------------

    def rewrite_counters(self) -> None:
        """Says of variables that no optimizer trains how the towers change them together.

        Raises:
          NotKnown: it is not known whether a variable is trained.
        """
        for node in self._scopes.walk():
            if not isinstance(node, ast.Call):
                continue
            symbol = self._scopes.resolve(node.func)
            if symbol != "tf.Variable":
                continue
            given = {k.arg: k.value for k in node.keywords}
            trained = given.get("trainable")
            if len(node.args) > 1 or None in given:
                raise NotKnown
            if trained is None or "aggregation" in given:
                continue
            if not isinstance(trained, ast.Constant):
                raise NotKnown
            if trained.value is False:
                self._plan.replace(trained, self._write_fixed())

    def _write_fixed(self) -> Code:
        """`trainable=False`, and that the towers count as one."""
        return make_code(f"False, aggregation={self._kind}")

    def write_counter(self, call: ast.Call) -> Code:
        """Writes the variable that counts steps, which all towers count together."""
        column = self._find_column(names.find_statement(self._scopes.parents, call))
        end = "\n" + " " * column
        return make_code(
            f"{self._tf}.Variable({end}"
            f'    0, dtype={self._tf}.int64, name="global_step", trainable=False,{end}'
            f"    aggregation={self._kind},{end})"
        )

    # -- gradients ---------------------------------------------------------------------

    def rewrite_averages(self) -> None:
        """Rewrites the means of gradients over the towers."""
        gradient = f"{self._tf}.convert_to_tensor(g)" if self._sparse else "g"
        context = f"{self._tf}.distribute.get_replica_context()"
        mean = f'{context}.all_reduce("MEAN", {gradient})'
        for call in self._program.towers:
            assert isinstance(call.func, ast.Attribute)
            (given,) = call.args
            match call.func.attr:
                case "average":
                    self._rewrite_update(call, gradient)
                case "averaged":
                    self._plan.replace(call, self._write_pairs(call, mean, given))
                case "means":
                    self._plan.replace(call, self._write_each(call, mean, given))

    def _rewrite_update(self, call: ast.Call, gradient: str) -> None:
        """`apply_gradients` adds up what the replicas give, so each gives its part."""
        part = f"{gradient} / {self._strategy}.num_replicas_in_sync"
        pairs = self._scopes.parents[call]
        update = self._scopes.parents[pairs]
        statement = self._scopes.parents[update]
        (given,) = call.args
        before = self._find_before(statement)
        match pairs, before:
            case (
                ast.Call(ast.Name("zip"), [_, ast.Name(variables)], []),
                ast.Assign(
                    [ast.Tuple([ast.Name(one), ast.Name(other)])],
                    ast.Call(ast.Name("zip"), [ast.Starred(listed)], []),
                ),
            ) if isinstance(given, ast.Name) and (one, other) == (given.id, variables):
                self._plan.replace(pairs, self._write_pairs(call, part, listed))
                self._new[before] = [Dropped(before)]
            case _:
                self._plan.replace(call, self._write_each(call, part, given))
        if isinstance(statement, ast.Expr):
            comment = "# The updates of all towers are added up.\n"
            self._new[statement] = [New(make_code(comment, update), statement)]

    def _write_pairs(self, call: ast.Call, value: str, listed: ast.expr) -> Code:
        """`[(g / 2, v) for g, v in listed]`"""
        absent = "" if self.all_watched else " if g is not None"
        return self._write_list(call, f"({value}, v)", "g, v", listed, absent)

    def _write_each(self, call: ast.Call, value: str, listed: ast.expr) -> Code:
        """`[g / 2 for g in listed]`"""
        one = value if self.all_watched else f"None if g is None else {value}"
        return self._write_list(call, one, "g", listed, "")

    def _write_list(
        self, call: ast.Call, value: str, each: str, listed: ast.expr, absent: str
    ) -> Code:
        """Writes a list in one line, or in several where its statement would be long."""
        statement = names.find_statement(self._scopes.parents, call)
        column = self._find_column(statement) + 4
        one = f"[{value} for {each} in {ast.unparse(listed)}{absent}]"
        around = len(ast.unparse(statement)) - len(ast.unparse(call))
        if column + around + len(one) <= _WIDTH:
            return make_code(f"[{value} for {each} in ", listed, f"{absent}]")
        end = "\n" + " " * column
        line = end + "    "
        between = " " if column + 2 + len(one) <= _WIDTH else line
        return make_code(
            f"[{line}{value}{between}for {each} in ", listed, f"{absent}{end}]"
        )

    def _find_before(self, statement: ast.AST) -> ast.stmt | None:
        """The statement directly before another in its suite."""
        if not isinstance(statement, ast.stmt):
            return None
        suite = names.find_suite(self._scopes.parents[statement], statement) or []
        place = suite.index(statement) if suite else 0
        return suite[place - 1] if place else None

    def write_step(
        self,
        step: Step,
        results: Results,
        decorator: Code,
        lean: bool,
        list_items: Callable[[Sequence[ast.stmt]], list[Item]],
    ) -> list[Item]:
        """Writes a step whose towers are a function of their own.

        Args:
          lean: whether elements that nobody reads are left out.
          list_items: writes statements of the step.
        """
        function = step.function
        tower = read_tower(self._program, function)
        kept = [e for e in results.elements if e is not None]
        values = list(find_values(self._program, function, tower, kept))
        for statement in (*tower.after, *tower.dropped):
            self._new[statement] = []
        for call, value in tower.gathered.items():
            self._plan.replace(call, make_code(self._write_local(value)))
        body = function.body
        first = body[:1] if ast.get_docstring(function) is not None else []
        inner = [s for s in body[len(first) :] if not isinstance(s, ast.Return)]
        parameters = [a.arg for a in function.args.args]
        items = list_items(inner)
        signature = f"def {function.name}({ast.unparse(function.args)}):"
        header = make_code("@", decorator, "\n", signature)
        returned = self._write_return(results, tower, set(values), lean)
        if not items and not values:  # It gives variables alone.
            return [Block(header, [*list_items(first), *returned], function)]
        alone = self._name_function(inner, parameters, values)
        given = ", ".join(parameters) + ("," if len(parameters) == 1 else "")
        arguments = f", args=({given})" if given else ""
        bound = f"{', '.join(values)} = " if values else ""
        begin = "" if alone else "\n"
        run = f"{begin}{bound}{self._strategy}.run({alone or _TOWER}{arguments})"
        whole: list[Item] = [*list_items(first)]
        if not alone:
            if values:
                items.append(New(make_code("return " + ", ".join(values))))
            named = make_code(f"def {_TOWER}({', '.join(parameters)}):")
            whole.append(Block(named, items))
        whole += [
            New(make_code(run)),
            *map(Keep, tower.after),
            *returned,
        ]
        return [Block(header, whole, function)]

    def _name_function(
        self,
        inner: Sequence[ast.stmt],
        parameters: Sequence[str],
        values: Sequence[str],
    ) -> str:
        """The name of the function that a tower only calls: `loss = forward(x, y)`; or ""."""
        match inner[0] if inner else None:
            case ast.Assign(
                targets=[target], value=ast.Call(ast.Name(name) as called, given, [])
            ):
                read = [a.id for a in given if isinstance(a, ast.Name)]
                bound = target.elts if isinstance(target, ast.Tuple) else [target]
                given_to = [b.id for b in bound if isinstance(b, ast.Name)]
                owner = self._scopes.find_scope(called).find_owner(name)
                made = owner.bindings[name] if owner is not None else []
                if (
                    (read, given_to) == (list(parameters), list(values))
                    and all(self._new.get(other) == [] for other in inner[1:])
                    and [type(m) for m in made] == [ast.FunctionDef]
                ):
                    return name
        return ""

    def _write_local(self, name: str) -> str:
        return f"{self._strategy}.experimental_local_results({name})"

    def _write_return(
        self, results: Results, tower: Tower, values: set[str], lean: bool
    ) -> list[Item]:
        if results.statement is None:
            return []
        shown: list[Code] = []
        for element in results.elements:
            if element is None:
                continue
            if isinstance(element, ast.Name) and element.id in values:
                place = 0 if element.id in tower.first else -1
                shown.append(make_code(f"{self._write_local(element.id)}[{place}]"))
            elif element in results.read:
                shown.append(make_code(f"{self._tf}.identity(", element, ")"))
            else:
                shown.append(make_code(element))
        if not shown:
            return []
        begin, end = (
            ("[", "]") if results.many and not (lean or results.whole) else ("", "")
        )
        texts = [ast.unparse(e) for e in results.elements if e is not None]
        calls = len([e for e in shown if "(" in str(e.parts[0])]) * len(
            self._write_local("")
        )
        if self._find_column(results.statement) + calls + len(", ".join(texts)) <= 70:
            listed = join_code(", ", shown)
        else:
            begin, end = begin or "(", end or ")"
            line = "\n" + " " * (self._find_column(results.statement) + 4)
            listed = make_code(line, join_code(f",{line}", shown), f",{line[:-4]}")
        return [
            New(make_code("return ", begin, listed, end), results.statement),
        ]


def count_scoped(block: ast.With) -> int:
    """How many statements of the graph's block make variables: the functions below do not."""
    made = [i for i, s in enumerate(block.body) if not isinstance(s, ast.FunctionDef)]
    return made[-1] + 1 if made else 0
