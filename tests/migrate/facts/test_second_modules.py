"""A second name of a module of contrib leads to the objects of the first."""

from __future__ import annotations

import json
import subprocess

import pytest

from migrate.facts.modules import SECOND_MODULES, make_canonical

PUBLIC = {
    "tf.contrib.slim.layers.",
    "tf.contrib.slim.losses.",
    "tf.contrib.slim.metrics.",
}
# Prints which public names of two modules are one object, and which are not.
COMPARE = """\
import json, sys
import tensorflow as tf

def find(path):
    found = tf
    for part in path.split(".")[1:-1]:
        found = getattr(found, part)
    return found

both = {}
for one, other in json.loads(sys.argv[1]).items():
    one, other, same = find(one), find(other), [[], []]
    for name in getattr(one, "__all__", None) or dir(one):
        value = getattr(one, name, None)
        if callable(value) and hasattr(other, name):
            same[value is getattr(other, name)].append(name)
    both[str(len(both))] = same
print(json.dumps(both))
"""


def test_their_names_are_the_same_objects(tf1: str) -> None:
    # Others are names of files, or of Keras, whose objects have other names.
    pairs = {k: v for k, v in SECOND_MODULES.items() if k in PUBLIC}
    assert len(pairs) == len(PUBLIC)
    done = subprocess.run(
        [tf1, "-c", COMPARE, json.dumps(pairs)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) == len(pairs)
    for (differing, same), name in zip(found.values(), pairs):
        assert same and not differing, name


@pytest.mark.parametrize("name", ["conv2d", "fully_connected", "max_pool2d"])
def test_layers_of_slim_are_layers_of_contrib(name: str) -> None:
    path = f"tensorflow.contrib.slim.layers.{name}"
    assert make_canonical(path) == f"tf.contrib.layers.{name}"
