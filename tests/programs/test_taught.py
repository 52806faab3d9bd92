"""Programs as guides and answers teach them: migrated without a refusal, they run."""

from __future__ import annotations

import ast
import json
import pathlib
import re
import sys
import textwrap

import numpy as np
import pytest

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.migration import Migration
from migrate.run import run_tree
from reference import checkpoints, processes, runner
from reference.environment import find_tf1
from tests import ledger

HERE = pathlib.Path(__file__).parent / "taught"


def migrated(name: str) -> Migration:
    migration = migrate_text((HERE / f"{name}.py").read_text())
    wrong = [f for f in migration.findings if f.outcome is not Outcome.REWRITTEN]
    assert not [f for f in wrong if f.outcome is not Outcome.KEPT], wrong
    again = migrate_text(migration.text)
    assert again.text == migration.text
    return migration


def run(
    text: str,
    directory: pathlib.Path,
    ps: int = 0,
    workers: int = 1,
    client: bool = False,
    arguments: tuple[str, ...] = (),
    configured: bool = False,
) -> None:
    """Runs a program as the tasks of a cluster; what it writes is in `directory`."""
    directory.mkdir()
    (directory / "program.py").write_text(text)
    beside.write(directory, text)
    processes.run_tasks(
        sys.executable,
        directory / "program.py",
        [f"--dir={directory}", *arguments],
        directory / "logs",
        ps=ps,
        workers=workers,
        client=client,
        environment=runner.ENVIRONMENT,
        timeout=240,
        preloaded=True,
        command_line=_no_flags
        if configured or not client
        else processes.flag_arguments,
        task_environment=_tf_config if configured else None,
    )


def _tf_config(job: str, index: int, hosts: processes.Hosts) -> dict[str, str]:
    jobs = {"ps": list(hosts.ps), "worker": list(hosts.worker)}
    cluster = {name: addresses for name, addresses in jobs.items() if addresses}
    config: dict[str, object] = {"cluster": cluster}
    if job != "client":  # Whoever coordinates is none of the cluster's tasks.
        config["task"] = {"type": job, "index": index}
    return {"TF_CONFIG": json.dumps(config)}


def _no_flags(job: str, index: int, hosts: processes.Hosts) -> list[str]:
    return []


def test_partitioners_of_both_versions_split_alike(tmp_path: pathlib.Path) -> None:
    migration = migrated("sharded_client")
    assert "1.partitioner" not in migration.text and "按字节数切分" in migration.text
    found = []
    for name, text in (
        ("before", (HERE / "sharded_client.py").read_text()),
        ("after", migration.text),
        (
            "fault",
            migration.text.replace("min_shard_bytes=100", "min_shard_bytes=9999"),
        ),
    ):
        run(text, tmp_path / name, 2, 1, client=True)
        found.append(ast.literal_eval((tmp_path / name / "shards").read_text()))
    assert found[0] == found[1] == [[1, 2, 2], [1, 1, 2], [1, 2, 3]]
    assert found[2] != found[0]


# The tasks that a loop beside a cluster is run as, and a fault that must be seen.
BARE = {
    "bare_servers": (2, 1, "    adam.apply_gradients(", "    list("),
    "bare_function": (2, 1, ".fetch()", ".fetch() * 1.01"),
    "bare_dataset": (0, 2, 'all_reduce("SUM", ', 'all_reduce("SUM", 2 * '),
    "bare_workers": (0, 2, 'all_reduce("SUM", ', 'all_reduce("SUM", 2 * '),
}
MIRRORED = ("mirrored_text", "mirrored_parts", "mirrored_starred")
# What a replica would do wrongly, by program: each must be seen.
MIRRORED_FAULTS = {
    "mirrored_text": ('all_reduce("SUM", ', 'all_reduce("SUM", 2 * '),
    "mirrored_parts": ('.reduce("SUM"', '.reduce("MEAN"'),
    "mirrored_starred": ('all_reduce("SUM", ', 'all_reduce("SUM", 2 * '),
}


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """What each program means on one device with the whole batch."""
    for name in (*MIRRORED, *BARE):
        migrated(name)
    directory = tmp_path_factory.mktemp("truth") / "run"
    run((HERE / "on_one_device.py").read_text(), directory)
    found: dict[str, list[float]] = json.loads((directory / "truth.json").read_text())
    return found


