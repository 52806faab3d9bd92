"""Moving averages of a program: those of the emitted moving_averages.py.

Measured with TF 1.15.5 in one process (50 of 50 steps each, resource variables or not):
behind `tf.control_dependencies([update])` the averages see the variables and the step after
the update. Merely grouped with it they see now these, now those from before.

On a cluster (20 of 20 steps each, one parameter server and two) they see the variables and
the step from before the update, behind it, before it or grouped with it: the server sends a
variable once in a step. Resource variables are read again, as in one process.
"""

from __future__ import annotations

import ast

from migrate.backends.custom_loop.context import Context
from migrate.backends.custom_loop.scope_names import FUNCTIONS, ScopeNames
from migrate.backends.custom_loop.step_expressions import StepExpressions
from migrate.facts import names
from migrate.facts.resource_variables import uses_resource_variables
from migrate.facts.scopes import Scopes
from migrate.findings import Finding, Outcome
from migrate.plan import Item, New, Plan
from migrate.program import ir
from migrate.program.binding_time import Diagnostics, list_every_flow
from migrate.program.binding_time.numbered_scopes import tell_renamed
from migrate.program.code import join_code, make_code
from migrate.program.ir import Kind
from migrate.source.nodes import walk_breadth_first

MODULE = "moving_averages"
SYMBOL = "tf.train.ExponentialMovingAverage"
_BEFORE = "# On a cluster averages move to the values from before the update."
_PARAMETERS = ("decay", "num_updates", "zero_debias", "name")


def rewrite(
    call: ast.Call,
    program: ir.TrainingProgram,
    scopes: Scopes,
    diagnostics: Diagnostics,
    plan: Plan,
) -> tuple[str, str]:
    """Plans a call of the class; what it is now."""
    bound = names.bind_arguments(call, _PARAMETERS)
    if bound is None or "decay" not in bound:
        diagnostics.refuse(
            "O120",
            call,
            "the tool cannot tell the arguments of this ExponentialMovingAverage apart",
            "Pass them by keyword.",
            SYMBOL,
        )
        bound = {}
    debias = bound.pop("zero_debias", None)
    if debias is not None and names.read_literal(debias) is not False:
        diagnostics.refuse(
            "O120",
            call,
            "zero_debias=True makes variables of its own, by which it divides",
            "Leave zero_debias out. Averages of variables begin at the variables' "
            "initial values.",
            SYMBOL,
        )
    for value in bound.values():
        if program.kinds.get(names.find_key(value) or "") in ir.STEP_KINDS:
            diagnostics.refuse(
                "O120",
                call,
                "a step computes the decay of the averages",
                "Give a number as decay, and num_updates.",
                SYMBOL,
            )
    parts = [make_code("replicas"), *[make_code(f"{n}=", v) for n, v in bound.items()]]
    scope = _find_scope(call, program, scopes, diagnostics)
    if scope:
        parts.append(make_code(f"scope={scope}"))
    plan.support.add(f"{MODULE}.py")
    plan.imports.append(f"import {MODULE}")
    plan.replace(
        call,
        make_code(f"{MODULE}.ExponentialMovingAverage(", join_code(", ", parts), ")"),
    )
    return "T107", f"{MODULE}.ExponentialMovingAverage: TF1's variables and names"


