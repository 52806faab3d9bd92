"""One text in, its form for graph mode on TensorFlow 2.21 out, or why there is none."""

from __future__ import annotations

import ast
import dataclasses
import pathlib
from collections.abc import Collection, Iterator

from migrate.facts import modules
from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.trees import own_stars
from migrate.facts.trees.reexports import write_out_imports
from migrate.fallback.added import drop_unread, import_homes
from migrate.fallback.homes import exists, is_in_compat
from migrate.fallback.imports import import_compat
from migrate.fallback.keras_of_process import check_probability
from migrate.fallback.names import CODE, UNSEEN, VERSION, NameRules
from migrate.fallback.private import KEPT
from migrate.fallback.private_imports import find_failing_imports
from migrate.fallback.returned_modules import Returned
from migrate.fallback.several_tasks import TOLD as _STRATEGY
from migrate.fallback.several_tasks import find_strategies
from migrate.fallback.start import begin_in_graph_mode
from migrate.fallback.untaken import find_untaken, parse_as_tensorflow_1
from migrate.findings import Finding, Outcome
from migrate.gates.judgement import find_refusals
from migrate.migration import Migration
from migrate.options import Options
from migrate.plan import Plan
from migrate.rewriting import gates
from migrate.rewriting.splice import splice_text
from migrate.rules import calls, closed_world, lost_numpy
from migrate.rules.mistakes import float_numbers, one_element
from migrate.source.nodes import parse_source, walk_breadth_first
from migrate.tables import symbols
from migrate.unit import Unit

# compat.v1 has it, and no table lists it.
_VERSION = "tf.__version__"
# The code of a call whose arguments TensorFlow 2.21's function does not accept.
_MISFIT = "T121"
# What is mended on the way, or warned of, and hinders nothing.
TOLD = frozenset({"D167", KEPT, _STRATEGY, UNSEEN, VERSION})


@dataclasses.dataclass(frozen=True)
class Part:
    """The facts that a file takes from the program that it belongs to.

    Attributes:
      starts: whether a run of the program begins in it.
      named_for_2: whether `tf.X` means TensorFlow 2's X, as in tf_upgrade_v2's output.
      own: first names by which the program's files import each other.
      returned: modules of contrib that functions of the program return.
      probability: whether a file imports TensorFlow Probability.
      of_keras_2: a symbol of the program that needs Keras 2; "" if it has none.
    """

    starts: bool = True
    named_for_2: bool = False
    own: frozenset[str] = frozenset()
    returned: Returned = Returned()
    probability: bool = False
    of_keras_2: str = ""


def bring_to_compat(
    text: str, options: Options, filename: str, part: Part
) -> Migration:
    """Brings a text to graph mode; if that fails, returns it as it was, with findings.

    Findings of the codes in `TOLD` hinder nothing.

    Raises:
      SyntaxError: the text is not Python 3.
      RecursionError: it is nested too deeply.
    """
    unit = Unit.look_up_file(filename, options)
    # What other files import for this one, written out in the same lines.
    whole, _ = write_out_imports(text, unit.reexports)
    whole = own_stars.write_names_for_stars(whole, unit.own_stars)
    new = text
    if not part.named_for_2:
        new, whole = import_compat(text), import_compat(whole)
    stands = _stand(new, whole)
    tree = parse_as_tensorflow_1(whole)
    scopes = build_scopes(tree)
    plan = Plan()
    rules = NameRules(
        scopes, plan, part.named_for_2, find_untaken(scopes, tree), part.returned
    )
    rules.run()
    rules.check_returned(pathlib.Path(filename))
    strategies = tuple(find_strategies(scopes, CODE))
    lost = [*rules.lost, *_report_unseen_names(scopes, unit)]
    lost += [f for f in strategies if f.blocks]
    probability: tuple[Finding, ...] = ()
    if part.probability and part.of_keras_2:
        probability = tuple(check_probability(tree, part.of_keras_2))
    lost += [f for f in probability if f.blocks]
    if lost:
        return Migration(text, tuple(sorted(lost)))
    told = (
        *strategies,
        *probability,
        *rules.mistakes,
        *rules.kept.values(),
        *rules.versions,
        *_mend_fetched_numbers(scopes, plan),
    )
    mistaken = {finding.symbol for finding in rules.mistakes}
    edited = splice_text(whole, tree, plan)
    if edited is None:
        return Migration(text, (_report_not_written("its f-strings need Python 3.12"),))
    new = import_homes(edited, plan, rules.new_alias, filename, unit.home)
    new = drop_unread(new, {line.split()[-1] for line in plan.imports})
    if part.starts:
        keras_2 = bool(part.of_keras_2) or not part.probability
        new = begin_in_graph_mode(new, part.own, keras_2)
    missing = list(_find_missing_names(new, mistaken))
    failing = list(_report_failing_imports(new, tree, part.own))
    if failing:
        return Migration(text, tuple(sorted(failing)))
    new = _restore_imports(new, stands)
    failures = [
        _report_not_written(f"{code} in line {line}: {reason}")
        for code, line, reason in [
            *gates.check(new, filename, text, {_VERSION, *mistaken}),
            *missing,
        ]
    ]
    if not failures:
        failures = [
            *find_refusals(text, new),
            *_report_unknown_names(text, new, mistaken),
        ]
    if failures:
        return Migration(text, tuple(failures))
    return lost_numpy.mend(text, Migration(new, told, tuple(sorted(plan.support))))


