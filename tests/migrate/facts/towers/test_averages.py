"""Averaging functions are told by what they compute, in any spelling; others are not."""

from __future__ import annotations

import ast

import pytest

from migrate.facts.scopes import Scopes
from migrate.facts.towers.averages import averages_towers

AVERAGES = {
    "by index": """
def f(tower_grads):
    average = []
    for i in range(len(tower_grads[0])):
        g = tower_grads[0][i][0]
        for j in range(1, len(tower_grads)):
            g += tower_grads[j][i][0]
        average.append((g / len(tower_grads), tower_grads[0][i][1]))
    return average
""",
    "the first, and the rest": """
def f(tower_grads):
    result = []
    for grads in zip(*tower_grads):
        total = grads[0][0]
        for g, _ in grads[1:]:
            total = total + g
        result.append((total / float(len(grads)), grads[0][1]))
    return result
""",
    "expanded and concatenated": """
def f(tower_grads):
    average_grads = []
    for grad_and_vars in zip(*tower_grads):
        grads = []
        for g, _ in grad_and_vars:
            expanded_g = tf.expand_dims(g, 0)
            grads.append(expanded_g)
        grad = tf.concat(grads, 0)
        grad = tf.reduce_mean(grad, 0)
        v = grad_and_vars[0][1]
        average_grads.append((grad, v))
    return average_grads
""",
    "the axis first, by name": """
def f(towers):
    found = []
    for pairs in zip(*towers):
        rows = [tf.expand_dims(g, 0) for g, v in pairs if g is not None]
        mean = tf.reduce_mean(tf.concat(axis=0, values=rows), reduction_indices=0)
        found += [(mean, pairs[0][1])]
    return found
""",
    "stacked, in comprehensions": """
def f(towers):
    return [(tf.reduce_mean(tf.stack([g for g, _ in p]), axis=0), p[0][1])
            for p in zip(*towers)]
""",
    "added and divided": """
def f(towers):
    out = []
    for p in zip(*towers):
        total = tf.add_n([pair[0] for pair in p])
        out.append((total / len(p), p[0][1]))
    return out
""",
    "added and multiplied, alone if alone": """
def f(tower_grads):
    if len(tower_grads) == 1:
        return tower_grads[0]
    n = float(len(tower_grads))
    out = []
    for p in zip(*tower_grads):
        with tf.name_scope("average"):
            grad = tf.multiply(tf.accumulate_n([g for g, v in p]), 1.0 / n)
        out.append([grad, p[0][1]])
    return out
""",
    "mapped by a lambda": """
def f(towers):
    mean = map(lambda p: (tf.reduce_mean(tf.stack([g for g, _ in p]), 0), p[0][1]), zip(*towers))
    return list(mean)
""",
    "by a function of the program": """
def f(towers):
    def pair(p):
        return mean([g for g, _ in p]), p[0][1]
    return [pair(p) for p in zip(*towers)]

def mean(tensors):
    return tf.add_n(tensors) / len(tensors)
""",
    "a list of two names": """
def f(towers):
    out = []
    every = out
    for p in zip(*towers):
        every += [(tf.add_n([g for g, _ in p]) / len(p), p[0][1])]
    return out
""",
}
OTHERS = {
    "a sum": """
def f(towers):
    return [(tf.add_n([g for g, _ in p]), p[0][1]) for p in zip(*towers)]
""",
    "divided by another number": """
def f(towers):
    return [(tf.add_n([g for g, _ in p]) / 2.0, p[0][1]) for p in zip(*towers)]
""",
    "over everything": """
def f(towers):
    return [(tf.reduce_mean(tf.stack([g for g, _ in p]), axis=1), p[0][1])
            for p in zip(*towers)]
""",
    "the first tower's": """
def f(towers):
    return towers[0]
""",
    "without its variables": """
def f(towers):
    return [tf.reduce_mean(tf.stack([g for g, _ in p]), axis=0) for p in zip(*towers)]
""",
    "clipped": """
def f(towers):
    out = []
    for p in zip(*towers):
        grad = tf.reduce_mean(tf.stack([g for g, _ in p]), axis=0)
        out.append((tf.clip_by_norm(grad, 1.0), p[0][1]))
    return out
""",
    "mapped twice": """
def f(towers):
    means = map(lambda p: (tf.add_n([g for g, _ in p]) / len(p), p[0][1]), zip(*towers))
    first = list(means)
    return list(means)
""",
    "a lambda that reads a name which changes": """
def f(towers):
    n = len(towers)
    means = map(lambda p: (tf.add_n([g for g, _ in p]) / n, p[0][1]), zip(*towers))
    n = 1
    return list(means)
""",
    "a lambda of a name that another lambda has": """
def f(towers):
    p = towers
    rows = map(lambda p: map(lambda g: g[0] / len(p), p), zip(*towers))
    p = [1]
    return [(tf.add_n(list(row)), v[1]) for row, v in zip(rows, towers[1:])]
""",
    "a function of the program's that has a built-in name": """
def f(towers):
    return [(sum([g for g, _ in p]) / len(p), p[0][1]) for p in zip(*towers)]

def sum(tensors):
    return tensors[0]
""",
    "a function that prints": """
def f(towers):
    return [(mean([g for g, _ in p]), p[0][1]) for p in zip(*towers)]

def mean(tensors):
    print(len(tensors))
    return tf.add_n(tensors) / len(tensors)
""",
    "a decorated function": """
def f(towers):
    return [(mean([g for g, _ in p]), p[0][1]) for p in zip(*towers)]

@twice
def mean(tensors):
    return tf.add_n(tensors) / len(tensors)
""",
    "no end": """
def f(towers):
    for pair in towers:
        towers.append(pair)
""",
    "of something else": """
def f(towers):
    import os
    os.remove("x")
    return towers
""",
}


def _averages(text: str) -> bool:
    tree = ast.parse("import tensorflow as tf\n" + text)
    function = tree.body[1]
    assert isinstance(function, ast.FunctionDef)
    return averages_towers(function, Scopes(tree))


@pytest.mark.parametrize("case", AVERAGES)
def test_an_average(case: str) -> None:
    assert _averages(AVERAGES[case])


@pytest.mark.parametrize("case", OTHERS)
def test_no_average(case: str) -> None:
    assert not _averages(OTHERS[case])
