"""Modules that Estimator programs import: packages, and updates that another file runs."""

from __future__ import annotations

import pathlib

import pytest

from migrate.findings import Outcome
from migrate.run import run_tree

_NETWORK = """\
import tensorflow as tf


def network(x, training):
  return tf.layers.batch_normalization(x, training=training)
"""
_MAIN = """\
import tensorflow as tf
{imports}


def model_fn(features, labels, mode):
  y = network(features, mode == tf.estimator.ModeKeys.TRAIN)
  ops = {updates}
  return tf.estimator.EstimatorSpec(mode, predictions=y)
"""
_RUN = "tf.get_collection(tf.GraphKeys.UPDATE_OPS)"


def _refused(root: pathlib.Path, **files: str) -> dict[str, set[str]]:
    paths = {}
    for name, text in files.items():
        path = root / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths[path] = name
    return {
        paths[r.path]: {f.code for f in r.findings if f.outcome is Outcome.REFUSED}
        for r in run_tree(list(paths))
    }


@pytest.mark.parametrize(
    "imports", ["from nets import network", "import nets\nnetwork = nets.network"]
)
def test_a_package_builds_graphs_too(imports: str, tmp_path: pathlib.Path) -> None:
    main = _MAIN.format(imports=imports, updates=_RUN)
    found = _refused(tmp_path, main=main, **{"nets/__init__": _NETWORK})
    assert not any(found.values())


def test_updates_may_be_run_in_another_file(tmp_path: pathlib.Path) -> None:
    main = _MAIN.format(imports="from nets import network", updates=_RUN)
    assert not any(_refused(tmp_path, main=main, nets=_NETWORK).values())


def test_updates_may_be_run_in_a_module(tmp_path: pathlib.Path) -> None:
    main = _MAIN.format(imports="from nets import network", updates="None")
    trains = f"import tensorflow as tf\nOPS = lambda: {_RUN}\n"
    files = {"main": main, "nets": f"import trains\n{_NETWORK}", "trains": trains}
    assert not any(_refused(tmp_path, **files).values())


def test_averages_that_no_file_moves_are_refused(tmp_path: pathlib.Path) -> None:
    main = _MAIN.format(imports="from nets import network", updates="None")
    found = _refused(tmp_path, main=main, nets=_NETWORK)
    assert "L123" in found["nets"]


def test_every_program_that_imports_it_must_run_them(tmp_path: pathlib.Path) -> None:
    imports = "from nets import network"
    found = _refused(
        tmp_path,
        one=_MAIN.format(imports=imports, updates=_RUN),
        other=_MAIN.format(imports=imports, updates="None"),
        nets=_NETWORK,
    )
    assert "L123" in found["nets"]


_STRATEGY = """\
import tensorflow as tf


def get_strategy(num_gpus, all_reduce_alg):
  if num_gpus <= 1:
    return tf.contrib.distribute.OneDeviceStrategy("device:GPU:%d" % num_gpus)
  return tf.contrib.distribute.MirroredStrategy(
      num_gpus=num_gpus,
      {argument}=tf.contrib.distribute.{operations}(
          all_reduce_alg, num_packs=num_gpus))
"""


@pytest.mark.parametrize("kind", ["Tower", "Device"])
def test_a_module_makes_the_strategy(kind: str, tmp_path: pathlib.Path) -> None:
    argument = f"cross_{kind.lower()}_ops"
    text = _STRATEGY.format(argument=argument, operations=f"AllReduceCross{kind}Ops")
    main = _MAIN.format(imports="import ways", updates="ways.get_strategy(2, 'nccl')")
    main = main.replace(
        "y = network(features, mode == tf.estimator.ModeKeys.TRAIN)", "y = 1"
    )
    paths = {"main": main, "ways": text}
    for name, source in paths.items():
        (tmp_path / f"{name}.py").write_text(source)
    found = {r.path.stem: r for r in run_tree([tmp_path / f"{n}.py" for n in paths])}
    assert all(
        f.outcome in (Outcome.REWRITTEN, Outcome.KEPT)
        for result in found.values()
        for f in result.findings
    )
    written = found["ways"].new.decode()
    assert "estimator_strategies.AllReduceCrossDeviceOps(" in written
    assert "estimator_strategies.OneDeviceStrategy(" in written
