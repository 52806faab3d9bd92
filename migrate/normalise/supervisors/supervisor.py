"""TF1 to TF1: a Supervisor's session as a MonitoredTrainingSession.

Both prepare or wait for the session, restore, save by time, and leave the rest to the
loop. What a Supervisor does otherwise, and this form does not keep: it writes no last
checkpoint (a MonitoredTrainingSession writes one when it ends), and logs the steps per
second by time. (tensorflow/python/training/supervisor.py of 1.15.)
"""

from __future__ import annotations

import ast
import dataclasses

from migrate.facts import global_steps, names
from migrate.facts.names import is_none_constant
from migrate.facts.scopes import build_scopes
from migrate.facts.thread_lists import find_other_use
from migrate.normalise.supervisors import callees as supervisor_callees
from migrate.normalise.supervisors import loops as supervisor_loops
from migrate.normalise.supervisors import (
    object_supervisors as supervisor_object_supervisors,
)
from migrate.normalise.supervisors import starts as supervisor_starts
from migrate.normalise.supervisors.arguments import Arguments, Unclear
from migrate.normalise.supervisors.services import (
    Services,
    runs_after_stop,
    step_name,
)
from migrate.normalise.text import Edit, ParsedText, Text, find_lines_inside_strings
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import supervisor as table
from migrate.tables.scaffolds import OPERATIONS

_NONE = ast.Constant(None)


def replace_supervisor(text: Text) -> Text:
    """The text without its Supervisor; the same text if that cannot be."""
    if "Supervisor" not in text.source:
        return text
    try:
        return _Supervisor(
            supervisor_loops.inline_loops(
                supervisor_starts.write_out_starts(
                    supervisor_callees.inline_callees(
                        supervisor_object_supervisors.move_into_method(text)
                    )
                )
            )
        ).run()
    except Unclear:
        return text


def find_lines(text: Text) -> tuple[int, ...]:
    """The lines where the program makes a Supervisor."""
    if "Supervisor" not in text.source:
        return ()
    tree = parse_source(text.source)
    scopes = build_scopes(tree)
    found = [
        node.lineno
        for node in walk_breadth_first(tree)
        if isinstance(node, ast.Call)
        and scopes.resolve(node.func) == "tf.train.Supervisor"
    ]
    return tuple(text.origins[n - 1] for n in found)


@dataclasses.dataclass(frozen=True)
class _Session:
    """One Supervisor's session, and the statement that opens it.

    Attributes:
      statement: a `with`, or an assignment of what is closed at the end.
      call: the Supervisor's method that gives it.
      name: the session's name.
    """

    statement: ast.With | ast.Assign
    call: ast.Call
    name: str


