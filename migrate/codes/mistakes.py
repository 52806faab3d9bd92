"""Codes D1xx: mistakes that are no matter of versions."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "D101",
        "hosts in one string",
        "ClusterSpec takes a list of addresses. A string raises TypeError; a list of one "
        "string with commas is a job of one task, whose address nobody answers.",
        'tf.train.ClusterSpec({"ps": FLAGS.ps_hosts})',
        'tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(",")})',
    ),
    Code(
        "D102",
        "logits behind a softmax",
        "The loss applies a softmax, and the model's last layer has one already: of "
        "probabilities it is nearly flat, and the model learns slowly.",
        "SparseCategoricalCrossentropy(from_logits=True)",
        "SparseCategoricalCrossentropy(from_logits=False)",
    ),
    Code(
        "D103",
        "logits taken for probabilities",
        "The model's last layer has no activation, and the loss takes what it gives for "
        "probabilities: it is cut off at 0 and 1, and the model hardly learns.",
        "SparseCategoricalCrossentropy()",
        "SparseCategoricalCrossentropy(from_logits=True)",
    ),
    Code(
        "D104",
        "mean of a replica's part",
        "The gradients of replicas are added up. The mean over a replica's part of the "
        "batch makes every step as many times too large as there are replicas.",
        "loss = tf.reduce_mean(per_example_loss)",
        "loss = tf.nn.compute_average_loss(per_example_loss)",
        refused_when="the loss is not of a Keras loss object without reduction.",
    ),
    Code(
        "D106",
        "a dataset that is not distributed",
        "strategy.run gives every replica the same arguments: each computes the whole "
        "batch, N replicas do the work of one N times.",
        "for batch in dataset:\n    strategy.run(step, args=(batch,))",
        "for batch in strategy.experimental_distribute_dataset(dataset):\n"
        "    strategy.run(step, args=(batch,))",
    ),
    Code(
        "D108",
        "experimental_run_v2",
        "Strategy.run since TensorFlow 2.2; the old name is gone.",
        "strategy.experimental_run_v2(step, args=(batch,))",
        "strategy.run(step, args=(batch,))",
    ),
    Code(
        "D109",
        "CollectiveCommunication",
        "CommunicationImplementation since TensorFlow 2.4, in CommunicationOptions.",
        "MultiWorkerMirroredStrategy(CollectiveCommunication.RING)",
        "MultiWorkerMirroredStrategy(communication_options=CommunicationOptions(\n"
        "    implementation=CommunicationImplementation.RING))",
    ),
    Code(
        "D110",
        "the older ParameterServerStrategy",
        "Since TensorFlow 2.4 the name is another class's, with a coordinator that has "
        "to know the cluster.",
    ),
    Code(
        "D111",
        "a wrong test for the chief",
        "There is one chief, the worker of index 0. Where every worker is, each restores "
        "and saves; where none is, all wait for ever.",
        'is_chief=(FLAGS.job_name == "worker")',
        "is_chief=(FLAGS.task_index == 0)",
    ),
    Code(
        "D112",
        "initial values by every worker",
        "A plain session's run(init) in every worker: each that began undid what the "
        "others had trained. Variables have their initial values once now.",
    ),
    Code(
        "D113",
        "eager code in a session",
        "A GradientTape within a MonitoredTrainingSession or tf.Session: a program "
        "migrated by half. The tape trains in this process alone; the session has no "
        "graph to run and fails to start. The cluster is meant for a strategy: with "
        "parameter servers ParameterServerStrategy, of workers alone "
        "MultiWorkerMirroredStrategy.",
    ),
)
