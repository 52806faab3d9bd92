"""The MNIST reader serves the batches of TensorFlow 1.15.5's readers, in their order."""

from __future__ import annotations

import http.server
import json
import os
import pathlib
import subprocess
import threading
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from migrate.support import mnist_input_data, training_session  # noqa: E402
from reference import data  # noqa: E402
from tests.support import tf1_mnist  # noqa: E402
from tests.support.workers import in_workers  # noqa: E402

TRAIN = [["train", 48, {}]] * 40
CASES: dict[str, dict[str, Any]] = {
    "seed": {"arguments": {"seed": 1, "one_hot": True}, "calls": TRAIN},
    "dense": {"arguments": {"seed": 2}, "calls": TRAIN},
    "uint8": {"arguments": {"seed": 3, "dtype": "uint8"}, "calls": TRAIN},
    "images": {"arguments": {"seed": 3, "reshape": False}, "calls": TRAIN},
    "no-validation": {"arguments": {"seed": 1, "validation_size": 0}, "calls": TRAIN},
    "graph-seed": {"graph_seed": 5, "arguments": {}, "calls": TRAIN},
    "both-seeds": {"graph_seed": 5, "arguments": {"seed": 9}, "calls": TRAIN},
    "numpy-seed": {"numpy_seed": 7, "arguments": {}, "calls": TRAIN},
    "in-order": {"arguments": {}, "calls": [["train", 48, {"shuffle": False}]] * 40},
    # All sets draw from one generator.
    "sets": {
        "arguments": {"seed": 4, "validation_size": 100},
        "calls": [["train", 100, {}], ["test", 50, {}], ["validation", 70, {}]] * 15,
    },
    "fake": {
        "arguments": {"fake_data": True, "one_hot": True},
        "calls": [["train", 3, {"fake_data": True}]],
    },
}
for _case in CASES.values():
    if "fake_data" not in _case["arguments"]:
        _case["arguments"].setdefault("validation_size", 100)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("mnist")
    data.write_mnist(path)
    return path


@pytest.fixture(scope="module")
def theirs(tf1: str, directory: pathlib.Path) -> dict[str, np.ndarray]:
    (directory / "cases.json").write_text(
        json.dumps({"directory": str(directory), "cases": CASES})
    )
    # What importing TensorFlow 2 set here would make TensorFlow 1 eager.
    environment = {k: v for k, v in os.environ.items() if k != "TF2_BEHAVIOR"}
    done = subprocess.run(
        [
            tf1,
            tf1_mnist.__file__,
            str(directory / "cases.json"),
            str(directory / "out.npz"),
        ],
        env={**environment, "CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(np.load(directory / "out.npz"))


@pytest.fixture(autouse=True)
def _no_graph_seed() -> Any:
    yield
    tf.compat.v1.set_random_seed(None)


@pytest.mark.parametrize("case", CASES)
def test_same_batches(
    case: str, theirs: dict[str, np.ndarray], directory: pathlib.Path
) -> None:
    x, y = tf1_mnist.batches(
        mnist_input_data.read_data_sets, str(directory), CASES[case]
    )
    for kind in ("tutorial", "contrib"):
        np.testing.assert_array_equal(x, theirs[f"{case}/{kind}/x"])
        np.testing.assert_array_equal(y, theirs[f"{case}/{kind}/y"])


def test_control_another_seed_is_seen(
    theirs: dict[str, np.ndarray], directory: pathlib.Path
) -> None:
    case = {"arguments": {**CASES["seed"]["arguments"], "seed": 8}, "calls": TRAIN}
    x, _ = tf1_mnist.batches(mnist_input_data.read_data_sets, str(directory), case)
    assert not np.array_equal(x, theirs["seed/tutorial/x"])


def test_workers_in_threads_get_what_their_processes_got(
    directory: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TF1's workers had a numpy generator each; two threads must not share one."""
    monkeypatch.setattr(mnist_input_data, "numpy_random", training_session.numpy_random)
    alone, _ = tf1_mnist.batches(
        mnist_input_data.read_data_sets, str(directory), CASES["seed"]
    )
    barrier = threading.Barrier(2, timeout=60)

    def worker(index: int) -> np.ndarray:
        sets = mnist_input_data.read_data_sets(
            str(directory), **CASES["seed"]["arguments"]
        )
        images = []
        for split, size, _ in CASES["seed"]["calls"]:
            barrier.wait()  # Interleaves the workers' draws.
            images.append(getattr(sets, split).next_batch(size)[0])
        return np.concatenate(images)

    for images in in_workers(worker, workers=2):
        np.testing.assert_array_equal(images, alone)


def test_wrong_files_and_sizes(directory: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="validation_size|Validation size"):
        mnist_input_data.read_data_sets(str(directory), validation_size=10**6)
    with pytest.raises(TypeError, match="dtype"):
        mnist_input_data.read_data_sets(
            str(directory), dtype=tf.int32, validation_size=0
        )
    for file in directory.glob("*.gz"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    labels = "train-labels-idx1-ubyte.gz"
    images = (directory / "train-images-idx3-ubyte.gz").read_bytes()
    (tmp_path / labels).write_bytes(images)
    with pytest.raises(ValueError, match="magic"):
        mnist_input_data.read_data_sets(str(tmp_path))


class _Torn(http.server.BaseHTTPRequestHandler):
    """Promises more than it sends."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"torn")

    def log_message(self, *_: Any) -> None:
        pass


def test_a_torn_download_leaves_no_file(tmp_path: pathlib.Path) -> None:
    """Else the next start would take it for the data."""
    with http.server.HTTPServer(("localhost", 0), _Torn) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with pytest.raises(OSError):
                mnist_input_data.read_data_sets(
                    str(tmp_path), source_url=f"http://localhost:{server.server_port}/"
                )
        finally:
            server.shutdown()
            thread.join(10)
    assert not list(tmp_path.iterdir())


def test_downloads_what_is_absent(
    directory: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    sets = mnist_input_data.read_data_sets(
        str(tmp_path), source_url=directory.as_uri() + "/", validation_size=10
    )
    assert sets.validation.num_examples == 10
    assert len(list(tmp_path.iterdir())) == 4