def _find_scope(
    call: ast.Call,
    program: ir.TrainingProgram,
    scopes: Scopes,
    diagnostics: Diagnostics,
) -> str:
    """Code of the variable scope in which averages are moved, with which TF1 began names."""
    statement = scopes.parents.get(call)
    made = (
        {names.find_key(target) for target in statement.targets}
        if isinstance(statement, ast.Assign)
        else set()
    )
    read = ScopeNames(program, scopes)
    found: dict[str, ast.Call] = {}
    same = True
    for node in scopes.walk():
        if not _applies(node, program, scopes):
            continue
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if names.find_key(node.func.value) in made:
            around = _list_scopes_above(node, read, scopes)
            within = [c for c in around if read.is_variable_scope(c)]
            found[read.read_path(within)] = within[-1] if within else node
            same &= around == within == _list_scopes_above(call, read, scopes)
    if (
        same
        and any(found)
        and any(isinstance(a, FUNCTIONS) for a in scopes.walk_above(call))
    ):
        # The function is called where the scope is open that is around it, too.
        return "tf.get_current_name_scope()"
    if len(found) > 1 or any("?" in path for path in found):
        tell_renamed(
            scopes,
            diagnostics,
            next(c for path, c in found.items() if path),
            "the program calls `apply` in several variable scopes, or in one whose "
            "name the tool does not know. So the averages may have other names",
            "Call `apply` in one scope whose name is written out, or outside of "
            "all scopes.",
            SYMBOL,
        )
        return ""
    _tell_lost_names(made, program, scopes, diagnostics, read)
    path = next(iter(found), "")
    return path and f'"{path}"'


def _list_scopes_above(
    node: ast.AST, read: ScopeNames, scopes: Scopes
) -> list[ast.Call]:
    """The scopes around a call, also those around the functions that it stands in.

    Such a function stands in another one, which gives it to `tf.cond`.
    """
    found = read.list_around(node)
    for above in scopes.walk_above(node):
        if isinstance(above, FUNCTIONS):
            block = scopes.parents.get(above)
            if isinstance(block, ast.With):
                found = [*read.list_around(block), *read.list_items(block), *found]
    return found


def _tell_lost_names(
    made: set[str | None],
    program: ir.TrainingProgram,
    scopes: Scopes,
    diagnostics: Diagnostics,
    read: ScopeNames,
) -> None:
    """Tells of averages of tensors that a step computes outside of the scopes around them.

    with tf.variable_scope("net"):
        cost = tf.reduce_mean(x)  # TF1's average: net/Mean/ExponentialMovingAverage.
    """
    for node in scopes.walk():
        if not _applies(node, program, scopes):
            continue
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if names.find_key(node.func.value) not in made:
            continue
        averaged = set().union(*map(names.find_reads, [*node.args, *node.keywords]))
        for flow in list_every_flow(program.flows):
            if (
                flow.step
                and not flow.suites
                and averaged & flow.binds
                and read.list_around(flow.statement)
            ):
                tell_renamed(
                    scopes,
                    diagnostics,
                    node,
                    "an average of a tensor has the name of the operation that computes "
                    "it. The step computes the tensor outside of the scope around it, so "
                    "the average has another name",
                    "Compute the tensor outside of all scopes.",
                    SYMBOL,
                )
                return


def sees_before(program: ir.TrainingProgram, scopes: Scopes) -> bool:
    """Whether TensorFlow 1's averages saw what there was before the update."""
    return not program.replication.alone and not uses_resource_variables(scopes)


def read_first(
    step: ir.StepFunction, context: Context, expressions: StepExpressions
) -> list[Item]:
    """Reads what a step's averages move to before it updates them, if TensorFlow 1 did."""
    program, scopes = context.program, context.scopes
    if not sees_before(program, scopes):
        return []
    items: list[Item] = []
    every = [node for node in scopes.walk() if _applies(node, program, scopes)]
    applied = {n for f in step.flows for n in walk_breadth_first(f.statement)}
    for call in [call for call in every if call in applied]:
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        averages = call.func.value
        number = str(every.index(call) + 1) if len(every) > 1 else ""
        name = f"{(names.find_key(averages) or '').split('.')[-1]}_before{number}"
        bound = names.bind_arguments(call, ("var_list",)) or {}
        chosen = [expressions.write_expression(value) for value in bound.values()]
        comment = "" if items else f"{_BEFORE}\n"
        items.append(
            New(make_code(f"{comment}{name} = ", averages, ".read(", *chosen, ")"))
        )
        context.plan.replace(call, make_code(averages, f".apply({name})"))
    return items