def logged(directory: pathlib.Path, task: int = 0) -> list[float]:
    return [float(n) for n in (directory / f"loss.{task}").read_text().split()]


@pytest.mark.parametrize("name", MIRRORED)
def test_replicas_learn_what_one_device_learns(
    name: str, truth: dict[str, list[float]], tmp_path: pathlib.Path
) -> None:
    ledger.rests_on(ledger.COMPILER)
    migration = migrated(name)
    codes = {f.code for f in migration.findings}
    assert {"D104", "D141", "D158"} <= codes
    assert ("D142" in codes) == (name == "mirrored_text") == ("D140" in codes)
    old, new = MIRRORED_FAULTS[name]
    fault = migration.text.replace(old, new)
    assert fault != migration.text
    for kind, text, replicas in (
        ("one", migration.text, "1"),
        ("two", migration.text, "2"),
        ("fault", fault, "2"),
    ):
        run(text, tmp_path / kind, arguments=(replicas,))
    # Sums of parts of a batch, in another order: measured 2.4e-7.
    for kind in ("one", "two"):
        np.testing.assert_allclose(logged(tmp_path / kind), truth[name], atol=2e-6)
    assert not np.allclose(logged(tmp_path / "fault"), truth[name], atol=1e-3)


# Losses that are written otherwise, by program.
UNEVEN = {
    "mirrored_text": None,
    "mirrored_parts": None,
    "mirrored_starred": "tf.reduce_mean(tf.square("
    "tf.cast(labels, tf.float32) - network(rows)[:, 0]))",
}


@pytest.mark.parametrize("name", UNEVEN)
def test_a_last_batch_that_leaves_a_replica_without_examples(
    name: str, tmp_path: pathlib.Path
) -> None:
    """40 examples in batches of 13: the last batch has one."""
    old = (HERE / f"{name}.py").read_text().replace("batch(8)", "batch(13)")
    own = UNEVEN[name]
    if own is not None:
        old = re.sub(r"tf\.nn\.sparse_[^=]*=labels, logits=.*\n", own + "\n", old)
        assert own in old
    text = migrate_text(old).text
    assert "batch(13)" in text
    # Each replica divides by what it has itself.
    fault, number = re.subn(
        r", global_batch_size=tf\.distribute.*?\)\[?0?\]?\)", "", text, count=1
    )
    assert number == 1
    for kind, program, replicas in (
        ("one", text, "1"),
        ("two", text, "2"),
        ("fault", fault, "2"),
    ):
        run(program, tmp_path / kind, arguments=(replicas,))
    meant = logged(tmp_path / "one")
    # In another order of sums.
    np.testing.assert_allclose(logged(tmp_path / "two"), meant, atol=2e-6)
    assert not np.allclose(logged(tmp_path / "fault"), meant, atol=1e-3)


def test_workers_of_whom_one_has_none_of_the_last_batch(
    tmp_path: pathlib.Path,
) -> None:
    old = (HERE / "bare_dataset.py").read_text().replace("batch(8)", "batch(13)")
    text = migrate_text(old).text
    fault = text.replace('all_reduce("SUM", ', 'all_reduce("SUM", 2 * ')
    assert fault != text
    found = {}
    for kind, program, workers in (
        ("one", text, 1),
        ("two", text, 2),
        ("fault", fault, 2),
    ):
        run(program, tmp_path / kind, 0, workers, configured=True)
        log = sorted((tmp_path / kind).glob("loss.*"))[0]
        found[kind] = [float(line) for line in log.read_text().split()]
    np.testing.assert_allclose(found["two"], found["one"], atol=2e-6)
    assert not np.allclose(found["fault"], found["one"], atol=1e-3)


