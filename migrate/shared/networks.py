"""Networks of model functions whose layers functions of other files make.

    # model.py                                  # network.py
    def model_fn(features, labels, mode): ...   def inference(images, training):
        logits = network.inference(...)             net = tf.layers.dense(...)

Such a function becomes one of Keras layers where it stands, and nothing but the network
may call it: of that, all files of the run are asked.
"""

from __future__ import annotations

import ast
import dataclasses
import os
from collections.abc import Mapping

from migrate.facts.scopes import Scopes, build_scopes
from migrate.facts.trees.joined import Joined
from migrate.frontends import model_fn
from migrate.normalise.model_forms import form_models
from migrate.normalise.model_updates import Written, write_out_updates
from migrate.normalise.text import Text
from migrate.program.keras_files import Files, SharedModels, Source
from migrate.program.keras_model import Stays
from migrate.shared.files import TreeFiles

Models = Mapping[str, SharedModels]


@dataclasses.dataclass(frozen=True)
class Networks:
    """The model functions of one file that would become Keras models.

    Attributes:
      models: of the run, these among them.
      classes: their classes.
      functions: how many functions of their networks each other file has.
      stay: why others stay model functions.
    """

    models: Models
    classes: tuple[str, ...]
    functions: Mapping[str, int]
    stay: tuple[str, ...] = ()


def add_networks(found: Models, target: str, tree: TreeFiles) -> Networks:
    """Adds the functions of other files that a file's networks call."""
    own = found.get(target, SharedModels())
    if tree.read_scopes(target) is None:
        return Networks(found, (), {})
    left: set[int] = set()
    while True:
        files, recognised, stays, whole, written = _recognise_models(
            target, own, left, tree
        )
        more = written.find_remaining({getattr(one.node, "lineno", 0) for one in stays})
        if not more:
            break
        left |= more
    own = dataclasses.replace(own, files=files)
    functions: dict[str, int] = {}
    for one in recognised:
        for helper in one.model.helpers:
            real = whole.find_place(helper.function)
            if real != target:
                functions[real] = functions.get(real, 0) + 1
    models = {**found, target: own}
    for real in functions:
        there = models.get(real, SharedModels())
        rest = tuple(f for f in there.networks if f.model.path != target)
        models[real] = dataclasses.replace(there, networks=(*rest, files))
    classes = tuple(one.name for one in recognised)
    return Networks(models, classes, functions, tuple(stay.reason for stay in stays))


def _recognise_models(
    target: str, own: SharedModels, left: set[int], tree: TreeFiles
) -> tuple[Files, list[model_fn.Found], list[Stays], Joined, Written]:
    """The model functions of a file, with updates written where they are called.

    Args:
      left: lines of calls whose functions are not written there.
    """
    reached = [
        r for r in tree.find_reached_files(target) if tree.read_scopes(r) is not None
    ]
    source = tree.make_source(target)
    known = [tree.make_source(real) for real in reached]
    written = write_out_updates(Text.read_source(source.text), left, source, known)
    scopes = tree.read_scopes(target)
    if written.updates:
        source = dataclasses.replace(source, text=written.text.source)
        scopes = build_scopes(ast.parse(source.text))
    assert scopes is not None
    plain = _join_networks(source, scopes, written, own, left, tree)
    forms = form_models(written.text, (), source, known) if plain[2] else None
    if forms is not None and forms.functions:
        # In another form fewer of them may stay.
        source = dataclasses.replace(source, text=forms.text.source)
        scopes = build_scopes(ast.parse(source.text))
        other = _join_networks(source, scopes, written, own, left, tree)
        if len(other[2]) < len(plain[2]):
            return (*other, written)
    return (*plain, written)


def _join_networks(
    source: Source,
    scopes: Scopes,
    written: Written,
    own: SharedModels,
    left: set[int],
    tree: TreeFiles,
) -> tuple[Files, list[model_fn.Found], list[Stays], Joined]:
    """Recognises a file's model functions, with the functions that they call."""
    target = source.path
    others = {
        r: s
        for r in tree.find_reached_files(target)
        if (s := tree.read_scopes(r)) is not None
    }
    imports = {real: tree.find_imports(real) for real in (target, *others)}
    whole = Joined(scopes, target, others, imports)
    # The files' migration reads again all that depends on these.
    recognised = model_fn.recognise(whole, dataclasses.replace(own, files=None))[0]
    led_to = sorted((whole.led_to | written.files) - {target})
    sources = tuple(tree.make_source(real) for real in led_to)
    files = Files(source, sources, own.exported, left=frozenset(left))
    helpers = {
        (whole.find_place(helper.function), helper.function.name)
        for one in recognised
        for helper in one.model.helpers
    }
    files = dataclasses.replace(
        files, kept=_find_known_elsewhere(helpers, [target, *led_to], tree)
    )
    whole = Joined(scopes, target, {r: others[r] for r in led_to}, imports)
    own = dataclasses.replace(own, files=files)
    recognised, _, stays = model_fn.recognise(whole, own)
    return files, recognised, stays, whole


def drop_networks(found: Models, tried: Networks, target: str) -> Networks:
    """Drops the functions of other files, and notes why these stay."""
    files = tried.models[target].files
    assert files is not None
    names = ", ".join(sorted(os.path.basename(real) for real in tried.functions))
    kept = {
        (real, ""): f"some files that use it cannot be changed with it ({names})"
        for real in tried.functions
    }
    own = found.get(target, SharedModels())
    files = dataclasses.replace(files, kept={**files.kept, **kept})
    more = {**found, target: dataclasses.replace(own, files=files)}
    return Networks(more, (), {})


def _find_known_elsewhere(
    helpers: set[tuple[str, str]], files: list[str], tree: TreeFiles
) -> dict[tuple[str, str], str]:
    """Maps each function that other files may call to a text with these files."""
    found: dict[tuple[str, str], str] = {}
    for place, name in sorted(helpers):
        users = sorted(map(os.path.basename, tree.find_naming(name, files)))
        if users:
            found[place, name] = f"{', '.join(users)} may call it, too"
    return found
