"""Rewrites a loop beside a cluster as scheduled steps of the cluster's strategy.

With parameter servers this process coordinates, and any free worker runs its steps. If there
are only workers, they make each step together. Nothing is written beside the file.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from migrate.backends.half_migrated.cluster import spell_cluster
from migrate.backends.half_migrated.spelling import Spelling, refuse_own_names
from migrate.backends.half_migrated.tasks import tell_role, write_role
from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.findings import Outcome
from migrate.frontends.half_migrated import Refused
from migrate.plan import Block, Dropped, Item, Keep, New, Plan
from migrate.program.code import Code, make_code
from migrate.program.eager import BareLoop, Division
from migrate.rules.mistakes import whole_batches
from migrate.rules.mistakes.mistake import find_method
from migrate.source.nodes import walk_breadth_first

_STEP, _BODY = "distributed_step", "train_step"
_OWN_NAMES = frozenset({"strategy", "coordinator", "tf_config", "task", "meet", _STEP})
# A worker that ends would cut off data that others still receive from it in their last step.
_MEET = """
@tf.function
def meet():
    context = tf.distribute.get_replica_context
    return strategy.run(lambda: context().all_reduce("SUM", tf.constant(1.0)))

# Workers end together: one that ended before would break the others' last step.
try:
    meet()
except tf.errors.OpError:
    pass  # All have had their last step, and one has ended already.
