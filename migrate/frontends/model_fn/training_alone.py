"""Layers that training alone has: a head beside the network, for its loss.

    if mode == tf.estimator.ModeKeys.TRAIN:
        more = tf.layers.dense(net, 10, name="more")

A Keras model has its layers always. That is equal where no other mode would have read
what they give, and none of them changes what another layer is called.
"""

from __future__ import annotations

from collections.abc import Mapping

from migrate.facts import names
from migrate.facts.scopes import Scopes
from migrate.frontends.model_fn.calls import find_uses, list_calls
from migrate.frontends.model_fn.modes import Straight, is_plain_assignment
from migrate.frontends.model_fn.network import Network
from migrate.program.keras_units import Unit
from migrate.tables import keras_models as table


def add_training_layers(
    lines: Mapping[str, Straight],
    network: Network,
    scopes: Scopes,
) -> None:
    """Gives every mode the layers that training has beside its own."""
    training = lines["TRAIN"]
    others = [line for mode, line in lines.items() if mode != "TRAIN"]
    alone = [
        unit
        for unit in training.units
        if network.makes_layers(unit.statement)
        and not any(unit.statement is u.statement for o in others for u in o.units)
    ]
    if not alone or not all(
        _is_beside(unit, training, others, network, scopes) for unit in alone
    ):
        return
    for unit in alone:
        before = training.units[: training.units.index(unit)]
        for line in others:
            known = {id(u.statement) for u in before}
            places = [i for i, u in enumerate(line.units) if id(u.statement) in known]
            line.units.insert(places[-1] + 1 if places else 0, unit)


def _is_beside(
    unit: Unit,
    training: Straight,
    others: list[Straight],
    network: Network,
    scopes: Scopes,
) -> bool:
    """Whether other modes are what they were where they have a statement, too."""
    statement = unit.statement
    if not is_plain_assignment(statement):
        return False
    bound, read = names.find_binds(statement), names.find_reads(statement)
    for line in others:
        there = [n for u in line.units for n in names.find_binds(u.statement)]
        if bound & set(there):
            return False
        if any(bound & names.find_reads(u.statement) for u in line.units):
            return False
        # What it reads is what training reads.
        for name in read:
            own = [
                u.statement
                for u in training.units
                if name in names.find_binds(u.statement)
            ]
            its = [
                u.statement for u in line.units if name in names.find_binds(u.statement)
            ]
            if own != its:
                return False
        for other in line.units:
            for _, symbol in find_uses(other.statement, scopes):
                if symbol in (table.TRAINABLE, table.COLLECTION):
                    return False
    return _is_named(unit, training, network, scopes)


def _is_named(unit: Unit, training: Straight, network: Network, scopes: Scopes) -> bool:
    """Whether its layers have names, and no penalties; a function's are out of sight."""
    for call in list_calls(unit.statement):
        row = network.find_row(scopes.resolve(call.func) or "")
        if row is None:
            if network.makes_layers(call):
                return False
            continue
        given = {keyword.arg for keyword in call.keywords}
        if any(word and "regularizer" in word for word in given) or None in given:
            return False
        if len(call.args) > 3 or row.function.startswith("tf.contrib"):
            return False
        later = training.units[training.units.index(unit) + 1 :]
        if row.has_weights and "name" not in given:
            if any(network.makes_layers(u.statement) for u in later):
                return False
    return True
