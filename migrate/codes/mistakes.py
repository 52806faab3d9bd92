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
        "batch, or a sum divided by the part's size, makes every step as many times too "
        "large as there are replicas. A sum of losses per example that nothing divides is "
        "told, and left.",
        "loss = tf.reduce_mean(per_example_loss)",
        "loss = tf.nn.compute_average_loss(per_example_loss)",
        refused_when="the strategy is not seen where the loss is, or what the replicas "
        "return is averaged elsewhere.",
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
        "with tf.compat.v1.train.MonitoredTrainingSession(master=server.target) as sess:\n"
        "    for x, y in dataset:\n        sess.run(train_step(x, y))",
        "def run_worker(task_index):\n"
        "    with training_session.MonitoredTrainingSession(replicas) as sess:\n"
        "        for x, y in dataset:\n"
        "            sess.run(distributed_step, x, y)\n\nreplicas.run(run_worker)",
    ),
    Code(
        "D120",
        "graph and eager code",
        "Placeholders or variables of a graph in a program that trains with a "
        "GradientTape: it is not seen which of the two is meant.",
    ),
    Code(
        "D121",
        "the session around eager code",
        "There is more than one session, it has no block of its own, or it has hooks or "
        "arguments that need a graph.",
    ),
    Code(
        "D149",
        "a session around nothing",
        "A session distributes the graph that is run in it. One with nothing in it "
        "distributes nothing: the eager loop beside it trains in each process for itself. "
        "The session goes; the strategy that the cluster describes trains one model.",
        "with tf.train.MonitoredTrainingSession(master='grpc://'):\n    pass",
        "strategy = tf.distribute.ParameterServerStrategy(...)",
    ),
    Code(
        "D150",
        "Keras's own training in a session",
        "train_on_batch and fit_generator train in the process that calls them, and "
        "parameter servers have no equal. One train_on_batch in a loop, of a model whose "
        "compile is seen, becomes a step with a tape; other metrics than an accuracy or "
        "those by name, weights of examples and fit_generator do not. Of a model that is trained by fit, what is not "
        "known to work with a strategy.",
    ),
    Code(
        "D153",
        "Keras's fit on a cluster",
        "Every process fitted a model of its own, whatever session was open around it. The "
        "cluster says what was meant: with parameter servers shared weights, and as many "
        "steps in an epoch as the fits of all workers had; of workers alone one fit, each "
        "with its part of every batch. Models are evaluated and saved by a copy of theirs "
        "in the first task.",
        'model.compile("adam", "mse")\nmodel.fit(x, y, epochs=5)',
        "with strategy.scope():\n"
        '    model.compile("adam", "mse")\nfits.fit(model, x, y, epochs=5)',
    ),
    Code(
        "D154",
        "parts that are not even",
        "Keras takes the mean of each worker's part of a batch, and of these means: parts "
        "of different sizes count alike.",
    ),
    Code(
        "D159",
        "the task from TF_CONFIG",
        "The program describes a cluster and does not say which of its tasks a process is. "
        "TF_CONFIG says it, as for any program of TensorFlow 2; a cluster in it stands for "
        "the program's own.",
    ),
    Code(
        "D160",
        "batches of every worker",
        "Workers that make each step together take the batches that their own loops take. "
        "A step is the mean over those of all workers: of the same batches what one "
        "process computes. A dataset is dealt out by the strategy.",
    ),
    Code(
        "D166",
        "a checkpoint that all workers saved",
        "Every worker's process saved to one place. The first one does, of the weights that "
        "all share; in the others `chief_saves` gives None.",
        "manager.save()",
        "replicas.chief_saves(manager.save)",
    ),
    Code(
        "D122",
        "the cluster around eager code",
        "The jobs of the ClusterSpec, the server, this task's place, or the tasks that "
        "only serve are not seen in the program.",
    ),
    Code(
        "D123",
        "a client that cannot tell its task",
        "Without a server of its own the program is one client of parameter servers. Of "
        "workers alone each has to know its index.",
    ),
    Code(
        "D124",
        "the model around eager code",
        "The model is not made beside the session, or on devices given by hand.",
    ),
    Code(
        "D125",
        "the step of eager code",
        "A step is a tape, its gradient, apply_gradients and what they need, chosen by "
        "flags at most. What else it does - control flow by values, prints and counts in a "
        "function - would be done once, when it is traced; and what the loop counts would be "
        "what it was then. In a loop that has the tape itself such statements stay in it.",
    ),
    Code(
        "D155",
        "a compiled Keras model as an Estimator",
        "keras_model_estimator.py, written beside the program, trains, evaluates, asks and "
        "exports copies of the model, with TF1's names of variables, slots, metrics and "
        "signatures, and continues TF1's checkpoints. The first training begins with the "
        "model's own weights; what an initializer draws by a seed is not what TF1 drew. "
        "Workers without parameter servers are joined when it is imported.",
        "tf.keras.estimator.model_to_estimator(keras_model=model)",
        "keras_model_estimator.model_to_estimator(keras_model=model)",
    ),
    Code(
        "D156",
        "Keras in a graph's session",
        "A Keras model or layer is made once, under the strategy's scope, and called in the "
        "step functions, where its variables are trained with the others. What it does by "
        "a graph or a session of Keras's own - a model that is compiled, functions of the "
        "backend, Keras's optimizers - has no place beside the program's session.",
        "model = tf.keras.Sequential([...])\nloss = tf.losses.mean_squared_error(y, "
        "model(x))",
        "model = tf_keras.Sequential([...])\n...\ndef train_step(x, y):\n    loss = "
        "tf.compat.v1.losses.mean_squared_error(y, model(x))",
    ),
    Code(
        "D157",
        "Keras layers with updates",
        "Layers whose variables change in a call, which TF1 did in runs of `model.updates` "
        "alone; recurrent layers, and penalties on what a layer gives.",
    ),
    Code(
        "D158",
        "the package keras in a graph's session",
        "With TensorFlow 1 it built the same graph as tf.keras, from the same kernels; "
        "what is installed under its name now is Keras 3, which would make its variables "
        "apart from the program's. Names of layers that have none began at 1 in it and "
        "begin at 0 in TensorFlow's, so old checkpoints are read where layers are named.",
        "import keras",
        "import tf_keras",
    ),
    Code(
        "D152",
        "what a step prints",
        "A step is made by any worker: tf.print is seen there, of workers alone by each of "
        "them for its part. What Python prints in a traced function it prints once.",
    ),
    Code(
        "D126",
        "the optimizer of eager code",
        "The optimizer is not seen to be one of Keras.",
    ),
    Code(
        "D127",
        "metrics of eager code",
        "A metric that is not made where the session is opened, is passed on, read in "
        "the step, used in another traced function; or, of workers alone, one that counts "
        "what their parts of a batch do not add up to.",
    ),
    Code(
        "D151",
        "a metric of a step",
        "With parameter servers its variables are on them, for each worker's loop its own: "
        "a process did not count, or reset, what another had counted. Of workers alone it "
        "counts the parts of all, and every one of them reads the whole batch's value.",
        "accuracy = tf.keras.metrics.SparseCategoricalAccuracy()",
        "accuracy = replicas.metric(lambda: tf_keras.metrics.SparseCategoricalAccuracy())",
    ),
    Code(
        "D128",
        "tensors before the strategy",
        "Collectives have to be set up before the first tensor is computed.",
    ),
    Code(
        "D129",
        "the data of eager code",
        "The loop is seen neither to iterate a tf.data.Dataset nor to cut its batches out of "
        "arrays that were there before the session: `x[i:i + 32]`, `x[order[i:i + 32]]`.",
    ),
    Code(
        "D130",
        "a loss or a result of parts",
        "Workers alone have a part of each batch. Of a mean or a sum over the examples "
        "the parts make up the whole; of another loss they do not, and neither do other "
        "results of the step.",
    ),
    Code(
        "D131",
        "a loss object that takes the mean",
        "Keras does not let its losses take the mean where a strategy runs the step: they "
        "give a value per example, and the mean is taken where they are called.",
        "loss_fn = tf.keras.losses.MeanSquaredError()\nloss = loss_fn(y, model(x))",
        'loss_fn = tf_keras.losses.MeanSquaredError(reduction="none")\n'
        "loss = tf.reduce_mean(loss_fn(y, model(x)))",
    ),
    Code(
        "D132",
        "a distributed step",
        "A step of eager code is what each replica runs. With parameter servers every "
        "worker's loop makes its own steps, as its process would have; workers alone make "
        "every step together, each with a part of the batch, and the update is that of "
        "one process with the whole batch.",
    ),
    Code(
        "D133",
        "a worker's own, in eager code",
        "The loops of all workers run in one process: what each process had for itself is "
        "made where its loop begins; numpy's and Python's own generators are each worker's. "
        "Globals, and what is used before, cannot be.",
    ),
    Code(
        "D134",
        "a loop that nothing ends",
        "`while not sess.should_stop()` in a session that has no hook which would stop "
        "it. The migrated loop does not end either.",
    ),
    Code(
        "D135",
        "workers that shuffle otherwise",
        "The parts of a batch are dealt out by each worker itself, from its own copy of the "
        "dataset. Without a seed the copies are in different orders: a step's parts are "
        "then of different batches, and an epoch is not one pass over the data.",
    ),
    Code(
        "D136",
        "make_dataset_iterator",
        "The iterator of TensorFlow 1's strategies. TensorFlow 2 iterates the distributed "
        "dataset; where the program initialises the iterator it is told.",
        "batches = strategy.make_dataset_iterator(dataset)",
        "batches = iter(strategy.experimental_distribute_dataset(dataset))",
    ),
    Code(
        "D137",
        "a Keras model as an Estimator",
        "model_to_estimator needs Estimators, which TensorFlow 2.16 and later do not have; "
        "the name is still there and raises. Keras trains under a strategy by itself.",
    ),
    Code(
        "D140",
        "MirroredStrategy taken for asynchronous",
        "MirroredStrategy and MultiWorkerMirroredStrategy are synchronous: in every step "
        "the replicas wait for each other, and the mean of their gradients is applied "
        "once. Asynchronous means that each worker applies its own gradients to "
        "variables on parameter servers and waits for nobody; they were computed from "
        "values that others may have changed since. That is ParameterServerStrategy "
        "with a ClusterCoordinator, which `--strategy parameter-server` writes for a "
        "TensorFlow 1 session program. Found in comments, strings and names: the program "
        "runs as it did, and is told. Refused where a cluster with parameter servers is "
        "given to MirroredStrategy.",
    ),
    Code(
        "D141",
        "a training step outside strategy.run",
        "Called directly, the step trains one replica; the variables' copies on the "
        "others keep their initial values.",
        "for x, y in dataset:\n    loss = train_step(x, y)",
        "for x, y in strategy.experimental_distribute_dataset(dataset):\n"
        '    loss = strategy.reduce("SUM", strategy.run(train_step, args=(x, y)), axis=None)',
        refused_when="the arguments are not a dataset's, the loss is not seen to be divided "
        "by the whole batch, or what is returned and used is not the loss.",
    ),
    Code(
        "D142",
        "a batch unpacked wrongly",
        "strategy.run passes `args` on as it stands: `args=(batch,)` is one argument, "
        "`args=batch` the batch's parts, `args=(batch)` no tuple at all.",
        "strategy.run(train_step, args=(batch,))  # of train_step(x, y)",
        "strategy.run(train_step, args=batch)",
        refused_when="what the dataset's elements are made of is not seen.",
    ),
    Code(
        "D143",
        "one seed shuffles every worker's data",
        "All workers read the same records in the same order: N workers see what one "
        "sees, N times. A TensorFlow 1 program is migrated as it is, and told; the seed "
        "in a dataset function of TensorFlow 2 is mended.",
        "dataset.shuffle(1000, seed=7)",
        "dataset.shuffle(1000, seed=7 + context.input_pipeline_id)",
        refused_when="the dataset function has no InputContext.",
    ),
    Code(
        "D144",
        "a session without a server",
        "Without `master`, MonitoredTrainingSession runs in its own process: under a "
        "device setter it finds no parameter server; without one the chief trains alone, "
        "and the other workers wait for a chief of their own for ever. Where the program starts a server, the migrated session is its "
        "cluster's.",
        "tf.train.MonitoredTrainingSession(is_chief=is_chief)",
        "training_session.MonitoredTrainingSession(replicas, is_chief=is_chief)",
        refused_when="the program starts no server.",
    ),
    Code(
        "D145",
        "more gradients than workers",
        "With replicas_to_aggregate above the number of workers, TensorFlow 1 took several "
        "gradients of each for one update: the global step counts as many batches more. "
        "tf.distribute averages over all workers; the migrated program stops with an "
        "error where the number is another.",
    ),
    Code(
        "D146",
        "a task that a strategy waits for",
        "ParameterServerStrategy waits until every task of the cluster has answered, and "
        "an evaluator is none of its tasks; MultiWorkerMirroredStrategy waits for "
        "parameter servers in the same way. Both wait for ever.",
        '{"ps": ps, "worker": workers, "evaluator": evaluators}',
        '{"ps": ps, "worker": workers}',
        refused_when="the program says that it is such a task itself.",
    ),
    Code(
        "D147",
        "the global step taken for the worker's own",
        "It counts the steps of all workers: what one chooses by it, such as the batch "
        "`data[step]`, has gaps. Migrated as it is, and told.",
    ),
    Code(
        "D148",
        "Keras 3 in strategy.run",
        "An optimizer makes its variables in its first step. Keras 3's cannot under "
        'strategy.run: TensorFlow 2.21 stops with "You must feed a value for placeholder '
        "tensor\". Where a step becomes the strategy's, the module's Keras becomes "
        "tf_keras, which is Keras 2.",
        "optimizer = tf.keras.optimizers.Adam()",
        "optimizer = tf_keras.optimizers.Adam()",
    ),
)
