"""Compares the effects of a migrated program with those of the original.

The migrated program must have each effect of the original once, under the same conditions
and loops. Two effects that could see one another must keep their order. If this does not
hold, a finding at the line says why, or the result is not written. The gate compares two
texts. It knows nothing of the passes, and of what they write only what `host_effects`
says.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import enum
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from migrate import emitted
from migrate.facts.scopes import Scopes, build_scopes
from migrate.findings import Finding, Outcome
from migrate.gates import order_of_names, shapes
from migrate.gates.conditions import Guard, Kind, subtract_guards
from migrate.gates.host_state import (
    SEVERAL,
    TWICE,
    find_doubled,
    find_stale_reads,
    find_step_changes,
)
from migrate.gates.late_changes import find_late_changes
from migrate.gates.sites import Site
from migrate.gates.starred_names import import_alike
from migrate.gates.traces import TooMany, find_trace
from migrate.rules.dropped import CODE as DROPPED
from migrate.source.nodes import parse_source
from migrate.tables import host_effects as table
from migrate.tables.host_effects import Does

_FROM_HOME = re.compile(r"^([ \t]*)from [\w.]+ import ([\w, ]+)$", re.MULTILINE)
_PARTS = 60  # So many characters of a statement are shown.


_SHOWN = (Does.NOTHING, *table.SHOWN)
_WITH_ALL = (Does.UNSEEN, Does.PROCESS)
_Way = Callable[[Site], Hashable]


class Wrong(enum.Enum):
    """One way in which an effect can differ."""

    LOST = "lost"
    TWICE = "twice"
    CONDITION = "condition"
    ORDER = "order"
    CHANGED = "changed"
    # These are no faults. They are only reported.
    SERVED = "served"
    TRACED = "traced"


_TOLD = frozenset({Wrong.SERVED, Wrong.TRACED})
# What may differ only because a function stands in the place of several calls.
_BY_CALL = frozenset({Wrong.TWICE, Wrong.CONDITION, Wrong.ORDER, Wrong.LOST})


@dataclasses.dataclass(frozen=True, order=True)
class Difference:
    """One effect that differs in the result."""

    line: int
    wrong: Wrong = dataclasses.field(compare=False)
    reason: str = ""


def find_differences(
    original: str, result: str, findings: Iterable[Finding] = ()
) -> list[Difference]:
    """Returns the effects of a result that differ, and that no finding reports."""
    if original == result:
        return []
    result = _import_by_names(result, original)
    original = import_alike(original, result)
    scopes = build_scopes(parse_source(original)), build_scopes(parse_source(result))
    moved = [*_find_moved_names(*scopes), *_find_changed_values(*scopes)]
    if not shapes.differ(*scopes):
        return moved
    texts = (original, result)
    found = _compare_traces(scopes, texts, moved, findings, each_call=False)
    if moved or not any(d.wrong in _BY_CALL for d in found):
        return found
    # A function may have been put in the place of each of its calls.
    try:
        other = _compare_traces(scopes, texts, moved, findings, each_call=True)
    except TooMany:
        return found
    return found if any(d.wrong not in _TOLD for d in other) else other


def _compare_traces(
    scopes: tuple[Scopes, Scopes],
    texts: tuple[str, str],
    moved: list[Difference],
    findings: Iterable[Finding],
    each_call: bool,
) -> list[Difference]:
    """The differences of two programs' effects, found once or at each call of a function."""
    original = texts[0]
    (all_old, before), (all_new, after) = (
        find_trace(*both, each_call) for both in zip(scopes, texts)
    )
    idle = [site for site in all_old if site.idle]
    all_old = [site for site in all_old if not site.idle]
    all_new = [site for site in all_new if not site.idle]
    old = [site for site in all_old if not site.again]
    new = [site for site in all_new if not site.again]
    told = {
        (f.line, f.column)
        for f in findings
        if f.outcome in (Outcome.REWRITTEN, Outcome.WARNED) and "dropped" in f.reason
    }
    # An effect that only showed something of the graph is gone. It has written no file.
    shows = {(f.line, f.column) for f in findings if f.code == DROPPED}
    gone = [
        s
        for s in old
        if told & s.begins and (s.effect.kind in _SHOWN or not shows & s.begins)
    ]
    pairs, lost, added = _pair_sites(old, new, gone)
    stops = [s.guards[-1] for s in added if _is_raise(s) and s.guards]
    found = [
        Difference(s.line, Wrong.LOST, f"`{_show_site(s)}` would be gone")
        for s in lost
        if s.effect.kind
        and s not in gone
        and not any(stop.is_like(g) for stop in stops for g in s.guards)
        and not (_is_raise(s) and any(g.is_mode for g in s.guards))
    ]
    ends = {guard for site in old for guard in site.guards if guard.left}
    oftener = _find_effects_traced_more_often(pairs, all_old, all_new)
    shown = [p for p in pairs if _is_shown_when_traced(*p, p in oftener)]
    found += [_report_when_traced(site) for site, _ in shown if site not in gone]
    found += [_report_several_steps(p[0]) for p in oftener if p not in shown]
    pairs = [pair for pair in pairs if pair not in shown]
    lines = original.split("\n")
    found += [
        Difference(
            line,
            Wrong.TWICE if reason in (SEVERAL, TWICE) else Wrong.ORDER,
            f"`{_shorten_text(lines[line - 1].strip())}` {reason}",
        )
        for line, reason in (
            *find_step_changes(before, after),
            *find_doubled(before, after),
        )
    ]
    changed = {d.line for d in moved}
    found += [
        _report_read_after_change(line, name, step)
        for line, name, step in find_stale_reads(before, after)
        if line not in changed
    ]
    # What a call left out is not done in the result, either.
    kept = [s for s in old if s not in gone]
    found += _find_repeated_effects([*kept, *idle], added)
    exits = [p for p in pairs if p[0].effect.kind is Does.PROCESS]
    for one, other in pairs:
        if one.effect.kind and one not in gone:
            found += _compare_conditions(one, other, stops, ends, exits)
    for one, other in _find_swapped([p for p in pairs if p[0].effect.kind]):
        reason = f"`{_show_site(one)}` would come after `{_show_site(other)}`"
        found.append(Difference(one.line, Wrong.ORDER, reason))
    return sorted({*moved, *found})


