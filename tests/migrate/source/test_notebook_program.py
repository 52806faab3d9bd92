"""A training program that spans a notebook's cells: migrated as one, and run."""

from __future__ import annotations

import json
import pathlib
import sys

import nbformat

from migrate.beside import files as beside
from migrate.findings import Outcome
from migrate.options import Options
from migrate.pipeline import migrate_bytes
from reference import processes

CELLS = [
    "%matplotlib inline\nimport json, os\nimport numpy as np\nimport tensorflow as tf",
    """config = json.loads(os.environ["TF_CONFIG"])
cluster = tf.train.ClusterSpec(config["cluster"])
job, index = config["task"]["type"], config["task"]["index"]
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()""",
    """# The data.
def batch(number):
    x = np.random.RandomState(number).randn(16, 3)
    return x, x.sum(axis=1, keepdims=True)""",
    "batch(0)[0].shape",
    "x = tf.placeholder(tf.float32, [None, 3])\ny = tf.placeholder(tf.float32, [None, 1])",
    """# The model.
with tf.device(tf.train.replica_device_setter(
        cluster=cluster, worker_device="/job:worker/task:%d" % index)):
    w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
    step = tf.train.get_or_create_global_step()
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)""",
    "hooks = [tf.train.StopAtStepHook(last_step=20)]",
    """number = 0
with tf.train.MonitoredTrainingSession(server.target, index == 0, hooks=hooks) as sess:
    while not sess.should_stop():
        bx, by = batch(number)
        number += 1
        _, value = sess.run([train_op, loss], {x: bx, y: by})
        print("loss", value)""",
]


def _notebook() -> bytes:
    cells = []
    for source in CELLS:
        cells += [
            nbformat.v4.new_markdown_cell("Text."),
            nbformat.v4.new_code_cell(source),
        ]
    metadata = {
        "kernelspec": {"name": "python3", "language": "python", "display_name": "P"}
    }
    made = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    return (nbformat.writes(made) + "\n").encode()


def test_the_cells_of_a_program_become_one_and_it_runs(tmp_path: pathlib.Path) -> None:
    result = migrate_bytes(tmp_path / "a.ipynb", _notebook(), Options())
    assert not [
        f for f in result.findings if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    made = nbformat.reads(result.new.decode(), as_version=4)
    code = [cell.source for cell in made.cells if cell.cell_type == "code"]
    assert len(code) == len(CELLS)
    assert code[0].startswith("%matplotlib inline\n")
    assert code[2:4] == CELLS[2:4]  # Nothing in them changes.
    joined = [c for c in code if c.startswith("# This cell's code is in cell")]
    assert len(joined) == 1 and sum(f.code == "S130" for f in result.findings) == 1
    assert any("# The model." in c and "def train_step" in c for c in code)
    # A second migration leaves it as it is.
    again = migrate_bytes(tmp_path / "a.ipynb", result.new, Options())
    assert not again.changed

    program = tmp_path / "program.py"
    program.write_text("\n".join(code).replace("%matplotlib inline\n", ""))
    beside.write(tmp_path, program.read_text())

    def config(job: str, index: int, hosts: processes.Hosts) -> dict[str, str]:
        cluster = {"ps": list(hosts.ps), "worker": list(hosts.worker)}
        task = {"type": job, "index": index}
        return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})}

    ended = processes.run_tasks(
        sys.executable,
        program,
        [],
        tmp_path / "out",
        environment={"CUDA_VISIBLE_DEVICES": ""},
        command_line=lambda job, index, hosts: [],
        task_environment=config,
    )
    output = next(e.output for e in ended if e.task == "worker-0")
    losses = [float(line.split()[1]) for line in output.splitlines() if "loss" in line]
    assert len(losses) == 20 and losses[-1] < losses[0]