def _mend_fetched_numbers(scopes: Scopes, plan: Plan) -> Iterator[Finding]:
    """Fetched numbers with which NumPy 2 does something else, in graph mode, too."""
    for mistake in (*one_element.find(scopes), *float_numbers.find(scopes)):
        mended = mistake.done
        if not any(node in plan.expressions for node, _ in mistake.edits):
            for node, new in mistake.edits:
                plan.replace(node, new)
                mended = True
        yield Finding(
            mistake.node.lineno,
            mistake.node.col_offset + 1,
            mistake.code,
            Outcome.REWRITTEN if mended else Outcome.KEPT,
            "",
            mistake.reason,
            mistake.recipe,
        )


def _stand(text: str, whole: str) -> list[tuple[str, str]]:
    """Lines of imports that were written out, and how they stood."""
    lines = zip(text.split("\n"), whole.split("\n"), strict=True)
    return [(meant, stood) for stood, meant in lines if meant != stood]


def _restore_imports(text: str, stands: list[tuple[str, str]]) -> str:
    """The text with imports again that were written out, if nothing of them is gone."""
    lines = text.split("\n")
    for meant, stood in stands:
        if meant in lines:
            lines[lines.index(meant)] = stood
    return "\n".join(lines)


def _find_missing_names(
    text: str, mistaken: Collection[str]
) -> Iterator[tuple[str, int, str]]:
    """Finds public names in the result that TensorFlow 2.21 lacks.

    Args:
      mistaken: reported names that TensorFlow 1.15 lacks, too.
    """
    for node, symbol, path in _find_uses(build_scopes(parse_source(text))):
        name = "tf" + path.removeprefix("tensorflow")
        if modules.is_private(path) or path.startswith("tensorflow.core."):
            continue
        if not exists(name) and symbol not in mistaken:
            yield "G009", node.lineno, f"`{name}` does not exist in TensorFlow 2.21"


def _report_failing_imports(
    text: str, before: ast.Module, own: Collection[str]
) -> Iterator[Finding]:
    """Reports imports of the result that fail on TensorFlow 2.21, at the old lines.

    Args:
      before: the file, before its imports were changed.
    """
    tree = parse_source(text)
    stood = {
        ast.unparse(node): node.lineno
        for node in walk_breadth_first(before)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    for node, why, recipe in find_failing_imports(tree, build_scopes(tree), own):
        yield _make_refusal(stood.get(ast.unparse(node), 1), why, recipe)


def _report_unknown_names(
    text: str, new: str, mistaken: Collection[str]
) -> Iterator[Finding]:
    """Reports names that TensorFlow 2.21 lacks, and calls that no signature accepts."""
    for found in closed_world.find_untold(text, new, ()):
        if found.symbol in mistaken:
            continue
        # It does not know that the process has switched Keras 2 on.
        known = exists(found.symbol) or is_in_compat(found.symbol)
        if found.outcome is Outcome.REFUSED and (found.code == _MISFIT or not known):
            yield dataclasses.replace(found, code=CODE)


def says_tf1(text: str) -> bool:
    """Whether a text spells TensorFlow 1's names as TensorFlow 1 did."""
    scopes = build_scopes(parse_source(text))
    for _, symbol, path in _find_uses(scopes):
        name = "tf" + path.removeprefix("tensorflow")
        top = symbol.split(".")[1:2]
        if path.startswith("tensorflow.compat.") or top in (["contrib"], ["python"]):
            continue
        if not symbols.exists_in_target(name) and not path.startswith(
            ("tensorflow.python", "tensorflow.contrib", "tensorflow.examples")
        ):
            return True
    return calls.says_tf1(scopes)


def names_compat(text: str) -> bool:
    """Whether a text names compat.v1 through `tf`: `tf.compat.v1.Session`."""
    return any(
        path.startswith("tensorflow.compat.v1.")
        for _, _, path in _find_uses(build_scopes(parse_source(text)))
    )


def _find_uses(scopes: Scopes) -> Iterator[tuple[ast.expr, str, str]]:
    for node, symbol in scopes.walk_uses():
        path = scopes.find_dotted_path(node) or ""
        if path.startswith("tensorflow."):
            yield node, symbol, path


def _report_unseen_names(scopes: Scopes, unit: Unit) -> Iterator[Finding]:
    """Names of TensorFlow that a file takes unseen."""
    for node in scopes.walk():
        if (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").partition(".")[0] == "tensorflow"
            and not node.level
            and node.names[0].name == "*"
        ):
            reason = f"`from {node.module} import *` hides which names it brings"
            yield _make_refusal(node.lineno, reason, "Import the names that are used.")
    for line, (_, why) in unit.hidden.items():
        yield _make_refusal(line, why, "Import TensorFlow in this file.")


def _report_not_written(reason: str) -> Finding:
    return _make_refusal(1, f"the result does not pass the gates: {reason}", "")


def _make_refusal(line: int, reason: str, recipe: str) -> Finding:
    return Finding(line, 1, CODE, Outcome.REFUSED, "", reason, recipe)
