"""Codes D1xx of eager code and Keras in programs with a session or a cluster."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "D113",
        "session around eager code",
        "The program opens a `MonitoredTrainingSession` or `tf.Session`, and computes with a `GradientTape` inside it or beside it. It was migrated only in part. The tool removes a session that runs nothing. It writes the strategy that the cluster asks for: `ParameterServerStrategy` where there are parameter servers, `MultiWorkerMirroredStrategy` otherwise.",
        why="A session distributes the graph that runs in it. Here it has no graph to run, and may fail to start. The tape trains in each process separately.",
        before="with tf.compat.v1.train.MonitoredTrainingSession(master=server.target) as sess:\n    for x, y in dataset:\n        sess.run(train_step(x, y))",
        after="def run_worker(task_index):\n    with training_session.MonitoredTrainingSession(replicas) as sess:\n        for x, y in dataset:\n            sess.run(distributed_step, x, y)\n\nreplicas.run(run_worker)",
        noted=True,
    ),
    Code(
        "D121",
        "graph code, session or cluster around eager code",
        "One program has placeholders or graph variables, and also trains with a `GradientTape`. Or eager code runs inside a session or a cluster that the tool cannot replace. There are several sessions, or the session has no `with` block, or it has hooks or arguments that need a graph. Or the tool does not see a part of the cluster: its jobs, its server, this task's index, which tasks only serve, or which of several clients trains. Or a tensor is computed before the cluster is made.",
        why="Graph code and eager code make separate variables, so the program has two models. The tool cannot tell which of them the author means to train. The session's block becomes the training loop of a strategy. The tool builds the strategy from the cluster: which tasks are parameter servers, which are workers, and which task this process is. `MultiWorkerMirroredStrategy` must set up its collectives before the first tensor is computed.",
    ),
    Code(
        "D153",
        "Keras fit on a cluster",
        "The program calls `fit` in every process. With parameter servers, `fit` now trains shared weights, with as many steps in an epoch as all workers had together. With workers only, there is one `fit`, and each worker takes its part of every batch. A copy of the model in the first task evaluates and saves.",
        why="Every process trained its own model, whatever session was open around `fit`. The cluster shows what the author meant: one model that all workers train.",
        before='model.compile("adam", "mse")\nmodel.fit(x, y, epochs=5)',
        after='with strategy.scope():\n    model.compile("adam", "mse")\nfits.fit(model, x, y, epochs=5)',
    ),
    Code(
        "D154",
        "each worker's part of a batch",
        "The workers make each step together, and their parts of the batch need a look. The parts may have different sizes. Or each worker uses the batches of its own loop, and a step is the mean over the batches of all workers.",
        why="Keras takes the mean of each part, and then the mean of these means. Parts of different sizes then count equally. Use a batch size that the number of workers divides, also for the last batch. If all workers bring the same batch, the step computes what one process computes. Give each worker its own part to use more data per step.",
        noted=True,
    ),
    Code(
        "D159",
        "the task from TF_CONFIG",
        "The program describes a cluster, but does not say which task a process is. The migrated program reads it from `TF_CONFIG`. A cluster in `TF_CONFIG` replaces the program's own.",
        why="Every TensorFlow 2 program that runs on a cluster finds its cluster and its task in `TF_CONFIG`. Launchers such as Kubernetes operators set it for each process.",
    ),
    Code(
        "D166",
        "a checkpoint that all workers saved",
        "Only the first worker saves now. In the other workers `chief_saves` returns `None`.",
        why="Under a strategy all workers share one set of weights, and every process saved to the same place. Several writers at once can leave a broken file, and one checkpoint holds everything.",
        before="manager.save()",
        after="replicas.chief_saves(manager.save)",
    ),
    Code(
        "D125",
        "the training step of eager code",
        "The tool does not read a part of the eager training step. The step does more than a tape, its gradients, `apply_gradients` and what they need. Or the model is made apart from the session, or on devices chosen by hand. Or the optimizer may not be a Keras optimizer. Or a metric is made elsewhere, passed on, read in the step, or does not add up over the parts of a batch. Or, with workers only, the loss or another result of the step is neither a mean nor a sum over the examples. Or the loop neither iterates a `tf.data.Dataset` nor cuts its batches out of arrays, such as `x[i:i + 32]`.",
        why="TensorFlow traces the step once, and what else it does would happen once. The model, the optimizer and the metrics must be made under the strategy's scope, and add up what the replicas compute. For a mean or a sum over the examples the combined value is that of the whole batch; for other functions it is not. The workers share the data, so the tool must know how to divide it.",
    ),
    Code(
        "D156",
        "Keras in a session",
        "A Keras model or layer in a session program is made once, under the strategy's scope, and called in the step functions. Its variables are trained with the others. Keras may also train in the session: one `train_on_batch` in a loop, for a model whose `compile` call is visible, becomes a step with a tape. A compiled model in a graph, functions of the backend, and Keras optimizers are refused. So are `fit_generator`, a `fit` that is not known to work with a strategy, other metrics than an accuracy or metrics given by name, and example weights. So are layers that update variables in a call, recurrent layers, and activity penalties.",
        why="A compiled model uses a graph or a session that belongs to Keras. It cannot run beside the program's own session. TensorFlow 1 made updates of layers only in runs of `model.updates`. TensorFlow 2 makes them in every training call. `train_on_batch` and `fit_generator` train in the process that calls them, and parameter servers have no equal for them.",
        before="model = tf.keras.Sequential([...])\nloss = tf.losses.mean_squared_error(y, model(x))",
        after="model = tf_keras.Sequential([...])\n...\ndef train_step(x, y):\n    loss = tf.compat.v1.losses.mean_squared_error(y, model(x))",
    ),
    Code(
        "D158",
        "Keras 2 in place of Keras 3",
        "The program's Keras becomes the package `tf_keras`, which is Keras 2. This is so for `import keras` in a program with a session, and for a module whose step a strategy runs. Old checkpoints can be read where the layers have names: unnamed layers start at 1 in the package `keras` (`dense_1`), and without a number in TensorFlow's Keras (`dense`).",
        why="With TensorFlow 1 the package `keras` built the same graph as `tf.keras`. Today that name installs Keras 3, which would make variables apart from the program's. An optimizer makes its variables in its first step. Keras 3's optimizer cannot do that under `strategy.run`: TensorFlow 2.21 stops with \"You must feed a value for placeholder tensor\".",
        before="import keras",
        after="import tf_keras",
    ),
    Code(
        "D152",
        "prints of a step",
        "A print inside a step stays. `tf.print` appears at the worker that makes the step. With workers only, each worker prints its part. Python's `print` in a traced function prints once. In a TensorFlow 1 program a function that prints while it builds the graph becomes part of every step that needs it. It then prints each time such a step is traced.",
        why="TensorFlow traces the function once, and then runs only the trace. `tf.print` is a part of the trace. Python's `print` is not, so it runs only while TensorFlow traces.",
        recipe="Use `tf.print` for a value of each step. In a step of eager code the tool refuses Python's `print` (D125).",
        before="def train_step(x, y):\n    with tf.GradientTape() as tape:\n        loss = mse(y, model(x))\n    grads = tape.gradient(loss, model.trainable_variables)\n    optimizer.apply_gradients(zip(grads, model.trainable_variables))\n    tf.print(loss)",
        after="def train_step(x, y):\n    with tf.GradientTape() as tape:\n        loss = tf.reduce_mean(mse(y, model(x)))\n    grads = tape.gradient(loss, model.trainable_variables)\n    optimizer.apply_gradients(zip(grads, model.trainable_variables))\n    tf.print(loss)\n...\n@replicas.step_function(*dataset.element_spec)\ndef distributed_step(x, y):\n    return train_step(x, y)",
    ),
    Code(
        "D132",
        "distributed step, its loss object and its metrics",
        "Each replica runs the step. With parameter servers, every worker's loop makes its own steps. With workers only, all workers make each step together, each with a part of the batch. A Keras loss object that takes the mean becomes one that gives a value per example, and the mean is taken where the object is called. If the program passes the object on, it is refused. With parameter servers, each worker's loop gets its own metric, with variables on the servers. With workers only, one metric counts the parts of all workers, and each worker reads the value for the whole batch.",
        why="The gradients of all replicas are combined before the update. So the update is the same as that of one process that computes the whole batch. Keras raises an error when a strategy runs a step with a loss object that takes the mean itself, because that would be the mean over one replica's part. Before, each process had a metric of its own, and did not see what the others counted or reset.",
    ),
    Code(
        "D134",
        "a loop that nothing ends",
        "The program loops over `while not sess.should_stop()`, but its session has no hook that stops it. The migrated loop does not end either.",
        why="`should_stop` becomes true only when a hook asks for a stop, or after an error. The session has no such hook, so the loop runs forever, in TensorFlow 1 as well.",
        recipe="Give the session a hook that stops it.",
        before="tf.train.MonitoredTrainingSession(server.target)",
        after="tf.train.MonitoredTrainingSession(\n    server.target, hooks=[tf.train.StopAtStepHook(last_step=1000)])",
        noted=True,
    ),
    Code(
        "D135",
        "workers that shuffle differently",
        "The dataset shuffles without a seed, and each worker takes its part from its own copy of the dataset.",
        why="Without a seed the copies are in different orders. The parts of one step then come from different batches, and an epoch is not one pass over the data.",
        recipe="Give `shuffle` one seed for all workers.",
        before="dataset.shuffle(1000).batch(64)",
        after="dataset.shuffle(1000, seed=1).batch(64)",
        noted=True,
    ),
)
