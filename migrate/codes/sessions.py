"""Codes S1xx: sessions and step functions."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "S101",
        "session statement",
        "The session must be opened by `with ... as name:`.",
    ),
    Code(
        "S102",
        "session in a block",
        "The session is opened inside a block, and is no plain one of one process, or "
        "has more that begins anew with it than variables.",
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
        "The feed replaces a tensor that no single plain statement computes, or in a run that trains one behind which there are variables, or it has only some of the parts of a dataset's element that are needed.",
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
        "S114",
        "never fetched",
        "TF1 computes only what a run call needs. What none needs is dropped.",
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
        "Scaffold with arguments that run in a graph session; an init_fn is kept that gives its session to nothing but savers that restore.",
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
        "S131",
        "cells joined",
        "A step function needs all of the graph in one place, so the cells that a "
        "notebook's program spans become one; the others say where their code is.",
    ),
    Code(
        "S132",
        "supervisor",
        "A Supervisor's session becomes training_session.MonitoredTrainingSession: it prepares, waits, restores and saves by time as a Supervisor did. It also writes a checkpoint when training ends, and logs the steps per second every 100 steps, not every two minutes. Its writer and saver are made beside it where the program asks for them. What loop calls by time becomes a function of the session's block, whose runs are computed as all others are; its thread is its worker's, runs no hooks, and ends with the session.",
        "sv = tf.train.Supervisor(is_chief=is_chief, logdir=logdir)\nwith sv.managed_session(server.target) as sess:",
        "with training_session.MonitoredTrainingSession(\n    replicas, is_chief=is_chief, checkpoint_dir=logdir, save_checkpoint_secs=600) as sess:",
    ),
    Code(
        "S133",
        "random numbers in several steps",
        "An operation with a seed drew from one stream of random numbers, whichever run asked for it. Each step function is a graph of its own, so it draws from a stream of its own that begins at the same seed.",
    ),
    Code(
        "S134",
        "fetches not written out",
        "What is fetched is a list or dict that is changed after it is written out, or put together from others where it is run: which of its parts are operations, which have no value, cannot be told.",
    ),
    Code(
        "S135",
        "initialised in the loop",
        "Variables of TF2 are initialised when they are made, once. An initializer that the loop runs again has no counterpart.",
    ),
    Code(
        "S136",
        "read after an update",
        "TF1 reads a variable once in a run, outside the tf.control_dependencies block: what is computed in the block has the value before the update. w.read_value() in the block has the one after it.",
    ),
    Code(
        "S137",
        "a session's own",
        "A tf.Session is used for more than run(): its graph, its lists of devices, a "
        "method or another file's function that is given it. What is migrated has steps to run and no graph.",
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
        "S180",
        "a module brought to its program",
        "A module of the tree built what the program's session runs. Step functions need "
        "all of it in one place, so the module's code was brought to where the program "
        "imported it.",
        promise="What the modules do when they are imported is done at the same place.",
        refused_when="two modules give one name different meanings, or are imported "
        "within a function.",
    ),
    Code(
        "S181",
        "a module whose code stands in its programs",
        "The programs that imported this module have its code, migrated; it says so at "
        "its top, and is left as it was. Nothing that was migrated imports it.",
    ),
    Code(
        "S183",
        "a placeholder made in the loop",
        "The loop adds placeholders to the graph as it goes, say one for each summary "
        "that it meets. Step functions know what they are fed when they are made.",
    ),
    Code(
        "S184",
        "a SessionManager used by itself",
        "prepare_session restored the latest checkpoint of its directory, or ran init_op, "
        "init_fn and local_init_op. That stands behind the session now; workers that waited "
        "for a chief do so in the session.",
        'sess = sm.prepare_session("", init_op=init, saver=saver, checkpoint_dir=d)',
        "path = tf.train.latest_checkpoint(d)\nsess = plain_session.Session(replicas)\n"
        "if path:\n    saver.restore(sess, path)\nelse:\n    sess.initialize()",
        refused_when="it waits for a checkpoint, is given an init_feed_dict or a ready_op that "
        "is asked elsewhere, or opens several sessions.",
    ),
    Code(
        "S182",
        "a dataset that is fed",
        "A dataset was made of placeholders, which are fed where its iterator is "
        "initialised. What makes it is a function now, which is called with what is fed; "
        "step functions know its elements by the placeholders' types and shapes.",
        "sess.run(iterator.initializer, feed_dict={x: train_x, y: train_y})",
        "iterator = iter(dataset.fed(train_x, train_y))",
        promise="The same elements; a shuffle with a seed begins anew each time, as in TF1.",
        refused_when="the dataset depends on what changes later, or on other tensors.",
    ),
    Code(
        "S185",
        "no such attribute",
        "What stands for a TF1 object (a session, a saver, a summary writer, what hooks are "
        "given) does not have this attribute of it. Most are about the graph, which there is "
        "none of.",
    ),
    Code(
        "S150",
        "recurrent cells",
        "Cells of tf.nn.rnn_cell and tf.contrib.rnn, and what runs them over time, are "
        "those of recurrent_cells.py, written beside the program: made once, with TF1's "
        "formulas, variable names and order of gates.",
        "cell = tf.nn.rnn_cell.BasicLSTMCell(128)\n"
        "outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)",
        "cell = recurrent_cells.BasicLSTMCell(128)\n...\n"
        "outputs, state = recurrent_cells.dynamic_rnn(cell, x, dtype=tf.float32)",
        promise="The same values and gradients, and TF1's checkpoints.",
        refused_when="cells share variables through a scope (N160).",
    ),
)