def test_comments_of_mirrored_programs_stay() -> None:
    for comment in ("# 建立网络", "# 异步训练", "# 策略", "# 一步"):
        assert migrated("mirrored_text").text.count(comment) == 1


@pytest.mark.parametrize("name", BARE)
def test_a_loop_beside_a_cluster_is_its_strategys(
    name: str, truth: dict[str, list[float]], tmp_path: pathlib.Path
) -> None:
    ps, workers, old, new = BARE[name]
    migration = migrated(name)
    assert not migration.support  # Nothing is written beside it.
    assert {"D113", "D159"} <= {f.code for f in migration.findings}
    fault = migration.text.replace(old, new)
    assert fault != migration.text
    for kind, text in (("right", migration.text), ("fault", fault)):
        run(text, tmp_path / kind, ps, workers, client=bool(ps), configured=True)
        logs = sorted((tmp_path / kind).glob("loss.*"))
        assert len(logs) == (1 if ps else workers)
        for log in logs:
            losses = [float(line) for line in log.read_text().split()]
            assert len(losses) == len(truth[name])
            # In another order of sums: measured 1.2e-7.
            same = np.allclose(losses, truth[name], atol=2e-6)
            assert same == (kind == "right"), (losses, truth[name])


def _in_function(text: str) -> str:
    """The whole program in a function, which the last line calls."""
    head, rest = text.split("# 服务器地址\n")
    return f"{head}\n\ndef main():\n{textwrap.indent(rest, '    ')}\n\nmain()\n"


def _in_session(text: str) -> str:
    """The program's training in the block of its session."""
    head, rest = text.split("    # 在会话中训练\n    pass\n")
    return head + textwrap.indent(rest, "    ")


def _without_session(text: str) -> str:
    return text.replace(
        "with tf.compat.v1.train.MonitoredTrainingSession() as sess:\n    pass\n", ""
    )


def _with_server(text: str) -> str:
    """A server that is the same task in every process, and that nothing uses."""
    server = 'server = tf.train.Server(cluster, job_name="worker", task_index=0)\n'
    return _without_session(text).replace("\n\ndef next", f"{server}\n\ndef next", 1)


