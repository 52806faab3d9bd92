"""A migrated program in miniature, one process per task; see test_processes.py.

    python life.py --job_name= --task_index= --ps_hosts= --worker_hosts= MODE DIRECTORY

MODE is what is asked of it: async, sync, batch-norm, or a way to fail.
"""

import argparse
import pathlib
import sys

import numpy as np
import tensorflow as tf

from migrate.support import training_session


def say(line):
    """Prints in one piece: the workers' threads share the output."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    for name in ("job_name", "task_index", "ps_hosts", "worker_hosts"):
        parser.add_argument(f"--{name}")
    parser.add_argument("mode")
    parser.add_argument("directory", type=pathlib.Path)
    args = parser.parse_args()
    index = int(args.task_index)
    workers = args.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": args.ps_hosts.split(","), "worker": workers})
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver

    if args.mode in ("sync", "batch-norm", "sync-misfit"):
        if args.job_name == "ps":
            training_session.leave("Not needed.")
        strategy = tf.distribute.MultiWorkerMirroredStrategy(
            cluster_resolver=resolver(
                training_session.workers_only(cluster),
                task_type="worker",
                task_id=index,
                rpc_layer="grpc",
            )
        )
        replicas = training_session.SynchronousReplicas(strategy, index)
    else:
        server = tf.distribute.Server(
            cluster, args.job_name, index, config=training_session.server_config()
        )
        if args.job_name == "ps":
            server.join()
        if not training_session.is_coordinator(cluster, args.job_name, index):
            training_session.serve(server)
        tasks = training_session.with_coordinator(cluster)
        if args.mode == "async-unreached":
            port = tasks.task_address("chief", 0).rpartition(":")[2]
            tasks = {**tasks.as_dict(), "chief": [f"nobody.invalid:{port}"]}
        strategy = tf.distribute.ParameterServerStrategy(
            resolver(tf.train.ClusterSpec(tasks), rpc_layer="grpc")
        )
        replicas = training_session.AsynchronousReplicas(strategy, cluster)

    with strategy.scope(), replicas.recording():
        step = training_session.create_global_step()
        w = tf.Variable(tf.ones([3, 2], tf.float64) * (index + 1), name="w")
        layers = []
        if args.mode == "batch-norm":
            import tf_keras

            layers.append(
                tf_keras.layers.BatchNormalization(name="bn", dtype="float64")
            )
        optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)

        @replicas.step_function(tf.TensorSpec([None, 3], tf.float64))
        def train_step(x):
            before = step.read_value()
            with tf.GradientTape() as tape:
                h = x
                for layer in layers:
                    h = layer(h, training=True)
                loss = tf.reduce_mean(tf.square(tf.matmul(h, w) - 1.0))
            variables = replicas.trainable_variables
            gradients = replicas.average(tape.gradient(loss, variables))
            optimizer.apply_gradients(zip(gradients, variables), global_step=step)
            return before, loss

    def run_worker(task_index):
        limit = {"num_steps": 10} if args.mode == "batch-norm" else {"last_step": 40}
        hooks = [training_session.StopAtStepHook(**limit)]
        directory = str(args.directory / "train") if task_index == 0 else None
        if args.mode == "sync":
            directory = str(args.directory / f"train-{task_index}")
        if args.mode == "batch-norm" or args.mode == "sync-misfit":
            directory = str(args.directory / "train")
        with training_session.MonitoredTrainingSession(
            replicas,
            is_chief=task_index == 0,
            checkpoint_dir=directory,
            hooks=hooks,
            save_checkpoint_steps=5,
        ) as sess:
            count = 0
            while not sess.should_stop():
                random = np.random.RandomState(100 * task_index + count)
                before, loss = sess.run(train_step, random.rand(8, 3))
                say(f"worker {task_index} {before} {float(loss)!r}")
                count += 1
                if args.mode == "worker-raises" and (task_index, count) == (1, 3):
                    raise LookupError("the loop of worker 1 failed")
                if args.mode == "chief-raises" and (task_index, count) == (0, 3):
                    raise LookupError("the loop of worker 0 failed")
        say(f"ended {task_index} {count}")

    if args.mode.startswith("async"):
        say(f"worker 0 computes on {replicas._device()}")
    replicas.run(run_worker)
    say("all ended")


if __name__ == "__main__":
    main()