def _import_by_names(result: str, original: str) -> str:
    """Spells the imports of the result's own modules as if they stood beside it."""
    known = frozenset(original.split("\n"))

    def respell(match: re.Match[str]) -> str:
        names = {name.strip() for name in match[2].split(",")}
        if match[0] in known or not names <= emitted.list_modules():
            return match[0]
        return f"{match[1]}import {match[2]}"

    return _FROM_HOME.sub(respell, result)


def _find_moved_names(old: Scopes, new: Scopes) -> Iterator[Difference]:
    """Yields names and imports that moved to where they no longer work."""
    before = order_of_names.find_early_names(old)
    line = next(
        (
            s.lineno
            for s in old.tree.body
            if isinstance(s, (ast.Import, ast.ImportFrom))
        ),
        1,
    )

    def read_early(name: str) -> Difference:
        bound = old.module.bindings.get(name)
        at = getattr(bound[0], "lineno", line) if bound else line
        reason = f"`{name}` would be read before it is bound"
        return Difference(at, Wrong.ORDER, reason)

    for name in order_of_names.find_early_names(new):
        if name not in before:
            yield read_early(name)
    known = order_of_names.find_early_locals(old)
    bound_anywhere = {name for _, name in known}
    for (_, name), _ in order_of_names.find_early_locals(new).items():
        if name not in bound_anywhere:
            yield read_early(name)
    for name, _ in order_of_names.find_imports_above_paths(new):
        reason = f"`import {name}` would stand above the change of sys.path"
        yield Difference(line, Wrong.ORDER, reason)


def _find_changed_values(old: Scopes, new: Scopes) -> Iterator[Difference]:
    """Yields values that the graph was built with, and that a step would read later."""
    for name, line, step in find_late_changes(old, new):
        yield _report_read_after_change(line, name, step)


