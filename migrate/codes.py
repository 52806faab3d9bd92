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
    "D": "mistakes that are no matter of versions",
    "E": "files that cannot be read or written (E0), and Estimators (E1)",
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
        "D113",
        "eager code in a session",
        "A GradientTape within a MonitoredTrainingSession or tf.Session: a program "
        "migrated by half. The tape trains in this process alone; the session has no "
        "graph to run and fails to start. The cluster is meant for a strategy: with "
        "parameter servers ParameterServerStrategy, of workers alone "
        "MultiWorkerMirroredStrategy.",
    ),
    Code(
        "D112",
        "initial values by every worker",
        "A plain session's run(init) in every worker: each that began undid what the "
        "others had trained. Variables have their initial values once now.",
    ),
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
        "The file is Python 2. With --python2 it is brought to Python 3 first, and then "
        "migrated; or do so yourself, for instance with python-modernize.",
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
        "A notebook's magic or shell line installs or selects TensorFlow 1 in a way that is "
        "not read (conda, a wheel's address), or in a notebook of which something else is "
        "refused; or a cell is another program's source. Only IPython sees it, so it is "
        "not migrated. Change or delete it.",
        before="!conda install tensorflow=1.15",
        after="!conda install tensorflow tf-keras",
    ),
    Code(
        "E008",
        "TensorFlow 2 is installed",
        "A notebook's line that installed or selected TensorFlow 1 installs the versions "
        "that the migrated notebook runs on, and TensorFlow's own companions (estimator, "
        "tensorboard) come with them. What else the line installs stays: versions that were "
        "chosen for TensorFlow 1 may have to change.",
        before="%tensorflow_version 1.x",
        after='%pip install -q "tensorflow>=2.15,<2.22" "tf-keras>=2.15,<2.22"',
        refused_when="Something in the notebook is refused: it is TensorFlow 1's then.",
    ),
    Code(
        "E010",
        "brought to Python 3",
        "With --python2 a Python 2 source becomes Python 3 before it is migrated, by the "
        "fixers of fissix (the maintained lib2to3). `--diff` shows the two steps apart.",
        before="for k, v in d.iteritems(): print k",
        after="for k, v in d.items(): print(k)",
        promise="What lib2to3's fixers promise. Where both sides of a division are seen to "
        "be integers, it floors as before. Text and bytes are left as they are written: "
        "Python 3 tells them apart.",
        refused_when="a division cannot be told (E009).",
    ),
    Code(
        "E009",
        "division",
        "Python 2's `/` floored for two integers. Here it cannot be seen what is divided: "
        "nothing says that it is an integer, or that one side is a float. The slash is "
        "left, and each such line is reported once.",
        before="steps = FLAGS.examples / FLAGS.batch",
        after="steps = FLAGS.examples // FLAGS.batch",
        refused_when="neither side is seen to be an integer or a float.",
    ),
    Code(
        "E101",
        "Estimator",
        "The name of tf.estimator, or the hook of tf.train, is one of the emitted module "
        "`estimator_loop`, which trains, evaluates, predicts and exports as TF1 did: the "
        "same steps, checkpoints, summaries and arguments. The strategy is chosen at run "
        "time from the TF_CONFIG that TF1 read.",
        "estimator = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig())",
        "estimator = estimator_loop.Estimator(model_fn, config=estimator_loop.RunConfig())",
        promise="The same losses, metrics and predictions from the same checkpoint; an old "
        "model_dir is continued, and TF1 can read what is saved.",
    ),
    Code(
        "E102",
        "builds the graph of a model_fn",
        "A model_fn, what it calls, and hooks still build a graph: TensorFlow traces them. "
        "TF1 functions that need a graph keep their meaning there under tf.compat.v1.",
        'w = tf.get_variable("w", [2, 3])',
        'w = tf.compat.v1.get_variable("w", [2, 3])',
    ),
    Code(
        "E103",
        "layer of a model_fn",
        "tf.layers as Keras 2 keeps them: same names, collections and defaults. The "
        "emitted module imports them from tf_keras.",
        "net = tf.layers.dense(net, 10)",
        "net = estimator_loop.layers.dense(net, 10)",
    ),
    Code(
        "E104",
        "iterator of an input_fn",
        "An input_fn that takes a batch from an iterator is run as a function of the "
        "dataset's elements; what it does with the batch becomes a map of the dataset.",
        "features, labels = dataset.make_one_shot_iterator().get_next()",
        "features, labels = estimator_loop.one_shot_iterator(dataset).get_next()",
    ),
    Code(
        "E105",
        "dimension of a shape",
        "An item of a shape was a Dimension with a value; in TF2 it is that value.",
        "width = x.get_shape()[1].value",
        "width = x.get_shape()[1]",
    ),
    Code(
        "E106",
        "streaming metric",
        "tf.metrics, in the graph of a model_fn, with TF1's totals. In evaluation the same. "
        "In training TF1 updated it only in the steps whose summary was written, as it ran "
        "nothing that nobody had asked for; here every batch is counted.",
        "accuracy = tf.metrics.accuracy(labels, classes)",
        "accuracy = tf.compat.v1.metrics.accuracy(labels, classes)",
    ),
    Code(
        "E107",
        "ready-made Estimator",
        "A linear model, a network, or both, of the emitted module `canned_estimators`, with "
        "TF1's defaults: the loss of a batch is the sum over its examples, Ftrl trains the "
        "linear part and Adagrad the network, at TF1's learning rates. (TensorFlow 2's own "
        "ready-made Estimators took the mean.)",
        "model = tf.estimator.LinearClassifier(columns)",
        "model = canned_estimators.LinearClassifier(columns)",
        promise="The same losses, metrics, predictions and signatures from the same "
        "checkpoint; variables and slots keep their names, so an old model_dir is continued.",
    ),
    Code(
        "E110",
        "boosted trees",
        "TensorFlow 2.16 and later have no ready-made Estimators, and of boosted trees this "
        "version writes none.",
    ),
    Code(
        "E111",
        "TPU",
        "A TPUEstimator becomes one of the emitted module, which works as TF1's did with "
        "use_tpu=False and stops with an error otherwise. Other TPU functions, and "
        "host_call, are not covered.",
    ),
    Code(
        "E112",
        "contrib.learn",
        "contrib.learn's Estimators and Experiments are older than tf.estimator.",
    ),
    Code(
        "E113",
        "averages that never moved",
        "In TF1 batch normalisation updated its moving averages only where the training "
        "operation depended on tf.GraphKeys.UPDATE_OPS. Here nothing does; evaluation used "
        "the initial averages, which TensorFlow 2 would not reproduce.",
    ),
    Code(
        "E114",
        "fed input",
        "A placeholder where no serving input is made. An input_fn runs once, and nothing "
        "feeds it.",
    ),
    Code(
        "E115",
        "synchronous Estimator",
        "SyncReplicasOptimizer in a model_fn.",
    ),
    Code(
        "E116",
        "ready-made Estimator of TensorFlow 2",
        "TensorFlow 2 gave tf.estimator's ready-made models another meaning under the same "
        "name: their loss is the mean over a batch, and Keras optimizers train them. The "
        "program uses what only TensorFlow 2 has.",
    ),
    Code(
        "E117",
        "part of tf.estimator",
        "This part of tf.estimator is not covered yet.",
    ),
    Code(
        "E118",
        "hook that runs its session",
        "A hook of the program's own calls `session.run`. Training has step functions here, "
        "and no session: a hook sees what its before_run asks for in "
        "tf.train.SessionRunArgs, once in every step, or what it keeps itself.",
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
        "A notebook's program spans cells in a way that cannot be cut into cells again: a "
        "magic would move, or a cell could not be run by itself. "
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
    Code(
        "C110",
        "server",
        "tf.train.Server is tf.distribute.Server. It gets threads enough to serve and to compute at once: worker 0's process is also the coordinator.",
        'server = tf.train.Server(cluster, job_name="worker", task_index=0)',
        'server = tf.distribute.Server(\n    cluster, job_name="worker", task_index=0,\n    config=training_session.server_config())',
    ),
    Code(
        "C111",
        "device setter",
        "replica_device_setter goes: ParameterServerStrategy places variables on parameter servers round robin, as the setter did; MultiWorkerMirroredStrategy keeps a copy on each worker.",
        "with tf.device(tf.train.replica_device_setter(cluster=cluster)):\n  w = tf.Variable(0.)",
        "with strategy.scope(), replicas.recording():\n  w = tf.Variable(0.)",
    ),
    Code(
        "C112",
        "session configuration",
        "A ConfigProto given to the server is kept; one given only to the session is dropped: TF2 configures devices per process and places softly by default.",
    ),
    Code(
        "C113",
        "load balancing",
        "GreedyLoadBalancingStrategy has no equal in TF2. Variables are placed round robin, which changes where they live, not what they compute. Give the strategy a partitioner to balance bytes.",
    ),
    Code(
        "C106",
        "a worker's own",
        "In asynchronous training one coordinator runs the loop of every worker in a thread. What a TF1 worker, a process, had for itself, the migrated program makes once per worker: objects that the loop changes (readers, iterators, lists), the generators of `numpy.random` and `random`, and the task's index in functions that the loop calls.",
        "reader = Reader()",
        "reader = training_session.per_worker(lambda: Reader())",
    ),
    Code(
        "S115",
        "session",
        "MonitoredTrainingSession's services (restore, save, hooks, summaries, stop) are in the emitted training_session module, with TF 1.15's defaults and triggers. `master`, `config` and grace periods have no meaning and are dropped.",
    ),
    Code(
        "S116",
        "placeholder",
        "A placeholder is a parameter of each step function that is fed with it; dtype and shape become its tf.TensorSpec.",
        "x = tf.placeholder(tf.float32, [None, 784])",
        "@replicas.step_function(tf.TensorSpec([None, 784], tf.float32))\ndef train_step(x): ...",
    ),
    Code(
        "S114",
        "never fetched",
        "TF1 computes only what a run call needs. What none needs is dropped.",
    ),
    Code(
        "O101",
        "optimizer",
        "tf.compat.v1.train optimizers are TF1's own kernels: equal numerics for dense and sparse gradients, and TF1's slot names in checkpoints.",
    ),
    Code(
        "O105",
        "optimizer of tf.contrib.opt",
        "AdaMax, Nadam, LazyAdam, AdamW, MomentumW and LARS are in a module that is written beside the file: TF1's updates, dense and sparse, and TF1's slot names in checkpoints. Measured over 100 updates against TF 1.15.5: 0 in float64, at most 2.4e-7 in float32.",
        "opt = tf.contrib.opt.AdamWOptimizer(1e-4, learning_rate=0.01)",
        "opt = contrib_optimizers.AdamWOptimizer(1e-4, learning_rate=0.01)",
    ),
    Code(
        "O118",
        "optimizer made of an expression",
        "A learning rate (or another argument) that a step computes is given to the optimizer by its name.",
    ),
    Code(
        "S135",
        "initialised in the loop",
        "Variables of TF2 are initialised when they are made, once. An initializer that the loop runs again has no counterpart.",
    ),
    Code(
        "S134",
        "fetches not written out",
        "What is fetched is a list or dict that is changed after it is written out, or put together from others where it is run: which of its parts are operations, which have no value, cannot be told.",
    ),
    Code(
        "O117",
        "gradients taken otherwise",
        "The gradients begin or stop elsewhere than at the loss and the variables, which a tape does not do by an argument.",
    ),
    Code(
        "O116",
        "update within an expression",
        "An update is a statement of a step function. One that is part of another expression, or one of several in a statement, cannot be placed.",
    ),
    Code(
        "O113",
        "decay_var_list of minimize",
        "TF 1.15's minimize forgets decay_var_list before it updates, so that all variables decay (measured). They do here too. Only apply_gradients uses the list.",
    ),
    Code(
        "O111",
        "SyncReplicasOptimizer",
        "Every worker runs the program under MultiWorkerMirroredStrategy; gradients are averaged over all workers in every step. If replicas_to_aggregate is not the number of workers the program stops with an error, because TF2 has no equal. Sparse gradients are averaged over all workers; TF1 averaged each row over the workers that touched it.",
    ),
    Code("P102", "partition axis", "TF2 shards variables on axis 0 only."),
    Code(
        "P110",
        "partitioner",
        "The partitioner's counterpart is given to the strategy for just the variables that had one. Promises the same number of shards; does not promise placement.",
    ),
    Code(
        "P111",
        "embedding lookup",
        'TF1\'s default partition_strategy on a partitioned table is "mod"; TF2 lays shards out as "div". Rows are looked up where "mod" kept them.',
        "tf.nn.embedding_lookup(table, ids)",
        "tf.nn.embedding_lookup(table, training_session.mod_rows(ids, table))",
    ),
    Code(
        "N100",
        "part of a refused program",
        "A program that cannot be migrated whole is left as it is: half of it would not run. The other finding in the file says why.",
    ),
    Code(
        "N101",
        "not one training session",
        "Exactly one MonitoredTrainingSession per file is understood.",
    ),
    Code(
        "N107",
        "update in a helper",
        "The optimizer's minimize or apply_gradients stands in a helper function. Move it to where the session is opened.",
    ),
    Code(
        "N120",
        "Supervisor",
        "Refused when the program uses of its Supervisor what a session has not: loop, summary_computed, saver, a summary_op or summary_writer of its own, init_fn.",
    ),
    Code(
        "N122",
        "Estimator",
        "An Estimator in the file of another training session: one program per file is "
        "migrated. Or contrib.learn's Experiment, which is older than train_and_evaluate.",
    ),
    Code("T101", "kept", "The symbol means the same in TF2."),
    Code("T102", "moved", "The same function under the name that TF2 has it."),
    Code(
        "T104",
        "same with these arguments",
        "TF2's function of this name takes these arguments with the same meaning; renamed ones are passed by their new names.",
        "tf.reduce_sum(x, reduction_indices=1, keep_dims=True)",
        "tf.reduce_sum(x, axis=1, keepdims=True)",
    ),
    Code(
        "T110",
        "contrib",
        "tf.contrib does not exist in TF2 and this function has no certain home.",
    ),
    Code(
        "L103",
        "dropout",
        "TF2's tf.nn.dropout takes the rate that is dropped, TF1's second argument was what is kept.",
        "tf.nn.dropout(x, keep_prob)",
        "tf.nn.dropout(x, rate=1 - keep_prob)",
    ),
    Code(
        "L107",
        "labels without gradient",
        "TF1's softmax_cross_entropy_with_logits sent no gradient into the labels; TF2's does, so they are passed through tf.stop_gradient.",
        "tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=z)",
        "tf.nn.softmax_cross_entropy_with_logits(labels=tf.stop_gradient(y), logits=z)",
    ),
    Code(
        "L104",
        "layer",
        "tf.layers functions are Keras 2 layers (tf_keras) made once under the strategy's scope and called in the step function. Same initial distributions, same variable names.",
        'h = tf.layers.dense(x, 10, name="h")',
        'h = tf_keras.layers.Dense(units=10, name="h")\n...\nh = h(x)',
    ),
    Code(
        "M110",
        "summary",
        "Summaries are collected while a step is traced and written by the chief, in TF1's event format.",
    ),
    Code(
        "C101",
        "one server",
        "A program is recognised by the one tf.train.Server it starts. None, or several, is not understood.",
    ),
    Code(
        "C102",
        "server elsewhere",
        "The server must be started in the function (or module) that opens the session.",
    ),
    Code(
        "C103",
        "server without a name",
        "The server must be kept in a variable, so that the tasks that only serve can be told.",
    ),
    Code(
        "C104",
        "incomplete server",
        "Cluster, job name and task index must all be given: worker 0 becomes the coordinator by them.",
    ),
    Code(
        "C105",
        "no join",
        "No task waits in server.join(), so it cannot be told which tasks are parameter servers.",
    ),
    Code(
        "C107",
        "step depends on the task",
        "The coordinator makes one step function for all workers; what it computes cannot depend on the task's index. Feed the value that differs.",
    ),
    Code(
        "C108",
        "loop asks for its job",
        "A cluster that may have a chief task runs the loops of chief and workers in one process, under one job name. Tell the chief by its index.",
    ),
    Code(
        "C109",
        "a worker's own",
        "The loop changes something that every TF1 worker had for itself and that cannot be made once per worker: a global it rebinds, an object made by more than one assignment, or one from which the graph's building has drawn too.",
    ),
    Code(
        "C114",
        "local device",
        "tf.device of a local device is kept in step functions; around variables the strategy places them.",
    ),
    Code(
        "C115",
        "placement by hand",
        "Operations or variables are placed on tasks by explicit device strings, which this version does not migrate.",
    ),
    Code(
        "C116",
        "a session beside the server",
        "tf.Session() computes in its own process, also where a server is started: every "
        "worker trains a model of its own. tf.Session(server.target) was meant, or no "
        "server.",
    ),
    Code(
        "C120",
        "server outside a program",
        "The server is not part of a program that this version reads.",
    ),
    Code(
        "C121",
        "device setter outside a program",
        "The device setter is not part of a program that this version reads.",
    ),
    Code(
        "H101",
        "hook arguments",
        "The hook's arguments could not be told apart (a star, or an unknown name).",
    ),
    Code(
        "H102",
        "tensor by name",
        "The hook names a tensor of the graph by a string. Give it the tensor.",
    ),
    Code(
        "H103",
        "tag not a string",
        "The tags of LoggingTensorHook must be string constants, as they become keys of observed values.",
    ),
    Code(
        "H104",
        "tensors not written out",
        "The hook's tensors must be written out as a dict, list or tuple.",
    ),
    Code(
        "H105",
        "hook outside a program",
        "The hook is not part of a program that this version reads.",
    ),
    Code(
        "H110",
        "hook",
        "The hook of the same name in the emitted module: same arguments, same triggers as TF 1.15. Tensors it watches are observed in the step function.",
    ),
    Code(
        "H120",
        "own hook",
        "A SessionRunHook of your own talks to the graph session. Derive it from training_session.Hook.",
    ),
    Code(
        "I101",
        "iterator without a dataset",
        "The iterator is not made from a dataset in sight.",
    ),
    Code(
        "I102",
        "unknown iterator",
        "get_next of an iterator that is not made where the graph is.",
    ),
    Code(
        "I103",
        "several iterators",
        "One step would draw from several iterators. Zip the datasets.",
    ),
    Code(
        "I105",
        "dataset of placeholders",
        "The dataset is made from placeholders. Give it the arrays.",
    ),
    Code(
        "I110",
        "MNIST reader",
        "TF2 has no MNIST reader. A module with the same functions is written beside the file: same batches in the same order for the same numpy seed.",
    ),
    Code(
        "I111",
        "iterator",
        "A Python iterator of the dataset; get_next still raises tf.errors.OutOfRangeError at the end.",
    ),
    Code(
        "I112",
        "another order of shuffled elements",
        "TensorFlow 1.15 executed shuffle(seed).repeat() as one operation, which ordered every epoch by another stream of random numbers than two do, and an initializer that ran again began the same order again. TF2 does neither: the elements of an epoch are the same, their order is another, although the seed is not.",
    ),
    Code(
        "I120",
        "queue runner",
        "TF2 has no queue runners. Read the data with tf.data.",
    ),
    Code(
        "L101",
        "layer arguments",
        "The layer's arguments could not be told apart.",
    ),
    Code(
        "L102",
        "regulariser",
        "Regularisers collect losses in the graph, which this version does not carry over. Add the penalty to the loss.",
    ),
    Code(
        "L105",
        "layer class",
        "tf.layers classes are Keras 2 layers of the same name.",
    ),
    Code(
        "L106",
        "update operations",
        "Keras layers update moving averages when called with training=True; there is nothing to run beside the training operation.",
    ),
    Code(
        "L120",
        "layer outside a program",
        "The layer is not part of a program that this version reads.",
    ),
    Code(
        "L121",
        "collected losses",
        "TF2 collects no losses. Add them up yourself.",
    ),
    Code(
        "M111",
        "summary writer",
        "training_session.SummaryWriter writes TF1's event files.",
    ),
    Code(
        "M120",
        "metrics",
        "tf.metrics keep their state in a graph's local variables. Use tf_keras.metrics.",
    ),
    Code(
        "M121",
        "summary outside a step",
        "The summary is not part of a program that this version reads.",
    ),
    Code(
        "N103",
        "branch on a tensor",
        "A Python branch on a step-time tensor: TF1 tested the graph node, never its value.",
    ),
    Code(
        "N104",
        "variables in a header",
        "Variables are created in the header of a statement.",
    ),
    Code(
        "N105",
        "collections",
        "TF2 keeps no graph collections.",
    ),
    Code(
        "N106",
        "placeholders from a helper",
        "A helper function makes placeholders for its caller.",
    ),
    Code(
        "N108",
        "call arguments",
        "A helper that creates variables is called in a way whose arguments cannot be told apart.",
    ),
    Code(
        "N109",
        "variables nested in a loop",
        "Variables are made in blocks inside a loop.",
    ),
    Code(
        "N110",
        "gradients in a loop",
        "Gradients are taken in a loop.",
    ),
    Code(
        "N111",
        "name taken",
        "The program uses a name that the migrated program needs. Rename it.",
    ),
    Code(
        "N115",
        "Python in the graph",
        "tf.py_func runs Python code where the graph was made. A step function is sent to a worker, which is another process.",
    ),
    Code(
        "N116",
        "taken in a step",
        "What next() or pop() gives was given once, when the graph was built. A step function, traced anew, would take the next.",
    ),
    Code(
        "N114",
        "decorated model function",
        "A function that makes variables and computes is split in two; what its decorator does to it as a whole would be lost.",
    ),
    Code(
        "L122",
        "layer not built yet",
        "A Keras layer makes its variables when it is first called, in a step function. Before, it has none to show.",
    ),
    Code(
        "L123",
        "averages that never moved",
        "TF1's batch normalisation moves its averages only by the operations in UPDATE_OPS, which this program never runs; Keras's moves them in every training call.",
    ),
    Code(
        "S136",
        "read after an update",
        "TF1 reads a variable once in a run, outside the tf.control_dependencies block: what is computed in the block has the value before the update. w.read_value() in the block has the one after it.",
    ),
    Code(
        "N113",
        "one name, several variables",
        "A name stands for different variables in a branch and outside it.",
    ),
    Code(
        "N121",
        "other sessions",
        "A MonitoredSession, or a creator of one, that is not read: it is passed on, or chosen in another way than by one condition.",
    ),
    Code(
        "N123",
        "slim",
        "contrib.slim is not covered yet. tf_slim has it for TF2.",
    ),
    Code(
        "N125",
        "towers that are not read",
        "Towers within the workers of a cluster, or whose number is only known within "
        "the graph. A strategy is made before the graph, of one device per worker.",
    ),
    Code(
        "N126",
        "a loop over towers",
        "What its reason says is not the same in replicas: variables and batches that "
        "each tower has for itself, summaries under a tower's name, batch "
        "normalisation, gradients that are not averaged.",
    ),
    Code(
        "N199",
        "conflicting rewrites",
        "Two rules claim one expression. Please report it.",
    ),
    Code(
        "O102",
        "several synchronisations",
        "More than one SyncReplicasOptimizer.",
    ),
    Code(
        "O103",
        "synchronous else",
        "SyncReplicasOptimizer stands in an else branch. Write the synchronous case as the if branch.",
    ),
    Code(
        "O104",
        "averaged variables",
        "SyncReplicasOptimizer with variable averages is not covered.",
    ),
    Code(
        "O106",
        "decided too late",
        "Whether training is synchronous is decided after the server starts; TF2 needs to know before.",
    ),
    Code(
        "O110",
        "optimizer without an equal",
        "No TF2 optimizer has these numerics.",
    ),
    Code(
        "O114",
        "sparse gradients in synchronous training",
        "Each row of a looked-up table's gradient is averaged over the workers whose batch "
        "has it. TF1's accumulator did that too, for ids that are sorted and distinct "
        "within a batch; of other ids it averaged some and added up the rest, by the order "
        "in which they came. To have in TF1 what the migration computes, look up "
        "tf.unique of the sorted ids.",
    ),
    Code(
        "O112",
        "tf.gradients",
        "tape.gradient of the same values.",
    ),
    Code(
        "O120",
        "moving averages",
        "ExponentialMovingAverage is not covered yet.",
    ),
    Code(
        "O121",
        "synchronisation outside a program",
        "SyncReplicasOptimizer is not part of a program that this version reads.",
    ),
    Code(
        "O122",
        "gradients outside a program",
        "Gradients of a graph. Use tf.GradientTape.",
    ),
    Code(
        "P101",
        "partitioner arguments",
        "The partitioner's arguments could not be told apart.",
    ),
    Code(
        "P103",
        "partition strategy",
        'The partition strategy of a lookup must be a constant: "mod" and "div" find different rows.',
    ),
    Code(
        "S101",
        "session statement",
        "The session must be opened by `with ... as name:`.",
    ),
    Code(
        "S102",
        "session in a block",
        "The session is opened inside a loop, try or other block.",
    ),
    Code(
        "S103",
        "nothing run",
        "Nothing is run in the session.",
    ),
    Code(
        "S104",
        "run call",
        "The call is not session.run(fetches, feed_dict).",
    ),
    Code(
        "S105",
        "nameless placeholder",
        "A placeholder must be bound to a name.",
    ),
    Code(
        "S106",
        "feed not written out",
        "The feed must be a dict display, or a name for one.",
    ),
    Code(
        "S107",
        "feed of a tensor",
        "The feed replaces a tensor that is not a placeholder.",
    ),
    Code(
        "S108",
        "run options",
        "Run options and metadata trace a graph session. Use tf.profiler.experimental.",
    ),
    Code(
        "S109",
        "unknown fetch",
        "What is fetched is not made by a statement of the program's graph in sight.",
    ),
    Code(
        "S111",
        "feed missing",
        "A placeholder the fetches need is not fed.",
    ),
    Code(
        "S112",
        "tensor in the loop",
        "The loop uses a tensor of the step outside run().",
    ),
    Code(
        "S113",
        "session arguments",
        "The session's arguments could not be told apart.",
    ),
    Code(
        "S117",
        "dropped",
        "Nothing is left of this statement: its work is done elsewhere, as the reason says.",
    ),
    Code(
        "S118",
        "default graph",
        "TF2 has no default graph to open or reset.",
    ),
    Code(
        "S119",
        "global step value",
        "tf.train.global_step is the variable's own value.",
    ),
    Code(
        "S120",
        "plain session",
        "Sessions do not exist in TF2, and nothing is run in this one that could be migrated.",
    ),
    Code(
        "S121",
        "placeholder outside a program",
        "The placeholder is not part of a program that this version reads.",
    ),
    Code(
        "S122",
        "initializer",
        "Variables are initialised when they are created.",
    ),
    Code(
        "S124",
        "scaffold",
        "Scaffold with init_fn or other arguments that run in a graph session.",
    ),
    Code(
        "S125",
        "scaffold",
        "training_session.Scaffold; initialisers need not be passed, variables are initialised when created.",
    ),
    Code(
        "S126",
        "name used twice",
        "The loop uses one name both for a variable and for a value of its own.",
    ),
    Code(
        "S130",
        "brought to the driver",
        "An object or a helper held what the session runs (placeholders, the loss, the "
        "training operation). Step functions need all of it in one place, so its body "
        "was brought to where the session is opened.",
    ),
    Code(
        "S132",
        "supervisor",
        "A Supervisor's session becomes training_session.MonitoredTrainingSession: it prepares, waits, restores and saves by time as a Supervisor did. It also writes a checkpoint when training ends, and logs the steps per second every 100 steps, not every two minutes.",
        "sv = tf.train.Supervisor(is_chief=is_chief, logdir=logdir)\nwith sv.managed_session(server.target) as sess:",
        "with training_session.MonitoredTrainingSession(\n    replicas, is_chief=is_chief, checkpoint_dir=logdir, save_checkpoint_secs=600) as sess:",
    ),
    Code(
        "S133",
        "random numbers in several steps",
        "An operation with a seed drew from one stream of random numbers, whichever run asked for it. Each step function is a graph of its own, so it draws from a stream of its own that begins at the same seed.",
    ),
    Code(
        "S137",
        "a session's own",
        "A tf.Session is used for more than run(): its graph, its lists of devices, a "
        "function that is given it. What is migrated has steps to run and no graph.",
    ),
    Code(
        "S138",
        "towers",
        "A loop built a tower per device, averaged their gradients by a function of its "
        "own and applied them once. Each tower is a replica of a MirroredStrategy: its "
        "number is the loop's index, its variables are shared, its gradients are "
        "averaged. The averaging function is told by what it computes, not by its name.",
        promise="What is fetched of a tower is the last tower's, as in TF1.",
        refused_when="towers make variables of their own, draw batches of their own, "
        "write summaries or normalise batches.",
    ),
    Code(
        "S131",
        "cells joined",
        "A step function needs all of the graph in one place, so the cells that a "
        "notebook's program spans become one; the others say where their code is.",
    ),
    Code(
        "T103",
        "contrib with a home",
        "The contrib function has an equal in TF2.",
    ),
    Code(
        "T105",
        "kept under compat.v1",
        "Code that imports tensorflow.compat.v1 and is no program of its own runs as it is.",
    ),
    Code(
        "T106",
        "behaviour switch",
        "Switching TF2 behaviour off is dropped: the program runs as TF2 does.",
    ),
    Code(
        "T107",
        "contrib, written beside",
        "The contrib class has no equal in TF2; a small module that behaves the same is written beside the file.",
        "hparams = tf.contrib.training.HParams(rate=0.1)",
        "import contrib_hparams\n...\nhparams = contrib_hparams.HParams(rate=0.1)",
    ),
    Code(
        "T108",
        "tf_slim",
        "The slim function is in the tf_slim package, which the migrated file imports: pip install tf_slim. Only what makes no variables: slim's layers fail or make new variables at every call when TF2 executes eagerly.",
        "slim.l2_regularizer(0.001)",
        "tf_slim.l2_regularizer(0.001)",
        refused_when="the symbol is a layer (N123).",
    ),
    Code(
        "T111",
        "not public",
        "The name is not public in TF2, or gone.",
    ),
    Code(
        "T112",
        "needs a graph",
        "The symbol exists in tf.compat.v1 but fails or does nothing outside a graph session.",
    ),
    Code(
        "T113",
        "needs legacy Keras",
        "The symbol is in tf.compat.v1 only where Keras 2 is TensorFlow's Keras. Use the "
        "tf_keras layer, or set TF_USE_LEGACY_KERAS=1.",
    ),
    Code(
        "E108",
        "mode",
        "tf.estimator.ModeKeys are three strings. A module that takes nothing else of "
        "tf.estimator compares with them as they are.",
        "training = mode == tf.estimator.ModeKeys.TRAIN",
        'training = mode == "train"',
    ),
    Code(
        "T114",
        "import without a target",
        "TensorFlow 2 has no such module or name, and no use of it in the file was "
        "rewritten. An import that nothing needs any more is dropped without a word; this "
        "one may be what other files take from here.",
        "from tensorflow.contrib import slim  # noqa: for others",
        "import tf_slim as slim",
    ),
    Code(
        "T115",
        "star import",
        "`from tensorflow import *` hides which names are TensorFlow's, so that they could "
        "not be migrated.",
        "from tensorflow import *\ny = log(x)",
        "import tensorflow as tf\ny = tf.math.log(x)",
    ),
    Code(
        "T116",
        "looked up by name",
        "getattr or hasattr of TensorFlow with a name that is only known when the program "
        "runs, or that means another thing in TF2.",
        "activation = getattr(tf.nn, name)",
        'activation = {"relu": tf.nn.relu, "tanh": tf.nn.tanh}[name]',
        refused_when="always, unless the name is written out and means the same in TF2.",
    ),
    Code(
        "T117",
        "private, still there",
        "The program takes a function or class from TensorFlow's own files that has no "
        "public name. TensorFlow 2.21 has it at the same place with the same parameters, so "
        "it is kept. A later version may not have it.",
        "from tensorflow.python.client import device_lib",
        "from tensorflow.python.client import device_lib",
        promise="It exists and takes the same arguments; what it computes is taken to be "
        "what it was.",
    ),
    Code(
        "T118",
        "TensorFlow from another file",
        "The file takes its name for TensorFlow from another file of the tree. It imports "
        "TensorFlow itself now, as that file does, and is migrated like any other.",
        "from mylib.compat import tf",
        "import tensorflow as tf",
        refused_when="the other file binds the name more than once, or only under a "
        "condition; or the import has other names beside it. Then its uses are not seen.",
    ),
    Code(
        "V101",
        "variable scope",
        "tf.name_scope: names stay; sharing is resolved by name when migrating.",
    ),
    Code(
        "V102",
        "variable arguments",
        "The variable's arguments could not be told apart.",
    ),
    Code(
        "V103",
        "variable option",
        "Regularisers, collections, getters and constraints of get_variable are not carried over.",
    ),
    Code(
        "V104",
        "get_variable",
        "tf.Variable with the initializer's value, under TF1's name.",
    ),
    Code(
        "V105",
        "no shape",
        "get_variable without shape or value shares a variable made elsewhere.",
    ),
    Code(
        "V106",
        "global step",
        "The step counter under TF1's name, so that checkpoints continue it.",
    ),
    Code(
        "V107",
        "initial value of a step",
        "A variable's initial value or shape depends on a step-time tensor.",
    ),
    Code(
        "V108",
        "scope option",
        "The scope changes every variable created inside it by a getter, regulariser, dtype or device, "
        "or gives its initialiser to layers and to variables of other functions.",
    ),
    Code(
        "V109",
        "scope object",
        "The variable scope object itself is used, or has no name.",
    ),
    Code(
        "V110",
        "trainable variables",
        "replicas.trainable_variables, in the order of creation as in TF1.",
    ),
    Code(
        "V111",
        "saver of some variables",
        'A Saver of chosen variables is covered where they are listed by the names that the program has for them: [w, b] or {"weights": w}.',
    ),
    Code(
        "V112",
        "saver",
        "training_session.Saver: TF1's checkpoint format and names, both ways.",
    ),
    Code(
        "V120",
        "variable outside a program",
        "The variable or scope is not part of a program that this version reads.",
    ),
    Code(
        "V121",
        "template",
        "tf.make_template shares variables through the graph.",
    ),
    Code(
        "V122",
        "saver outside a program",
        "The Saver is not part of a program that this version reads.",
    ),
    Code(
        "V123",
        "all variables",
        "TF2 keeps no list of all variables.",
    ),
    Code(
        "V124",
        "global step elsewhere",
        "TF2 keeps no global step by itself; pass the variable to the function.",
    ),
    Code(
        "V125",
        "partitioner outside a program",
        "The partitioner is not part of a program that this version reads.",
    ),
    Code(
        "V127",
        "variables that are hashed",
        "TF2's variables and tensors compare by value, so they cannot be keys of a dict or elements of a set. Their ref() can.",
    ),
    Code(
        "V128",
        "compared by identity",
        "`v in variables` and `v == w` asked in TF1 whether they are the same object. TF2 compares values, so the question is asked with `is`.",
        "rest = [v for v in tf.trainable_variables() if v not in first]",
        "rest = [v for v in replicas.trainable_variables if all(v is not other for other in first)]",
    ),
    Code(
        "V129",
        "variables by then",
        "tf.trainable_variables() lists the variables that the graph had when it was called. A Keras layer makes its variables in the first step, so that such a list is that of all.",
    ),
    Code(
        "V126",
        "variable made in a step",
        "A step function runs many times, a variable is made once. Here the two could not be told apart.",
    ),
)
CODES: dict[str, Code] = {row.id: row for row in _ROWS}