SHAPES = {
    "in a function": ("bare_servers", _in_function),
    "in its session": ("bare_servers", _in_session),
    "in both": ("bare_servers", lambda text: _in_function(_in_session(text))),
    "without a session": ("bare_workers", _without_session),
    "with a server": ("bare_workers", _with_server),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_other_shapes_of_a_loop_beside_a_cluster(
    shape: str, truth: dict[str, list[float]], tmp_path: pathlib.Path
) -> None:
    name, change = SHAPES[shape]
    text = change((HERE / f"{name}.py").read_text())
    migration = migrate_text(text)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    assert "D159" in {f.code for f in migration.findings} and not migration.support
    ps, workers = BARE[name][:2]
    run(
        migration.text,
        tmp_path / "run",
        ps,
        workers,
        client=bool(ps),
        configured=True,
    )
    logs = sorted((tmp_path / "run").glob("loss.*"))
    assert len(logs) == (1 if ps else workers)
    for log in logs:
        losses = [float(line) for line in log.read_text().split()]
        np.testing.assert_allclose(losses, truth[name], atol=2e-6)


FIT = """\
import sys

import numpy as np
import tensorflow as tf

cluster = tf.train.ClusterSpec({"ps": "one:2222", "worker": "two:2222"})
with tf.compat.v1.train.MonitoredTrainingSession(master="grpc://", cluster=cluster):
    rng = np.random.RandomState(0)
    rows = rng.rand(24, 5).astype("float32")
    net = tf.keras.Sequential([tf.keras.layers.Dense(
        1, input_shape=(5,), kernel_initializer=tf.keras.initializers.GlorotUniform(2))])
    net.compile(tf.keras.optimizers.SGD(0.1), "mse")
    net.fit(rows, rows.sum(1), batch_size=8, epochs=3, shuffle=False, verbose=0)
with open(sys.argv[1].split("=")[1] + "/loss.0", "w") as log:
    log.write("%r\\n" % float(net.evaluate(rows, rows.sum(1), verbose=0)))
"""


def test_a_fit_in_a_session_that_reaches_no_server(tmp_path: pathlib.Path) -> None:
    ledger.rests_on(ledger.COMPILER)
    lines = [x for x in FIT.split("\n") if "ClusterSpec" not in x]
    alone = "\n".join("if True:" if x.startswith("with tf") else x for x in lines)
    run(
        alone.replace("tf.keras", "tf_keras").replace(
            "import sys", "import sys, tf_keras"
        ),
        tmp_path / "alone",
    )
    migration = migrate_text(FIT)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    for kind, text in (
        ("right", migration.text),
        ("fault", migration.text.replace("epochs=3", "epochs=2")),
    ):
        directory = tmp_path / kind
        run(text, directory, 1, 1, client=True, configured=True)
        same = np.allclose(logged(directory), logged(tmp_path / "alone"), atol=2e-6)
        assert same == (kind == "right")


def test_a_worker_without_a_task_is_told_what_is_missing(
    tmp_path: pathlib.Path,
) -> None:
    text = migrated("bare_workers").text
    with pytest.raises(
        processes.TasksFailed, match="does not say which worker this is"
    ):
        run(text, tmp_path / "run")


def test_comments_of_loops_beside_a_cluster_stay() -> None:
    old = (HERE / "bare_servers.py").read_text()
    new = migrated("bare_servers").text
    comments = [line.strip() for line in old.split("\n") if line.strip()[:1] == "#"]
    assert len(comments) == 8
    assert all(new.count(comment) == 1 for comment in comments)


# One program for all tasks: the client is another file, and is given no job.
ASKED = """
import os, runpy, sys
client = "--job_name=client" in sys.argv
if client:
    own = ("--job_name", "--task_index", "--dir")
    sys.argv = [a for a in sys.argv if not a.startswith(own)]
else:
    sys.argv = [a for a in sys.argv if not a.startswith("--dir")]
program = "asking.py" if client else "serving.py"
runpy.run_path(os.path.join(os.path.dirname(__file__), program), run_name="__main__")
"""


def test_a_client_asks_the_cluster_of_its_tree(tmp_path: pathlib.Path) -> None:
    found = {r.path.name: r for r in run_tree([HERE / "asked"], jobs=1)}
    assert not [
        f
        for result in found.values()
        for f in result.findings
        if f.outcome in (Outcome.REFUSED, Outcome.FAILED)
    ]
    asking = found["asking.py"].new.decode()
    serving = found["serving.py"].new.decode()
    assert "变量在参数服务器上" in asking and "启动服务器" in serving
    fault = asking.replace("tf.matmul(c, a) + b", "tf.matmul(a, c) + b")
    assert fault != asking
    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.full((2, 2), 2.0)
    meant = ((a @ b - a) @ a + b).tolist()
    for kind, text in (("right", asking), ("fault", fault)):
        directory = tmp_path / kind
        directory.mkdir()
        beside.write(directory, text)
        (directory / "asking.py").write_text(text)
        (directory / "serving.py").write_text(serving)
        (directory / "program.py").write_text(ASKED)
        ended = processes.run_tasks(
            sys.executable,
            directory / "program.py",
            [],
            directory / "logs",
            ps=1,
            workers=2,
            client=True,
            environment=runner.ENVIRONMENT,
            timeout=240,
            preloaded=True,
        )
        (client,) = [e for e in ended if e.task == "client-0"]
        assert (f"MATRIX {meant}" in client.output) == (kind == "right")


# The guide's way to begin with: what it sets for a cluster it takes away again.
CONFIGURED = """import json
import os

os.environ["TF_CONFIG"] = json.dumps({
    "cluster": {"chief": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]},
    "task": {"type": "chief", "index": 0}})
# 单机运行
del os.environ["TF_CONFIG"]
"""
SPELLINGS = {
    "as it is": lambda text: text,
    "TF_CONFIG set and taken away": lambda text: text.replace(
        "import sys\n", "import sys\n" + CONFIGURED
    ),
    "by position, of another import": lambda text: (
        text.replace(
            "import tensorflow.compat.v1 as tf1",
            "from tensorflow.compat import v1 as tf1",
        )
        .replace("model_fn=_model_fn, model_dir=", "_model_fn, ")
        .replace("Spec(input_fn=", "Spec(")
    ),
}


def _guide_config(job: str, index: int, hosts: processes.Hosts) -> dict[str, str]:
    """The chief is one more of the workers: the first."""
    cluster = {"chief": [hosts.worker[0]], "worker": list(hosts.worker[1:])}
    if hosts.ps:
        cluster["ps"] = list(hosts.ps)
    if len(hosts.worker) == 1 and not hosts.ps:
        return {}
    task = {"type": job, "index": index}
    if job == "worker":
        task = {"type": "worker", "index": index - 1}
        task = task if index else {"type": "chief", "index": 0}
    jobs = {name: addresses for name, addresses in cluster.items() if addresses}
    return {"TF_CONFIG": json.dumps({"cluster": jobs, "task": task})}


def _estimate(
    python: str,
    text: str,
    directory: pathlib.Path,
    start: pathlib.Path | None = None,
    ps: int = 0,
    workers: int = 1,
) -> dict[str, np.ndarray]:
    """The variables that a guide's program has saved in the end."""
    model = directory / "model"
    model.mkdir(parents=True, exist_ok=True)
    for part in start.glob("model.ckpt-0.*") if start is not None else ():
        (model / part.name).write_bytes(part.read_bytes())
        (model / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-0"\n')
    if python == sys.executable:
        beside.write(directory, text)
    (directory / "program.py").write_text(text)
    processes.run_tasks(
        python,
        directory / "program.py",
        [f"--dir={directory}"],
        directory / "logs",
        ps=ps,
        workers=workers,
        environment=runner.ENVIRONMENT,
        timeout=240,
        preloaded=python == sys.executable,
        command_line=_no_flags,
        task_environment=_guide_config,
    )
    return checkpoints.read(model)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_guides_estimator_is_tensorflow_1s(
    spelling: str, tmp_path: pathlib.Path
) -> None:
    ledger.rests_on(ledger.COMPILER)
    tf1 = find_tf1()
    if tf1 is None:
        pytest.skip("TensorFlow 1.15.5 is not found")
    old = SPELLINGS[spelling]((HERE / "guided.py").read_text())
    migration = migrate_text(old)
    assert not [f for f in migration.findings if f.outcome is Outcome.REFUSED]
    comments = ("# 训练数据", "# 线性模型", *("# 单机运行",) * ("TF_CONFIG" in old))
    assert all(migration.text.count(comment) == 1 for comment in comments)
    want = _estimate(str(tf1), old, tmp_path / "tf1")
    start = tmp_path / "tf1" / "model"
    tasks = {"one": (0, 1)}
    if spelling == "as it is":
        # Two equal gradients have their mean exactly. Three would not: 3g is rounded, and
        # a third of it may be one ULP from g.
        tasks |= {"two servers": (2, 1), "workers only": (0, 2), "all": (2, 4)}
    found = {
        name: _estimate(
            sys.executable, migration.text, tmp_path / name, start, ps, workers
        )
        for name, (ps, workers) in tasks.items()
    }
    for name, values in found.items():
        if name == "all":
            # Each of four tasks takes the four rows, in any order; the chief saves when
            # it has taken its own.
            assert 4 <= int(values["global_step"]) <= 16
            assert np.all(values["dense/kernel/Adagrad"] > 1)
            continue
        assert set(want) == set(values)
        assert all(np.array_equal(values[k], want[k]) for k in want), name
    # A control: a rate that is another by a thousandth.
    fault = migration.text.replace("Optimizer(0.04)", "Optimizer(0.04004)")
    assert fault != migration.text
    wrong = _estimate(sys.executable, fault, tmp_path / "fault", start)
    assert not np.array_equal(wrong["dense/kernel"], want["dense/kernel"])
