"""Whether two texts of one program have the same effects, in one order, on one condition.

For a change that moves nothing: stronger than the gate of effects, which must find again
what a migration has taken apart.
"""

from __future__ import annotations

from migrate.facts.scopes import build_scopes
from migrate.gates.conditions import Guard
from migrate.gates.sites import Site
from migrate.gates.traces import find_sites
from migrate.source.nodes import parse_source
from migrate.tables import host_effects as table

# A step that is traced earlier than at its first call: its code does nothing but build.
_ONLY_BUILD = frozenset({".get_concrete_function"})


def has_same_trace(before: str, after: str) -> bool:
    """Whether each effect has its place, its kind and its conditions as before."""
    old, new = _find_sites(before), _find_sites(after)
    # An object that a block makes and uses is nobody else's; without the block it is told
    # by one text alone.
    both = {s.effect for s in old} & {s.effect for s in new}
    old, new = (
        [s for s in sites if s.effect in both or not _is_of_object(s)]
        for sites in (old, new)
    )
    return len(old) == len(new) and all(map(_is_same, old, new))


def _find_sites(text: str) -> list[Site]:
    found = find_sites(build_scopes(parse_source(text)), text)
    return [
        site
        for site in found
        if site.effect.kind and site.effect.name not in _ONLY_BUILD
    ]


def _is_of_object(site: Site) -> bool:
    return site.effect.kind is table.Does.OBJECT


def _is_same(one: Site, other: Site) -> bool:
    return (
        (one.effect.conflicting, one.effect.name)
        == (other.effect.conflicting, other.effect.name)
        and len(one.guards) == len(other.guards)
        and all(map(Guard.is_like, one.guards, other.guards))
    )