def _report_read_after_change(line: int, name: str, step: str) -> Difference:
    reason = (
        f"TensorFlow 1 read `{name}` when it built the graph, before this line. The "
        f"function `{step}` would read it after this line"
    )
    return Difference(line, Wrong.CHANGED, reason)


def _is_raise(site: Site) -> bool:
    return site.effect.name.startswith("raise ")


def _show_site(site: Site) -> str:
    return _shorten_text(site.text or site.effect.name)


def _shorten_text(text: str) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= _PARTS else text[:_PARTS] + "..."


def _pair_sites(
    old: list[Site], new: list[Site], gone: list[Site]
) -> tuple[list[tuple[Site, Site]], list[Site], list[Site]]:
    """Pairs the sites of both programs, by their text and then by less exact keys.

    Args:
      gone: sites of the original that a finding reports as dropped.

    Returns:
      The pairs, and the sites that only the original or only the result has.
    """
    pairs: list[tuple[Site, Site]] = []
    ways: tuple[_Way, ...] = (
        lambda s: (s.effect.name, s.words, s.text),
        lambda s: (s.effect.name, s.constants),
        lambda s: (s.effect.name, s.words),
        lambda s: s.effect.name,
    )
    # What nothing calls may be left of what has been put where it was called.
    for one_root, other_root in (
        (False, False),
        (True, True),
        (False, True),
        (True, False),
    ):
        # Where both have as many, none is taken for another that is spelled anew.
        for way, balanced in (
            (ways[0], False),
            *((way, True) for way in ways[1:]),
            *((way, False) for way in ways[1:]),
        ):
            left = [s for s in old if bool(s.root) is one_root]
            if way is not ways[0]:
                left = [s for s in left if s not in gone]
            right = [
                site
                for site in new
                if bool(site.root) is other_root
                # What ran and was seen, and nothing names any more, is gone.
                and (one_root or not site.unused or not _is_seen(site))
            ]
            found = _pair_sites_by_way(way, left, right, balanced)
            pairs += found
            ones, others = {id(a) for a, _ in found}, {id(b) for _, b in found}
            old = [s for s in old if id(s) not in ones]
            new = [s for s in new if id(s) not in others]
    return pairs, old, new


def _pair_sites_by_way(
    way: _Way, old: list[Site], new: list[Site], balanced: bool
) -> list[tuple[Site, Site]]:
    """Pairs sites that are alike, in their order.

    Args:
      balanced: whether only sites are paired of which both programs have as many.
    """
    waiting: dict[Hashable, collections.deque[Site]] = {}
    for site in new:
        waiting.setdefault(way(site), collections.deque()).append(site)
    if balanced:
        count = collections.Counter(map(way, old))
        waiting = {key: w for key, w in waiting.items() if count[key] == len(w)}
    return [(s, waiting[way(s)].popleft()) for s in old if waiting.get(way(s))]


def _find_repeated_effects(old: list[Site], added: list[Site]) -> Iterator[Difference]:
    """Yields effects of the original that the result has in one more place."""
    known = {(s.effect.name, s.words): s for s in old if _is_seen(s)}
    for site in added:
        one = known.get((site.effect.name, site.words))
        if one is not None and _is_seen(site) and not site.root:
            reason = f"`{_show_site(one)}` would be done in two places"
            yield Difference(one.line, Wrong.TWICE, reason)


def _find_effects_traced_more_often(
    pairs: list[tuple[Site, Site]], old: list[Site], new: list[Site]
) -> list[tuple[Site, Site]]:
    """Returns pairs with an effect that more traced functions have in the result."""
    before, now = (
        collections.Counter(s.begins for s in sites if s.again) for sites in (old, new)
    )
    return [
        (one, other)
        for one, other in pairs
        if now[other.begins] > before[one.begins] and _is_seen(one)
    ]


def _is_shown_when_traced(one: Site, other: Site, oftener: bool) -> bool:
    """Whether an output is now shown whenever a step is traced, and was shown once before."""
    traced = oftener or (other.traced and not one.traced)
    return traced and one.effect.kind in table.SHOWN


def _report_when_traced(site: Site) -> Difference:
    reason = (
        f"`{_show_site(site)}` is now executed whenever a step that needs it is traced; "
        "it was executed once, when the graph was built"
    )
    return Difference(site.line, Wrong.TRACED, reason)


