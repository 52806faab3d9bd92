"""Clients that have the cluster which another file of their tree describes."""

from __future__ import annotations

import pathlib

import pytest

from migrate.findings import Finding, Outcome
from migrate.run import run_tree

CLIENT = """\
import tensorflow as tf
with tf.device("/job:ps/task:0"):
    x = tf.Variable(tf.ones([2, 2]))
with tf.device("/job:worker/task:1"):
    y = tf.matmul(x, x)
with tf.Session("grpc://localhost:7001") as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y))
"""
FLAGS = """\
import tensorflow as tf
tf.app.flags.DEFINE_string("ps", "localhost:7000", "")
tf.app.flags.DEFINE_string("workers", "localhost:7001,localhost:7002", "")
tf.app.flags.DEFINE_integer("index", 0, "")
FLAGS = tf.app.flags.FLAGS
def main(_):
    cluster = tf.train.ClusterSpec(
        {"ps": FLAGS.ps.split(","), "worker": FLAGS.workers.split(",")})
    tf.train.Server(cluster, "worker", FLAGS.index).join()
tf.app.run()
"""
ARGUMENTS = """\
import argparse, sys
import tensorflow as tf
parser = argparse.ArgumentParser()
parser.add_argument("--ps", default="localhost:7000")
parser.add_argument("--workers", default="localhost:7001,localhost:7002")
parser.add_argument("--index", type=int)
args = parser.parse_args()
jobs = {"ps": [args.ps], "worker": args.workers.split(",")}
tf.train.Server(tf.train.ClusterSpec(jobs), "worker", args.index).join()
"""
CONSTANTS = """\
import sys
import tensorflow as tf
PORT = "700"
spec = tf.train.ClusterSpec({"ps": ["localhost:7000"],
                             "worker": ["localhost:7001", "localhost:7002"]})
server = tf.train.Server(spec, job_name=sys.argv[1], task_index=int(sys.argv[2]))
server.join()
"""


def migrated(directory: pathlib.Path, **files: str) -> tuple[str, tuple[Finding, ...]]:
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text)
    results = {r.path.name: r for r in run_tree([directory], jobs=1)}
    client = results["client.py"]
    return client.new.decode(), tuple(client.findings)


def refused(findings: tuple[Finding, ...]) -> list[Finding]:
    return [f for f in findings if f.outcome is Outcome.REFUSED and f.code != "N100"]


@pytest.mark.parametrize(
    ("server", "has", "lacks"),
    [
        (FLAGS, ('"ps", "localhost:7000"', "FLAGS.workers.split"), '"index"'),
        (ARGUMENTS, ("args = parser.parse_args()", "ClusterSpec(jobs)"), '"--index"'),
        (CONSTANTS, ('"worker": ["localhost:7001", "localhost:7002"]})',), "PORT"),
    ],
)
def test_the_client_has_the_trees_cluster(
    server: str, has: tuple[str, ...], lacks: str, tmp_path: pathlib.Path
) -> None:
    text, findings = migrated(tmp_path, server=server, client=CLIENT)
    assert not refused(findings)
    assert all(part in text for part in has) and lacks not in text
    assert "experimental_connect_to_cluster(" in text
    told = [f for f in findings if f.code == "C130" and "server.py" in f.reason]
    assert [f.line for f in told] == [6]
    # What is told of the client is told at its own lines.
    assert {f.line for f in findings} <= set(range(1, 9))


def test_alone_it_is_told_what_is_missing(tmp_path: pathlib.Path) -> None:
    text, findings = migrated(tmp_path, client=CLIENT)
    (told,) = refused(findings)
    assert told.code == "C131" and "/job:ps/task:0, /job:worker/task:1" in told.reason
    assert '{"ps": ["host:port"], "worker": ["host:port", "host:port"]}' in told.recipe


NEAR = {
    "the server is not of that cluster": (
        {"server": FLAGS.replace("7001", "8001")},
        "has no localhost:7001",
    ),
    "two clusters": (
        {"server": FLAGS, "other": CONSTANTS.replace("7000", "7009")},
        "describe several",
    ),
    "a name of the client": (
        {"server": FLAGS.replace("FLAGS", "x")},
        "names that the client uses, too: x",
    ),
    "a cluster that something computes": (
        {"server": FLAGS.replace("FLAGS.workers.split", "read(FLAGS).split")},
        "",
    ),
    "a cluster that is changed": (
        {"server": ARGUMENTS.replace("tf.train.Server", "jobs = {}\ntf.train.Server")},
        "",
    ),
}


@pytest.mark.parametrize("name", NEAR)
def test_another_cluster_is_not_taken(name: str, tmp_path: pathlib.Path) -> None:
    files, said = NEAR[name]
    text, findings = migrated(tmp_path, client=CLIENT, **files)
    (told,) = refused(findings)
    assert told.code == "C131" and said in told.reason
    assert "connect_to_cluster" not in text