def refuse_unknown_values(
    program: ir.TrainingProgram, scopes: Scopes, diagnostics: Diagnostics
) -> None:
    """Refuses averages of which the tool does not know when TensorFlow 1 read the values."""
    crosses = program.connected is not None or (
        program.towers is not None and bool(program.towers.devices)
    )
    clustered = sees_before(program, scopes)
    if uses_resource_variables(scopes) or not (crosses or clustered):
        return
    in_steps = {
        node
        for step in program.steps
        for flow in step.flows
        for node in walk_breadth_first(flow.statement)
    }
    of_steps = {key for flow in program.flows if flow.step for key in flow.binds}
    resources = any(
        isinstance(n, ast.keyword) and n.arg == "use_resource" for n in scopes.walk()
    )
    for node in scopes.walk():
        if not _applies(node, program, scopes):
            continue
        assert isinstance(node, ast.Call)
        read = frozenset().union(
            *(
                names.find_reads(a)
                for a in [*node.args, *[k.value for k in node.keywords]]
            )
        )
        if (
            crosses
            or resources
            or node not in in_steps
            or read & of_steps
            or names.bind_arguments(node, ("var_list",)) is None
        ):
            diagnostics.refuse(
                "O120",
                node,
                "on a cluster TensorFlow 1 moved averages to the values from before the "
                "update if a server sent the variables, and the tool cannot read these "
                "values at the beginning of the step",
                "Call `apply` in the function that opens the session, with a list of "
                "variables: `averages.apply([w, b])`.",
                SYMBOL,
            )


def report_unordered_averages(
    program: ir.TrainingProgram, scopes: Scopes, diagnostics: Diagnostics
) -> None:
    """Says where averages are not ordered behind the update of what they average."""
    if sees_before(program, scopes):
        return
    updates = [
        node
        for node in walk_breadth_first(scopes.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("minimize", "apply_gradients")
        and scopes.resolve(node.func) is None
    ]
    for node in walk_breadth_first(scopes.tree):
        if not updates or not _applies(node, program, scopes):
            continue
        parent: ast.AST | None = scopes.parents.get(node)
        while parent is not None and not (
            isinstance(parent, ast.With)
            and any(
                isinstance(i.context_expr, ast.Call)
                and scopes.resolve(i.context_expr.func) == "tf.control_dependencies"
                for i in parent.items
            )
        ):
            parent = scopes.parents.get(parent)
        if parent is None:
            assert isinstance(node, ast.Call)
            diagnostics.findings.append(
                Finding(
                    node.lineno,
                    node.col_offset + 1,
                    "N191",
                    Outcome.REWRITTEN,
                    "",
                    "TensorFlow 1 updated these averages at the same time as the "
                    "variables, so they read the values from before the update or "
                    "from after it. The migrated program runs the two in the order "
                    "of the statements",
                )
            )


def _applies(node: ast.AST, program: ir.TrainingProgram, scopes: Scopes) -> bool:
    """Whether it is `averages.apply(...)`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    averages = node.func.value
    if node.func.attr != "apply":
        return False
    if program.kinds.get(names.find_key(averages) or "") is Kind.AVERAGES:
        return True
    if not isinstance(averages, ast.Name):
        return False
    # A name of the function that it stands in.
    owner = scopes.find_scope(averages).find_owner(averages.id)
    bound = owner.bindings.get(averages.id, []) if owner is not None else []
    return any(
        isinstance(b, ast.Assign)
        and isinstance(b.value, ast.Call)
        and scopes.resolve(b.value.func) == SYMBOL
        for b in bound
    )


def find_variables_to_restore(
    node: ast.expr, program: ir.TrainingProgram, scopes: Scopes
) -> ast.expr | None:
    """`averages.variables_to_restore()`, given as it is or by a name; else None."""
    if isinstance(node, ast.Name):
        owner = scopes.find_scope(node).find_owner(node.id)
        bindings = owner.bindings.get(node.id, []) if owner is not None else []
        if len(bindings) == 1 and isinstance(bindings[0], ast.Assign):
            return find_variables_to_restore(bindings[0].value, program, scopes)
        return None
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "variables_to_restore"
        and program.kinds.get(names.find_key(node.func.value) or "") is Kind.AVERAGES
    ):
        return node
    return None
