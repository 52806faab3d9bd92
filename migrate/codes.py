"""What each finding code means; `tf1to2 rule CODE` prints it."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Code:
    """One code.

    Attributes:
      id: one letter and three digits.
      title: a few words.
      explanation: what it means, for who meets it in a report.
      before, after: an example, where there is one.
      promise: what is the same after the rewrite, and what may not be.
      refused_when: what the rule does not take, and leaves.
    """

    id: str
    title: str
    explanation: str
    before: str = ""
    after: str = ""
    promise: str = ""
    refused_when: str = ""


FAMILIES = {
    "C": "cluster and server",
    "E": "files that cannot be read or written",
    "G": "gates: a result that was not written",
    "H": "hooks",
    "I": "input",
    "L": "layers and losses",
    "M": "summaries and metrics",
    "N": "programs not covered yet",
    "O": "optimizers and synchronisation",
    "P": "partitioners and embeddings",
    "S": "sessions and step functions",
    "T": "other symbols",
    "V": "variables and checkpoints",
}

_ROWS = (
    Code(
        "E001",
        "cannot be read",
        "The path does not exist, may not be read, or is no regular file. All other "
        "files are done.",
    ),
    Code(
        "E002",
        "unknown encoding",
        "The bytes are not in the encoding that the file's coding line (PEP 263) names, "
        "or UTF-8 without one; or the result would not fit it. The finding names the "
        "first byte that is wrong. Save the file as UTF-8, or correct its coding line.",
        promise="The file is left as it is, byte for byte.",
    ),
    Code(
        "E003",
        "syntax error",
        "The file is not valid Python 3, or a notebook is not valid JSON. In a notebook "
        "every code cell has to be valid by itself.",
        promise="The file is left as it is, byte for byte.",
    ),
    Code(
        "E004",
        "Python 2",
        "The file is Python 2. Bring it to Python 3 first, for instance with "
        "python-modernize, futurize or 2to3; then migrate it.",
        before='print "loss", loss',
        after='print("loss", loss)',
        promise="The file is left as it is, byte for byte.",
    ),
    Code(
        "E005",
        "too deep",
        "The file is nested more deeply, or is larger, than can be analysed. Generated "
        "code can be like that: leave it out with --exclude, or put its data into a file.",
        promise="The file is left as it is, byte for byte.",
    ),
    Code(
        "E006",
        "cannot be written",
        "The file or its directory is read-only, the disk is full, or the file was "
        "changed while tf1to2 ran.",
        promise="The file is as it was: a result replaces it whole or not at all.",
    ),
    Code(
        "E007",
        "TensorFlow 1 in a magic",
        "A notebook's magic or shell line installs or selects TensorFlow 1, or is another "
        "file's source (%%writefile). Only IPython sees it, so it is not migrated. Change "
        "or delete it.",
        before="%tensorflow_version 1.x\n!pip install tensorflow==1.15",
        after="!pip install tensorflow tf-keras",
    ),
    Code(
        "G001",
        "does not compile",
        "A gate: the result would not compile. Please report it.",
        promise="The file is left as it is.",
    ),
    Code(
        "G002",
        "unbound name",
        "A gate: the result would use a name that nothing binds. Please report it.",
        promise="The file is left as it is.",
    ),
    Code(
        "G003",
        "missing symbol",
        "A gate: the result would use a TensorFlow name that does not exist.",
        promise="The file is left as it is.",
    ),
    Code(
        "G004",
        "not stable",
        "A gate: migrating the result again would change it. Please report it.",
        promise="The file is left as it is.",
    ),
    Code(
        "G005",
        "cells joined",
        "A notebook's program spans cells in a way that cannot be cut into cells again. "
        "Put the program into one cell.",
        promise="The notebook is left as it is.",
    ),
    Code(
        "G006",
        "name taken",
        "A module of yours, beside the program, has the name of one that the result "
        "imports. Rename yours.",
        promise="Neither file is touched.",
    ),
    Code(
        "G009",
        "internal error",
        "The tool failed on this file. Please report it.",
        promise="The file is left as it is; all others are done.",
    ),
    Code("C110", "server", "tf.train.Server is tf.distribute.Server. It gets threads enough to serve and to compute at once: worker 0's process is also the coordinator.", 'server = tf.train.Server(cluster, job_name="worker", task_index=0)', 'server = tf.distribute.Server(\n    cluster, job_name="worker", task_index=0,\n    config=training_session.server_config())'),
    Code("C111", "device setter", "replica_device_setter goes: ParameterServerStrategy places variables on parameter servers round robin, as the setter did; MultiWorkerMirroredStrategy keeps a copy on each worker.", "with tf.device(tf.train.replica_device_setter(cluster=cluster)):\n  w = tf.Variable(0.)", "with strategy.scope(), replicas.recording():\n  w = tf.Variable(0.)"),
    Code("C112", "session configuration", "A ConfigProto given to the server is kept; one given only to the session is dropped: TF2 configures devices per process and places softly by default."),
    Code("C113", "load balancing", "GreedyLoadBalancingStrategy has no equal in TF2. Variables are placed round robin, which changes where they live, not what they compute. Give the strategy a partitioner to balance bytes."),
    Code("C106", "task index in a helper", "In asynchronous training one coordinator runs the loop of every worker, so a helper that reads FLAGS.task_index itself would always see the coordinator's. Pass the index as an argument."),
    Code("S115", "session", "MonitoredTrainingSession's services (restore, save, hooks, summaries, stop) are in the emitted training_session module, with TF 1.15's defaults and triggers. `master`, `config` and grace periods have no meaning and are dropped."),
    Code("S116", "placeholder", "A placeholder is a parameter of each step function that is fed with it; dtype and shape become its tf.TensorSpec.", "x = tf.placeholder(tf.float32, [None, 784])", "@replicas.step_function(tf.TensorSpec([None, 784], tf.float32))\ndef train_step(x): ..."),
    Code("S114", "never fetched", "TF1 computes only what a run call needs. What none needs is dropped."),
    Code("O101", "optimizer", "tf.compat.v1.train optimizers are TF1's own kernels: equal numerics for dense and sparse gradients, and TF1's slot names in checkpoints."),
    Code("O111", "SyncReplicasOptimizer", "Every worker runs the program under MultiWorkerMirroredStrategy; gradients are averaged over all workers in every step. If replicas_to_aggregate is not the number of workers the program stops with an error, because TF2 has no equal. Sparse gradients are averaged over all workers; TF1 averaged each row over the workers that touched it."),
    Code("P102", "partition axis", "TF2 shards variables on axis 0 only."),
    Code("P110", "partitioner", "The partitioner's counterpart is given to the strategy for just the variables that had one. Promises the same number of shards; does not promise placement."),
    Code("P111", "embedding lookup", "TF1's default partition_strategy on a partitioned table is \"mod\"; TF2 lays shards out as \"div\". Rows are looked up where \"mod\" kept them.", "tf.nn.embedding_lookup(table, ids)", "tf.nn.embedding_lookup(table, training_session.mod_rows(ids, table))"),
    Code("N100", "part of a refused program", "A program that cannot be migrated whole is left as it is: half of it would not run. The other finding in the file says why."),
    Code("N101", "not one training session", "Exactly one MonitoredTrainingSession per file is understood."),
    Code("N107", "update in a helper", "The optimizer's minimize or apply_gradients stands in a helper function. Move it to where the session is opened."),
    Code("N120", "Supervisor", "Programs around tf.train.Supervisor are not covered yet."),
    Code("N122", "Estimator", "Estimators are not covered yet. TensorFlow 2.16 and later do not have them."),
    Code("T101", "kept", "The symbol means the same in TF2."),
    Code("T102", "moved", "The same function under the name that TF2 has it."),
    Code("T104", "same with these arguments", "TF2's function of this name takes these arguments with the same meaning; renamed ones are passed by their new names.", "tf.reduce_sum(x, reduction_indices=1, keep_dims=True)", "tf.reduce_sum(x, axis=1, keepdims=True)"),
    Code("T110", "contrib", "tf.contrib does not exist in TF2 and this function has no certain home."),
    Code("L103", "dropout", "TF2's tf.nn.dropout takes the rate that is dropped, TF1's second argument was what is kept.", "tf.nn.dropout(x, keep_prob)", "tf.nn.dropout(x, rate=1 - keep_prob)"),
    Code("L104", "layer", "tf.layers functions are Keras 2 layers (tf_keras) made once under the strategy's scope and called in the step function. Same initial distributions, same variable names.", 'h = tf.layers.dense(x, 10, name="h")', 'h = tf_keras.layers.Dense(units=10, name="h")\n...\nh = h(x)'),
    Code("M110", "summary", "Summaries are collected while a step is traced and written by the chief, in TF1's event format."),
)
CODES: dict[str, Code] = {row.id: row for row in _ROWS}