class _Supervisor(ParsedText):
    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self._arguments = Arguments(self._scopes)
        self._made = self._find_constructions()
        # `sv`, or `self.sv` of an object.
        self._name = names.find_key(self._made[0].targets[0]) or ""

    def _find_constructions(self) -> list[ast.Assign]:
        """`sv = tf.train.Supervisor(...)`: once, or once in each branch.

        Raises:
          Unclear: it is made otherwise, or differently.
        """
        found: list[ast.Assign] = []
        for node in self._scopes.list_calls("tf.train.Supervisor"):
            statement = self._scopes.parents[node]
            if (
                not isinstance(statement, ast.Assign)
                or len(statement.targets) != 1
                or names.find_key(statement.targets[0]) is None
                or not self._text.is_alone(statement)
            ):
                raise Unclear
            found.append(statement)
        found.sort(key=lambda s: s.lineno)
        if not found or len({ast.unparse(s.targets[0]) for s in found}) != 1:
            raise Unclear
        arguments = [self._arguments.select_arguments(s) for s in found]
        if any(
            {k: ast.dump(v) for k, v in a.items()}
            != {k: ast.dump(v) for k, v in arguments[0].items()}
            for a in arguments
        ):
            raise Unclear
        return found

    def run(self) -> Text:
        session = self._find_session()
        if runs_after_stop(self._scopes, self._name, session.name):
            raise Unclear
        if "." in self._name + session.name:
            supervisor_object_supervisors.check(
                self._scopes, self._made[0].targets[0], session.statement, session.name
            )
        made = self._made[0].value
        assert isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute)
        tensorflow = self._text.find_segment(made.func.value).removesuffix(".train")
        given = self._arguments.select_arguments(self._made[0])
        bound = names.bind_arguments(made, table.PARAMETERS) or {}
        if not is_none_constant(bound.get("global_step")) and "global_step" in bound:
            given["global_step"] = bound["global_step"]
        step = step_name(self._scopes, self._made[0])
        services = Services(tensorflow, self._name, given, self._spell, step)
        counted = given.get("global_step")
        if counted is not None and global_steps.may_be_another(self._scopes, counted):
            key = f"{tensorflow}.GraphKeys.GLOBAL_STEP"
            made_so = f"{tensorflow}.add_to_collection({key}, {self._spell(counted)})"
            services.lines.append(made_so)
        edits, gone = self._edit_uses(session, services)
        call = self._write_session_call(session, services)
        text = self._text.apply_edits([*edits, Edit(session.call, call)])
        places = self._find_outer_statements(self._made)
        changes: list[tuple[int, int, list[str]]] = []
        for place in places:
            indent = self._text.find_indentation(place)
            changes.append(
                (
                    place.lineno,
                    place.end_lineno or place.lineno,
                    [indent + line for line in services.lines]
                    or ([indent + "pass"] if len(self._find_suite(place)) == 1 else []),
                )
            )
        for statement in gone:
            indent = self._text.find_indentation(statement)
            alone = len(self._find_suite(statement)) == 1
            changes.append(
                (
                    statement.lineno,
                    statement.end_lineno or statement.lineno,
                    [indent + "pass"] if alone else [],
                )
            )
        for first, last, lines in sorted(changes, reverse=True):
            origin = min(first, len(self._text.origins)) - 1
            origins = [self._text.origins[origin]] * len(lines)
            text = text.splice(first, last, lines, origins)
        return text

    # -- the session ---------------------------------------------------------------------

    def _find_session(self) -> _Session:
        found: list[_Session] = []
        for node in walk_breadth_first(self._tree):
            if isinstance(node, ast.With):
                for item in node.items:
                    if self._find_method(item.context_expr) in (
                        "managed_session",
                        "prepare_or_wait_for_session",
                    ):
                        assert isinstance(item.context_expr, ast.Call)
                        if not isinstance(item.optional_vars, ast.Name):
                            raise Unclear
                        found.append(
                            _Session(node, item.context_expr, item.optional_vars.id)
                        )
            elif isinstance(node, ast.Assign) and self._find_method(node.value) in (
                "prepare_or_wait_for_session",
            ):
                assert isinstance(node.value, ast.Call)
                name = names.find_key(node.targets[0])
                if len(node.targets) != 1 or name is None:
                    raise Unclear
                found.append(_Session(node, node.value, name))
        if len(found) != 1:
            raise Unclear
        return found[0]

    def _find_method(self, node: ast.expr) -> str | None:
        """The method where `node` is a call of one of the Supervisor's."""
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and names.find_key(node.func.value) == self._name
        ):
            return table.OLDER_NAMES.get(node.func.attr, node.func.attr)
        return None

    def _write_session_call(self, session: _Session, given: Services) -> str:
        kept = given.given
        call = self._made[0].value
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        bound = names.bind_arguments(session.call, table.SESSION_PARAMETERS)
        if bound is None:
            raise Unclear
        services = bound.pop("start_standard_services", None)
        bound.pop("close_summary_writer", None)
        bound.pop("wait_for_checkpoint", None)
        if services is not None and not isinstance(services, ast.Constant):
            raise Unclear
        served = services is None or bool(names.read_literal(services))
        parts: list[str] = []
        for name, value in bound.items():
            parts.append(f"{name}={self._spell(value)}")
        saves = not is_none_constant(kept.get("saver"))
        every = kept.get("save_summaries_secs")
        off = (isinstance(every, ast.Constant) and not every.value) or any(
            is_none_constant(kept.get(name))
            for name in ("summary_op", "summary_writer")
        )
        summaries = served and not off
        default = "summary_op" not in kept or self._arguments.merges_all(
            kept["summary_op"]
        )
        hooks = self._write_hooks(given, summaries, default, served and saves)
        summaries = summaries and default and "summary_writer" not in kept
        if "is_chief" in kept:
            parts.append(f"is_chief={self._spell(kept['is_chief'])}")
        if "logdir" in kept and (saves or summaries):
            directory = "checkpoint_dir" if saves else "summary_dir"
            parts.append(f"{directory}={self._spell(kept['logdir'])}")
        built = [f"saver={given.write_saver()}"] if given.has_saver and saves else []
        if not is_none_constant(kept.get(table.INIT_FUNCTION, _NONE)):
            built.append(f"init_fn={self._write_starting(kept[table.INIT_FUNCTION])}")
        for name in sorted(OPERATIONS & set(kept)):
            built.append(f"{name}={self._spell(kept[name])}")
        if built:
            scaffold = self._text.find_segment(call.func.value) + ".Scaffold"
            parts.append(f"scaffold={scaffold}({', '.join(built)})")
        if hooks:
            parts.append(f"chief_only_hooks=[{', '.join(hooks)}]")
        named = any("CheckpointSaverHook" in hook for hook in hooks)
        seconds_ = self._write_seconds(kept, served and saves and not named)
        parts.append(f"save_checkpoint_secs={seconds_}")
        if not summaries:
            parts.append("save_summaries_secs=None")
            parts.append("save_summaries_steps=None")
        else:
            seconds = kept.get("save_summaries_secs")
            parts.append(
                f"save_summaries_secs={self._spell(seconds) if seconds else '120'}"
            )
        func = self._text.find_segment(call.func.value) + ".MonitoredTrainingSession"
        return f"{func}({', '.join(parts)})"

    def _write_starting(self, function: ast.expr) -> str:
        """Writes an `init_fn` as a scaffold calls it, with the scaffold as argument.

        Raises:
          Unclear: it is made by a call.
        """
        if isinstance(function, ast.Lambda) and len(function.args.args) == 1:
            own, body = function.args.args[0].arg, self._spell(function.body)
            return f"lambda scaffold, {own}: {body}"
        if not isinstance(function, ast.Name):
            raise Unclear
        call = f"lambda scaffold, session: {function.id}(session)"
        owner = self._scopes.find_scope(function).find_owner(function.id)
        bindings = owner.bindings[function.id] if owner is not None else []
        if all(isinstance(b, ast.FunctionDef) for b in bindings):
            return call
        return f"({call}) if {function.id} is not None else None"

    def _write_hooks(
        self, given: Services, summaries: bool, default: bool, saves: bool
    ) -> list[str]:
        """Writes hooks for a writer, operation or name that no session argument has."""
        kept, train = given.given, f"{given.tensorflow}.train"
        hooks: list[str] = []
        if summaries and not (default and "summary_writer" not in kept):
            every = kept.get("save_summaries_secs")
            seconds = self._spell(every) if every is not None else "120"
            into = (
                f"summary_writer={given.write_writer()}"
                if "summary_writer" in kept
                else f"output_dir={self._spell(kept['logdir'])}"
                if "logdir" in kept
                else ""
            )
            if into:
                hooks.append(
                    f"{train}.SummarySaverHook(save_secs={seconds}, {into}, "
                    f"summary_op={given.write_summary()})"
                )
        basename = kept.get("checkpoint_basename")
        if (
            basename is None
            or names.read_literal(basename) == table.BASENAME
            or not saves
        ):
            return hooks
        seconds = self._write_seconds(kept, saves)
        if seconds == "None" or " or " in seconds or "logdir" not in kept:
            raise Unclear
        saver = f", saver={given.write_saver()}" if given.has_saver else ""
        hooks.append(
            f"{train}.CheckpointSaverHook({self._spell(kept['logdir'])}, "
            f"save_secs={seconds}, checkpoint_basename={self._spell(basename)}{saver})"
        )
        return hooks

    def _write_seconds(self, kept: dict[str, ast.expr], saves: bool) -> str:
        """Writes the seconds between two checkpoints; 0 turned saving off."""
        value = kept.get("save_model_secs")
        if not saves:
            return "None"
        if value is None:
            return "600"
        if isinstance(value, ast.Constant):
            return self._spell(value) if value.value else "None"
        return f"{self._spell(value)} or None"

    # -- everything else -------------------------------------------------------------------

    def _edit_uses(
        self, session: _Session, services: Services
    ) -> tuple[list[Edit], list[ast.stmt]]:
        """Edits of the Supervisor's other uses, and statements that go.

        Raises:
          Unclear: one has no counterpart.
        """
        edits: list[Edit] = []
        gone: list[ast.stmt] = []
        for node in walk_breadth_first(self._tree):
            if not isinstance(node, (ast.Name, ast.Attribute)) or (
                names.find_key(node) != self._name
            ):
                continue
            if isinstance(node.ctx, ast.Store):
                if self._scopes.parents[node] not in self._made:
                    raise Unclear
                continue
            attribute = self._scopes.parents[node]
            call = self._scopes.parents.get(attribute)
            if self._is_elsewhere(node) and not (
                isinstance(attribute, ast.Attribute)
                and table.OLDER_NAMES.get(attribute.attr, attribute.attr)
                in (*table.METHODS_OF_SESSION, *table.METHODS_DROPPED, "coord")
            ):
                raise Unclear  # What it was given are names of where it is made.
            if isinstance(attribute, ast.Attribute) and attribute.attr == "is_chief":
                kept = self._arguments.select_arguments(self._made[0])
                chief = self._spell(kept["is_chief"]) if "is_chief" in kept else "True"
                edits.append(Edit(attribute, f"({chief})"))
                continue
            if isinstance(attribute, ast.Attribute) and (
                attribute.attr in table.ATTRIBUTES
            ):
                had = self._write_attribute(attribute.attr, services)
                edits.append(Edit(attribute, had))
                continue
            if isinstance(attribute, ast.Attribute) and attribute.attr == "coord":
                self._rewrite_coordinator_use(attribute, session, edits, gone)
                continue
            if not (
                isinstance(attribute, ast.Attribute)
                and isinstance(call, ast.Call)
                and call.func is attribute
            ):
                raise Unclear
            if call is session.call:
                continue
            statement = self._scopes.parents[call]
            name = table.OLDER_NAMES.get(attribute.attr, attribute.attr)
            if name in table.METHODS_OF_SESSION and not call.args:
                edits.append(Edit(attribute, f"{session.name}.{name}"))
            elif name in table.METHODS_DROPPED and isinstance(statement, ast.Expr):
                if not self._text.is_alone(statement):
                    raise Unclear
                gone.append(statement)
            elif name == table.STARTS_THREADS and isinstance(statement, ast.Assign):
                if find_other_use(self._scopes, call) is not None:
                    raise Unclear  # It would be empty.
                edits.append(Edit(call, "[]"))
            elif name in ("summary_computed", "loop"):
                new = (
                    services.add_summary(call)
                    if name == "summary_computed"
                    else services.edit_loop(call, self._scopes, session.name)
                )
                alone = isinstance(statement, ast.Expr) or name != "loop"
                if new is None or not alone:
                    raise Unclear
                edits.extend(new)
            else:
                raise Unclear
        return edits, gone

    def _is_elsewhere(self, node: ast.AST) -> bool:
        """Whether another method than the one that makes it uses an object's."""
        scope = self._scopes.find_scope
        return "." in self._name and scope(node) is not scope(self._made[0].value)

    def _rewrite_coordinator_use(
        self,
        coordinator: ast.Attribute,
        session: _Session,
        edits: list[Edit],
        gone: list[ast.stmt],
    ) -> None:
        """`sv.coord.should_stop()` and its kind.

        Raises:
          Unclear: it is used otherwise.
        """
        method = self._scopes.parents[coordinator]
        call = self._scopes.parents.get(method)
        if not (isinstance(method, ast.Attribute) and isinstance(call, ast.Call)):
            raise Unclear
        statement = self._scopes.parents[call]
        if method.attr in table.METHODS_OF_COORDINATOR and not call.args:
            edits.append(Edit(coordinator, session.name))
        elif (
            method.attr in table.METHODS_OF_COORDINATOR_DROPPED
            and isinstance(statement, ast.Expr)
            and self._text.is_alone(statement)
        ):
            gone.append(statement)
        else:
            raise Unclear

    def _write_attribute(self, name: str, services: Services) -> str:
        """Writes the value of one of the Supervisor's attributes.

        Raises:
          Unclear: the Supervisor does not have it.
        """
        if name == "summary_op":
            return services.write_summary()
        if name == "global_step":
            return services.write_global_step()
        if name == "save_path":
            logdir = services.given.get("logdir")
            basename = services.given.get("checkpoint_basename")
            if (
                logdir is None
                or is_none_constant(logdir)
                or names.find_key(logdir) is None
            ):
                if not isinstance(logdir, (ast.BinOp, ast.Constant)):
                    raise Unclear
            if basename is None:
                return f'({self._spell(logdir)} + "/{table.BASENAME}")'
            return f'({self._spell(logdir)} + "/" + {self._spell(basename)})'
        found = services.write_saver() if name == "saver" else services.write_writer()
        if found is None:
            raise Unclear
        return found

    def _find_outer_statements(self, statements: list[ast.Assign]) -> list[ast.stmt]:
        """Replaces statements by the `if` around them, if it holds nothing else."""
        found: list[ast.stmt] = []
        done: set[ast.AST] = set()
        for statement in statements:
            parent = self._scopes.parents[statement]
            if isinstance(parent, ast.If):
                whole = [*parent.body, *parent.orelse]
                if all(s in statements for s in whole):
                    if parent not in done:
                        found.append(parent)
                        done.add(parent)
                    continue
            found.append(statement)
        return found

    def _find_suite(self, statement: ast.stmt) -> list[ast.stmt]:
        suite = names.find_suite(self._scopes.parents[statement], statement)
        if suite is None:
            raise Unclear
        return suite

    def _spell(self, value: ast.expr) -> str:
        segment = self._text.find_segment(value)
        if "\n" not in segment:
            return segment
        if "#" in segment or find_lines_inside_strings(value):
            raise Unclear
        return " ".join(line.strip() for line in segment.split("\n"))
