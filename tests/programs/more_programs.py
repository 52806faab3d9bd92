"""Further variant programs, in other hands than `programs.VARIANTS`.

Each has run to its end under genuine TensorFlow 1.15.5 (`test_originals.py` does it
again). They take the launch flags and `--dir`, as the other variants do.
"""

from __future__ import annotations

import pathlib

from reference import data
from tests.programs.programs import Variant

MORE = (
    Variant(
        "mnist_contrib_epochs",
        "contrib.learn's MNIST reader, seeded after it has read; cluster dict filled in "
        "a loop; softmax_cross_entropy_with_logits; piecewise_constant; image summary; "
        "SummarySaverHook; loop on epochs_completed; needs `prepare`",
        equal=True,
        lines=36,
    ),
    Variant(
        "slim_replicated",
        "slim's layers in a function, argument scopes of another; batch normalisation "
        "by a flag that is fed; penalties; slim.learning's training operation; "
        "synchronous under a flag that is off",
        ps=2,
        equal=True,
        tolerance=5e-6,
        lines=40,
    ),
    Variant(
        "sync_queue_runner",
        "synchronous under a flag; get_chief_queue_runner and get_init_tokens_op; "
        "Scaffold with chief_init_op; compute_gradients and clip_by_value; "
        "huber_loss; natural_exp_decay; device_filters",
        workers=2,
        # Which worker takes a token is a race in TF1, with num_tokens=0 too.
        equal=False,
        lines=40,
    ),
    Variant(
        "iterator_scope_partitioner",
        "tensorflow.compat.v1; initializable iterator in Scaffold's local_init_op; "
        "AUTO_REUSE; variable_axis_size_partitioner on a scope; "
        "tf.losses.softmax_cross_entropy; inverse_time_decay; Adadelta; positional "
        "session arguments; OutOfRangeError ends the loop",
        # TF1 draws every shard with the operation's seed, so initial values differ.
        equal=False,
        lines=18,
    ),
    Variant(
        "saver_of_some",
        "a Saver of chosen variables under names of its own, for a CheckpointSaverHook; "
        "max_to_keep; what it saved is read back",
        equal=True,
        lines=20,
    ),
    Variant(
        "model_class",
        "a class builds the whole graph; Conv2D, MaxPooling2D, Flatten, "
        "Dense classes; sigmoid_cross_entropy; cosine_decay_restarts; "
        "proximal gradient descent; summary.merge; ProfilerHook; dict of "
        "fetches; argparse into a global FLAGS",
        equal=True,
        lines=25,
    ),
    Variant(
        "wide_partitioned",
        "tensorflow.python.ops.partitioned_variables; min_max partitioner on a scope; "
        "embedding_lookup under mod in a helper; weighted cross entropy; "
        "GreedyLoadBalancingStrategy; proximal Adagrad; save_checkpoint_steps",
        ps=2,
        lines=30,
    ),
    Variant(
        "train_test_writers",
        "module-level script; Server config; get_variable with reuse; global step by "
        "get_variable; AdagradDA; in_top_k; two FileWriters; epochs; no checkpoint_dir",
        equal=True,
        lines=24,
    ),
    Variant(
        "trainer_object",
        "a trainer class whose methods build the graph and open the "
        "session; main passes the server; variables with the shape of a "
        "tensor",
        equal=True,
        lines=30,
    ),
    Variant(
        "graph_tuple",
        "a function returns the graph as a namedtuple; a helper makes the "
        "training operation; the session in a separate function; nested "
        "fetches; RMSProp",
        equal=True,
        lines=25,
    ),
    Variant(
        "averages_on_servers",
        "moving averages behind the update, whose decay grows with the steps; a server "
        "only with a job name",
        ps=2,
        equal=True,
        alone=True,
        lines=20,
    ),
    Variant(
        "feeds",
        "feeds made by fill_feed_dict, by a function within the function, by stores, "
        "used twice; do_eval(sess, ...); placeholder_with_default; in_top_k",
        equal=True,
        lines=51,
    ),
    Variant(
        "supervised_replica",
        "Supervisor made in either branch, prepare_or_wait_for_session; the old wiring of "
        "SyncReplicasOptimizer under a flag; validation after training",
        equal=True,
        lines=42,
    ),
    Variant(
        "supervised_loop",
        "Supervisor's managed_session, should_stop and stop; a saver; Adagrad",
        equal=True,
        lines=31,
    ),
    Variant(
        "supervised_wiring",
        "chief_init_op, local_step_init_op, ready_for_local_init_op, chief queue runner "
        "and init tokens under a flag; prepare_or_wait_for_session; summary_writer; the "
        "server's address printed",
        equal=True,
        lines=26,
    ),
    Variant(
        "supervised_services",
        "Supervisor's loop, summary_computed, summary_writer, saver, save_path, coord; a "
        "checkpoint_basename",
        equal=True,
        lines=29,
    ),
    Variant(
        "supervised_looks",
        "every worker's Supervisor calls functions at fixed intervals; they get "
        "the session and run it, and one fills a list of the module",
        workers=2,
        lines=10,
    ),
    Variant(
        "workers_branch",
        "the graph in the branch of the workers, the session below both branches",
        equal=True,
        lines=20,
    ),
    Variant(
        "plain_server_session",
        "tf.Session(server.target): the chief initialises, the other "
        "workers ask which variables are not initialised; Saver",
        workers=2,
        lines=40,
    ),
    Variant(
        "pinned_split",
        "variables are pinned to parameter servers, everything else to the task's own "
        "worker; a plain session on the server",
        equal=True,
        lines=40,
    ),
    Variant(
        "session_creators",
        "MonitoredSession with a ChiefSessionCreator or a WorkerSessionCreator",
        equal=True,
        lines=30,
    ),
    Variant(
        "creators_with_hooks",
        "one branch makes the creator and the hooks; the session is in a "
        "`try`; each kind of task starts a server with its own "
        "configuration; one line makes all placeholders",
        equal=True,
        lines=24,
    ),
    Variant(
        "generated_and_judged",
        "two networks in turn; variables made within expressions by a helper, all by one "
        "seed; trainable variables of a scope; reuse_variables; an assignment fetched; "
        "placeholder_with_default in tf.cond",
        equal=True,
        lines=160,
    ),
    Variant(
        "shuffled_dataset",
        "a dataset shuffled by a seed, an iterator made of it in a chain of calls; a "
        "model object that is called; cosine decay",
        equal=True,
        lines=40,
    ),
    Variant(
        "validated_beside",
        "runs that take a batch of each of two datasets, and the summary of both",
        equal=True,
        lines=44,
    ),
    Variant(
        "penalised_critic",
        "a loss with the gradient of a network with respect to its input; shared layers",
        equal=True,
        lines=40,
    ),
    Variant(
        "siamese_losses",
        "a tower shared by AUTO_REUSE; losses collected and added up; the global step "
        "made in a statement; a global norm clipped after zip(*compute_gradients)",
        equal=True,
        lines=100,
    ),
    Variant(
        "fed_rates",
        "learning rates that are fed, computed and kept in a variable the loop changes; "
        "gradients scaled in a loop; two updates in a group; a step counted by hand; "
        "dicts of variables and of layers",
        equal=True,
        lines=160,
    ),
    Variant(
        "workers_own",
        "module-level readers, lists, iterators, seeded generators of numpy and random; "
        "the task's index read in a helper; a function that closes over a reader",
        workers=2,
        lines=40,
    ),
    Variant(
        "contrib_optimizers_mixed",
        "LazyAdam, AdamW and LARS of tf.contrib.opt, imported in three ways, each for "
        "variables of its own and run in turn; decay_var_list; a schedule that two share",
        equal=True,
        lines=120,
    ),
    Variant(
        "queue_supervisor",
        "queue runners that a Supervisor starts; lines of text read in a helper",
        equal=True,
        lines=25,
    ),
    Variant(
        "existing_servers",
        "TensorFlow's own mnist_replica: servers that may already run, a "
        "Supervisor in each branch, synchronous training under a flag that "
        "is off",
        equal=True,
        # Adam, and sums of eight cross entropies: of order 10.
        tolerance=5e-5,
        lines=30,
    ),
    Variant(
        "sometimes_clustered",
        "a helper returns the device and the target; without a job name it returns early, "
        "and the program trains alone",
        equal=True,
        tolerance=1e-5,  # A softmax in 25 steps with momentum.
        lines=25,
        alone=True,
    ),
    Variant(
        "chosen_in_cluster",
        "which operation a step runs depends on its number: a conditional expression, and "
        "an item of a list; a measure, one of two, within the run",
        equal=True,
        lines=30,
    ),
    Variant(
        "local_or_clustered",
        "one branch trains alone with a Saver, the other in the cluster; both build the graph "
        "by one function, and write to a file that was opened before",
        equal=True,
        tolerance=2e-6,
        lines=25,
        alone=True,
    ),
    Variant(
        "two_trainings",
        "one function trains alone, another in the cluster; both call the function that has "
        "the loop; a class builds the graph",
        workers=2,
        # Two workers race.
        equal=False,
        tolerance=5e-6,  # A softmax in 24 steps with momentum.
        lines=48,
        alone=True,
    ),
    Variant(
        "tested_afterwards",
        "a plain session on the server, behind the monitored one; a printed configuration",
        equal=True,
        lines=22,
    ),
    Variant(
        "returns_where_alone",
        "without a cluster in TF_CONFIG the program trains alone and "
        "returns; otherwise a Supervisor trains; both use one random "
        "generator",
        equal=True,
        tolerance=2e-6,
        lines=30,
        alone=True,
    ),
    Variant(
        "queue_epochs",
        "TFRecords of files shuffled by a seed, parsed as batches; epochs that end a "
        "monitored session",
        equal=True,
        lines=20,
    ),
    Variant(
        "keras_supervised",
        "a helper makes a Sequential model; the program uses its output, "
        "fed inputs and lists; the learning phase set once; a helper that "
        "runs the script's session",
        equal=True,
        tolerance=5e-6,  # A softmax in 20 steps of RMSProp.
        lines=25,
    ),
    Variant(
        "keras_phases",
        "a functional model whose own tensors are fed and fetched; the learning phase "
        "fed in each run, or in none",
        equal=True,
        lines=20,
    ),
    Variant(
        "keras_layers_sync",
        "Keras layers called on placeholders in a helper; penalties that "
        "the loss leaves out; SyncReplicasOptimizer",
        equal=True,
        tolerance=5e-6,  # A softmax in 12 steps of Adam.
        lines=24,
    ),
)


def prepare(variant: Variant, directory: pathlib.Path) -> None:
    """Writes the files that a variant reads below its `--dir`."""
    if variant.name == "mnist_contrib_epochs":
        data.write_mnist(directory / "mnist")