def _report_several_steps(site: Site) -> Difference:
    reason = f"`{_show_site(site)}` would be done by several steps"
    return Difference(site.line, Wrong.TWICE, reason)


def _is_seen(site: Site) -> bool:
    """Whether somebody outside of the program, or unreadable code, sees the effect."""
    kind = site.effect.kind
    return kind not in (Does.NOTHING, Does.PROCESS, Does.OBJECT)


def _compare_conditions(
    one: Site,
    other: Site,
    stops: list[Guard],
    ends: set[Guard],
    exits: list[tuple[Site, Site]],
) -> Iterator[Difference]:
    """Yields the conditions that an effect has gained or lost in the result.

    Args:
      stops: conditions under which only the result stops with an error.
      ends: conditions of the original that hold because the process ends otherwise.
      exits: exits and errors that both programs have.
    """
    # What came after them before, too: a function of the original had them.
    after = {g for a, b in exits if a.position < one.position for g in b.guards}
    gone = list(subtract_guards(one.guards[one.own :], other.guards))
    new = [
        guard
        for guard in subtract_guards(other.guards[other.own :], one.guards)
        if guard.find_end() not in after
        and not any(
            stop.is_like(dataclasses.replace(guard, holds=not guard.holds))
            for stop in stops
        )
    ]
    # The result has these guards because other processes serve. This process coordinates them.
    served = [
        guard
        for guard in new
        if guard.kind is Kind.SERVE
        or (guard.left and not any(guard.is_like(end) for end in ends))
        # A task of another job, such as a parameter server, needs no data to compute.
        or (one.effect.reads and guard.is_job)
    ]
    if served and _is_seen(one) and one.effect.kind not in table.GENERATORS:
        reason = (
            f"only the coordinator runs `{_show_site(one)}`, because the other "
            "workers wait for steps"
        )
        yield Difference(one.line, Wrong.SERVED, reason)
    new = [guard for guard in new if guard not in served]
    if not _is_seen(one) or one.effect.kind in table.GENERATORS:
        # Nobody can see a state that ended with its process.
        new = [guard for guard in new if not guard.left]
    for guards, how in ((gone, "no longer"), (new, "newly")):
        for guard in guards:
            if (
                guards is gone
                and _show_site(one).startswith("raise ")
                and guard.kind is Kind.LOOP
            ):
                continue  # Rounds of a loop that is written out: each ends as it did.
            what = f"{guard.kind.value} `{_shorten_text(guard.text)}`"
            reason = f"`{_show_site(one)}` would {how} depend on {what}"
            yield Difference(one.line, Wrong.CONDITION, reason)


def _find_swapped(pairs: Sequence[tuple[Site, Site]]) -> Iterator[tuple[Site, Site]]:
    """Yields pairs of effects that could see one another, and that swapped places."""
    pairs = sorted(pairs, key=lambda pair: pair[0].position)
    seen: set[tuple[int, int]] = set()
    for kind, of in sorted({pair[0].effect.conflicting for pair in pairs}):
        last: dict[tuple[str, str], tuple[Site, Site]] = {}
        for one, other in pairs:
            # Any two effects conflict if both are of the kind, or if one conflicts with all.
            alike = one.effect.conflicting == (kind, of)
            if not alike and (
                one.effect.kind not in _WITH_ALL
                or not _is_conflict(one.effect.kind, kind)
            ):
                continue
            trace = (one.root, other.root)
            before = last.get(trace)
            if before is None or before[1].position < other.position:
                last[trace] = (one, other)
                continue
            key = (before[0].position, one.position)
            if key not in seen:
                seen.add(key)
                yield before[0], one


def _is_conflict(one: Does, other: Does) -> bool:
    """Whether effects of two kinds could see one another."""
    if one is other or Does.UNSEEN in (one, other):
        return True
    if Does.PROCESS in (one, other):  # Seen outside, before the end or never.
        return not any(
            kind is Does.OBJECT or kind in table.GENERATORS for kind in (one, other)
        )
    return False
