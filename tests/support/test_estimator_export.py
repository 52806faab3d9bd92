"""SavedModels: what TensorFlow 1.15.5 exports, and what the migration does, side by side."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from migrate.support.estimator_loop import export
from reference.environment import find_tf1
from tests import ledger
from tests.programs import estimators
from tests.programs.test_estimators import migrated

VARIANT = next(v for v in estimators.VARIANTS if v.name == "compat_v1")


def _export(directory: pathlib.Path) -> pathlib.Path:
    (found,) = (directory / "model" / "export" / "exporter").iterdir()
    return found


def _signatures(export: pathlib.Path) -> dict[str, Any]:
    """Signatures by name: method, and name, dtype and shape of every tensor."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        graph = tf.compat.v1.saved_model.load(session, ["serve"], str(export))

        def tensors(infos: Any) -> dict[str, Any]:
            return {
                key: (info.name, info.dtype, str(info.tensor_shape))
                for key, info in infos.items()
            }

        return {
            name: (s.method_name, tensors(s.inputs), tensors(s.outputs))
            for name, s in graph.signature_def.items()
        }


def _examples(rows: int) -> list[bytes]:
    """Serialized examples with the features that the program's columns read."""
    rng = np.random.RandomState(9)
    found = []
    for _ in range(rows):
        example = tf.train.Example()
        for name in ("size", "age"):
            example.features.feature[name].float_list.value.append(rng.rand() * 4)
        kind = [b"red", b"green", b"blue"][rng.randint(3)]
        example.features.feature["kind"].bytes_list.value.append(kind)
        found.append(example.SerializeToString())
    return found


def _answers(export: pathlib.Path, examples: list[bytes]) -> dict[str, Any]:
    """Returns the answers of the default signature."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        graph = tf.compat.v1.saved_model.load(session, ["serve"], str(export))
        signature = graph.signature_def["serving_default"]
        return session.run(
            {name: info.name for name, info in signature.outputs.items()},
            {signature.inputs["examples"].name: examples},
        )


def _answers_of_a_function(
    export: pathlib.Path, examples: list[bytes]
) -> dict[str, Any]:
    """The same by TensorFlow 2's own loader."""
    signature = tf.saved_model.load(str(export)).signatures["serving_default"]
    answers = signature(examples=tf.constant(examples))
    return {name: value.numpy() for name, value in answers.items()}


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    """Exports both programs from the same initial values."""
    python = find_tf1()
    if python is None:
        pytest.skip("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    work = tmp_path_factory.mktemp("export")
    for name in ("tf1", "tf2"):
        (work / name).mkdir()
    estimators.run(str(python), VARIANT.path, work / "tf1")
    estimators.start(work / "tf1", work / "tf2")
    program = migrated(VARIANT, work / "program")
    estimators.run(sys.executable, program, work / "tf2", preloaded=True)
    return {name: _export(work / name) for name in ("tf1", "tf2")}


def test_signatures_have_tf1s_names(exports: dict[str, pathlib.Path]) -> None:
    ledger.rests_on(ledger.COMPILER)
    expected, found = (_signatures(exports[name]) for name in ("tf1", "tf2"))
    assert found == expected
    assert set(found) == {"predict", "serving_default"}


def test_answers_are_tf1s(exports: dict[str, pathlib.Path]) -> None:
    ledger.rests_on(ledger.COMPILER)
    examples = _examples(11)
    expected, found = (_answers(exports[name], examples) for name in ("tf1", "tf2"))
    assert found.keys() == expected.keys() == {"probability", "logits"}
    for name, values in expected.items():
        assert values.shape == (11, 1)
        # exp differs by an ULP between the versions, in training and here.
        np.testing.assert_allclose(found[name], values, rtol=0, atol=1e-6)
    function = _answers_of_a_function(exports["tf2"], examples)
    for name, values in found.items():
        np.testing.assert_array_equal(function[name], values)
    assert (
        np.ptp(found["logits"]) > 0.01
    )  # A control: the answers are not one constant.


def test_a_directory_that_another_worker_made_meanwhile(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = export.timestamped(str(tmp_path))
    temporary = export.unfinished(directory)
    for place in (temporary, directory):
        os.makedirs(os.path.join(place, "variables"))
    rename = tf.io.gfile.rename  # Which looks first, and then is too late.
    monkeypatch.setattr(
        tf.io.gfile, "rename", lambda a, b: rename(a, b, overwrite=True)
    )
    found = export.finished(temporary, directory)
    assert sorted([found, directory]) == sorted(map(str, tmp_path.iterdir()))


def test_workers_that_export_in_one_second_get_a_directory_each(
    tmp_path: pathlib.Path,
) -> None:
    directory = export.timestamped(str(tmp_path))
    written = [export.unfinished(directory) for _ in range(2)]
    for number, temporary in enumerate(written):
        os.makedirs(temporary)
        (pathlib.Path(temporary) / "saved_model.pb").write_text(str(number))
    found = [export.finished(temporary, directory) for temporary in written]
    assert found[0] == directory and int(os.path.basename(found[1])) > int(
        os.path.basename(directory)
    )
    assert sorted(os.listdir(tmp_path)) == sorted(map(os.path.basename, found))
    for number, place in enumerate(found):
        assert (pathlib.Path(place) / "saved_model.pb").read_text() == str(number)