"""


class BareLoopRewrite:
    """Plans one program.

    Args:
      together: whether the workers make every step together.
    """

    def __init__(
        self, program: BareLoop, scopes: Scopes, plan: Plan, together: bool
    ) -> None:
        self._program = program
        self._scopes = scopes
        self._plan = plan
        self._together = together
        self._spelling = Spelling(scopes, plan, program.setters.values())
        self.findings = self._spelling.findings

    def run(self) -> None:
        """Fills the plan.

        Raises:
          Refused: the program is not taken.
        """
        program, plan = self._program, self._plan
        self._check_names()
        plan.imports += ["import json", "import os"]
        self._drop_sessions()
        self._drop_server()
        self._rewrite_losses()
        self._rewrite_function()
        self._rewrite_loop()
        early = [s for s in program.suite[: program.ready] if s not in program.late]
        at = program.suite.index(program.whole)
        late = [s for s in program.suite[:at] if s not in early]
        made = [i for i, s in enumerate(late) if s in program.made]
        first, last = made[0], made[-1]
        plan.suites[program.owner, program.field] = [
            *self._keep_statements(early),
            self._write_strategy(),
            *self._keep_statements(late[:first]),
            Block(
                make_code("with strategy.scope():"),
                self._keep_statements(late[first : last + 1]),
            ),
            *self._keep_statements(late[last + 1 :]),
            *self._write_step(),
            *self._keep_statements(program.suite[at : at + 1]),
            *([New(make_code(_MEET.rstrip("\n")))] if self._together else []),
            *self._keep_statements(program.suite[at + 1 :]),
        ]
        self._spelling.rewrite_names()

    def _check_names(self) -> None:
        own = _OWN_NAMES if self._program.step.function else _OWN_NAMES | {_BODY}
        refuse_own_names(self._scopes, own, defined=True)

    def _keep_statements(self, statements: Sequence[ast.stmt]) -> list[Item]:
        items: list[Item] = []
        for statement in statements:
            block = self._program.setters.get(statement)
            if block is not None:
                items.append(Dropped(block))
            items += self._plan.statements.get(statement) or [Keep(statement)]
            if statement is self._program.loop and self._joins:
                items.append(New(make_code("coordinator.join()")))
        return items

    @property
    def _joins(self) -> bool:
        """Whether steps may still run after the loop has ended."""
        return not self._together and not self._results

    @property
    def _results(self) -> bool:
        """Whether the loop uses the results of a step."""
        call = self._program.step.call
        if call is None:
            return bool(self._program.step.results)
        return not isinstance(self._scopes.parents[call], ast.Expr)

    # -- the cluster ----------------------------------------------------------------------

    def _drop_sessions(self) -> None:
        reason = (
            "dropped: this session runs no graph, and each process trained a "
            "model of its own. The strategy of the cluster trains one model"
        )
        for call in self._program.sessions:
            block = self._scopes.parents[self._scopes.parents[call]]
            assert isinstance(block, ast.With)
            unknown = [k for k in call.keywords if k.arg == "cluster"]
            taken = "; no session of TensorFlow takes `cluster`" if unknown else ""
            self._spelling.claimed[call.func] = ("D113", reason + taken)
            if block not in self._program.setters.values():
                self._plan.statements[block] = [
                    Dropped(block),
                    *(Dropped(s) for s in block.body),
                ]

    def _drop_server(self) -> None:
        """Drops a server that nothing uses: the tasks start the servers of the strategy."""
        server = self._program.server
        if server is None:
            return
        self._plan.statements[server.statement] = [Dropped(server.statement)]
        self._spelling.claimed[server.call.func] = (
            "C110",
            (
                "dropped: nothing uses this server, and it names the same task in "
                "every process. TF_CONFIG says which task a process is"
            ),
        )

    def _write_strategy(self) -> Item:
        program = self._program
        made = self._scopes.parents[program.cluster]
        assert isinstance(made, ast.Assign)
        told = tell_role(self._together)
        self._spelling.add_finding(made.value, "D159", told, "tf.train.ClusterSpec")
        return New(
            make_code(write_role(spell_cluster(program.cluster), self._together))
        )

    # -- the step -------------------------------------------------------------------------

    def _rewrite_losses(self) -> None:
        """Replaces means of Keras losses; a worker's mean counts by its share."""
        program, step = self._program, self._program.step
        value = self._find_loss_value()
        # A parameter server's worker is its step's only replica. The number stays the same.
        shared = step.division is Division.MEAN
        if self._together and step.division is None:
            raise Refused(
                "D125",
                step.why or step.loss,
                "the tool cannot tell whether this loss is a mean or a sum over "
                "the batch",
                "Use tf.reduce_mean of one loss for each example, or a loss object "
                "of Keras.",
            )
        for made in dict.fromkeys(made for _, made in program.means):
            parts: list[str | ast.AST | Code] = [made.func, "("]
            for argument in made.args:
                parts += [argument, ", "]
            for keyword in made.keywords:
                if keyword.arg != "reduction":
                    parts += [f"{keyword.arg}=", keyword.value, ", "]
            self._plan.replace(made, Code((*parts, 'reduction="none")')))
            self._spelling.add_finding(
                made,
                "D132",
                "this loss object now gives a value for each example; the mean "
                "is taken where the program calls it",
            )
        for call in dict.fromkeys(call for call, _ in program.means):
            if shared and call is value:
                self._plan.replace(call, self._average_losses(call))
                shared = False
            else:
                self._plan.replace(call, make_code("tf.reduce_mean(", call, ")"))
        if not shared:
            return
        if value is None or value in self._plan.expressions:
            raise Refused(
                "D125",
                step.loss,
                "the loss is not a single expression, so the tool cannot divide it "
                "by the size of the whole batch",
                "Assign the loss once, inside the tape.",
            )
        self._plan.replace(value, self._weigh_mean(value))

    def _weigh_mean(self, value: ast.expr) -> Code:
        """Multiplies the mean of a worker's part by its share of the batch."""
        rows, source = self._program.step.rows, self._program.source
        if rows is not None:
            return whole_batches.weigh(value, rows, "tf")
        if source.dataset is not None:
            raise Refused(
                "D125",
                value,
                "the tool cannot tell how many examples of the batch each worker has",
                "Use the batch under the name that the loop gives it.",
            )
        left, right = ("", "") if isinstance(value, ast.Call) else ("(", ")")
        return make_code(left, value, right, " / strategy.num_replicas_in_sync")

    def _average_losses(self, call: ast.Call) -> Code:
        """Divides losses per example by the batch that all workers share."""
        if not self._together:
            return make_code("tf.nn.compute_average_loss(", call, ")")
        mean = whole_batches.average_losses(self._scopes, call, "tf")
        if mean is None:
            raise Refused(
                "D125",
                call,
                "the tool cannot tell how many examples a worker has, because the "
                "call of the loss computes the labels",
                "Assign the labels to a name first.",
            )
        return mean

    def _find_loss_value(self) -> ast.expr | None:
        """Returns the only expression that is assigned to the tape's target."""
        step = self._program.step
        name = names.find_key(step.loss)
        found = [
            n.value
            for s in step.body
            for n in walk_breadth_first(s)
            if isinstance(n, (ast.Assign, ast.AugAssign))
            and name in names.find_binds(n)
        ]
        return found[0] if len(found) == 1 else None

    def _rewrite_function(self) -> None:
        """Makes the step's function a plain one: it is a part of a larger tf.function."""
        function = self._program.step.function
        if function is None:
            return
        if self._together and self._results:
            given = self._program.step.returned
            if given is None or ast.dump(given) != ast.dump(self._program.step.loss):
                raise Refused(
                    "D125",
                    given or function,
                    "each worker has only a part of the other values that the step "
                    "returns beside its loss",
                    "Return only the loss.",
                )
        if not function.decorator_list:
            return
        arguments = ast.unparse(function.args)
        body: list[Item] = [Keep(s) for s in function.body]
        self._plan.statements[function] = [
            Block(make_code(f"def {function.name}({arguments}):"), body, function)
        ]
        for decorator in function.decorator_list:
            node = decorator.func if isinstance(decorator, ast.Call) else decorator
            self._spelling.claimed[node] = (
                "D132",
                "the distributed step is the tf.function",
            )

    def _write_step(self) -> list[Item]:
        """Writes the function that replicas run, and the tf.function that runs it on them."""
        step, given = self._program.step, ", ".join(self._program.source.names)
        items: list[Item] = []
        if step.call is not None:
            target = ast.unparse(step.call.func)
            passed = ", ".join(ast.unparse(a) for a in step.call.args)
            passed += "," * (len(step.call.args) == 1)
            run = f"strategy.run({target}, args=({passed})"
            if step.call.keywords:
                by_name = ", ".join(
                    f'"{k.arg}": {ast.unparse(k.value)}' for k in step.call.keywords
                )
                run += f", kwargs={{{by_name}}}"
            run += ")"
        else:
            body: list[Item] = [Keep(s) for s in step.body]
            if step.results:
                body.append(New(make_code("return " + ", ".join(step.results))))
            items.append(Block(make_code(f"\ndef {_BODY}({given}):"), body))
            comma = "," * (len(self._program.source.names) == 1)
            run = f"strategy.run({_BODY}, args=({given}{comma}))"
        if self._together and self._results:
            if step.call is None and step.results != (names.find_key(step.loss),):
                raise Refused(
                    "D125",
                    step.apply,
                    "each worker has only a part of the other values that the loop "
                    "reads beside the loss",
                    "Read only the loss.",
                )
            run = f'strategy.reduce("SUM", {run}, axis=None)'
        header = make_code(f"\n@tf.function\ndef {_STEP}({given}):")
        items.append(Block(header, [New(make_code(f"return {run}\n"))]))
        return items

    # -- the loop -------------------------------------------------------------------------

    def _rewrite_loop(self) -> None:
        program, step = self._program, self._program.step
        given = ", ".join(program.source.names)
        comma = "," * (len(program.source.names) == 1)
        run = f"coordinator.schedule({_STEP}, args=({given}{comma}))"
        if self._together:
            run = f"{_STEP}({given})"
            self._rewrite_data()
        elif self._results:
            run += ".fetch()"
            self._rewrite_values()
        if step.call is not None:
            self._plan.replace(step.call, make_code(run))
        else:
            text = ", ".join(step.results) + " = " + run if step.results else run
            items: list[Item] = []
            for statement in program.loop.body:
                if statement is step.body[0]:
                    items.append(New(make_code(text)))
                elif statement not in step.body:
                    items.append(Keep(statement))
            self._plan.suites[program.loop, "body"] = items
        around = self._scopes.parents[program.loop]
        if program.loop is not program.whole and self._joins:
            field, suite = next(
                (f, s)
                for f, s in names.list_suites(around)  # type: ignore[arg-type]
                if program.loop in s
            )
            self._plan.suites[around, field] = self._keep_statements(suite)

    def _rewrite_data(self) -> None:
        """Rewrites the batches of workers that make each step together."""
        source = self._program.source
        if source.dataset is not None:
            new = make_code(
                "strategy.experimental_distribute_dataset(", source.dataset, ")"
            )
            self._plan.replace(source.dataset, new)
            return
        self._spelling.add_finding(
            self._program.step.apply,
            "D154",
            "each worker uses the batches of its own loop, and a step is the "
            "mean over the batches of all workers. If all workers use the same "
            "batches, give each worker its own part of the data",
            outcome=Outcome.KEPT,
        )

    def _rewrite_values(self) -> None:
        """Removes `.numpy()` from fetched values, which are numpy's already."""
        program, step = self._program, self._program.step
        results = set(step.results)
        if step.call is not None:
            around = self._scopes.parents[step.call]
            results |= (
                names.find_binds(around) if isinstance(around, ast.Assign) else set()
            )
        at = program.suite.index(program.whole)
        for node in (n for s in program.suite[at:] for n in walk_breadth_first(s)):
            if (
                isinstance(node, ast.Call)
                and find_method(node) == "numpy"
                and not node.args
            ):
                assert isinstance(node.func, ast.Attribute)
                value = node.func.value
                if value is step.call or names.find_key(value) in results:
                    self._plan.replace(node, make_code(value))
