"""The strategy that TF_CONFIG and a RunConfig ask for."""

import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

v1 = tf.compat.v1


def own_device():
    """The strategy of a process that works alone."""
    return tf.distribute.get_strategy()


def replicas_of(strategy):
    """How many replicas a strategy has in this process."""
    return len(strategy.extended.worker_devices) if hasattr(strategy, "extended") else 1


class Cluster:
    """The strategy for this process, from its RunConfig.

    Parameter servers' workers are the chief and the workers of TF_CONFIG, in this order:
    TF1's chief trained too.
    """

    _server = None  # One per process.
    _workers = None  # The strategy of the workers that train together. One per process.

    def __init__(self, config):
        self._config = config
        given = config.train_distribute
        # One of estimator_strategies, that says how the cluster of TF_CONFIG trains.
        self._keeps_pace = getattr(given, "synchronous", None)
        self._strategy = given if self._keeps_pace is None else None
        self._chosen = self._strategy is not None
        self._jobs = config.cluster
        if not self.asynchronous:
            self._make_synchronous()

    @property
    def asynchronous(self):
        return bool(self._jobs.get("ps")) and not (self._chosen or self._keeps_pace)

    @property
    def averages(self):
        """Whether an optimizer of the program averages its gradients by itself."""
        return self._keeps_pace == "by optimizer"

    def decide(self, probe):
        """Lets the workers keep pace where the program's optimizer asks for it.

        Args:
          probe: says whether it does.
        """
        if self.asynchronous and self._keeps_pace is None and probe():
            self._keeps_pace = "by optimizer"
            self._make_synchronous()

    def _make_synchronous(self):
        """Makes the strategy of several workers; before anything is computed."""
        alone = self._config.num_worker_replicas <= 1
        trains = self._config.task_type in ("chief", "master", "worker")
        if self._strategy is None and trains and not alone:
            self._strategy = self._synchronous()

    @property
    def _tasks(self):
        """The cluster of a ParameterServerStrategy."""
        workers = [
            a for j in ("chief", "master", "worker") for a in self._jobs.get(j, ())
        ]
        return {"ps": self._jobs["ps"], "worker": workers}

    @classmethod
    def join_workers(cls, config):
        """Joins the workers that train together, where nothing else trains.

        For what computes before there is an Estimator, as a Keras model that is made:
        TensorFlow has its collectives from its first tensor on, or never.

        Args:
          config: a RunConfig of this process.
        """
        cls(config)

    def _synchronous(self):
        """The strategy of the workers; the same for every Estimator of this process.

        A second one would begin this process's collectives anew (TensorFlow's server is
        given another executor for them), and what another worker has asked by then would
        never be answered: all would wait for ever.
        """
        way = getattr(self._config.train_distribute, "communication", None)
        if Cluster._workers is None:
            Cluster._workers = self._joined(way)
        elif way is not None and tf.config.list_physical_devices("GPU"):
            # Without GPUs there is one way, the ring.
            v1.logging.warning(
                "The workers were joined before %s was asked for: they add up as they "
                "were joined to. CommunicationOptions of the first strategy decide.",
                way,
            )
        return Cluster._workers

    def _joined(self, way):
        options = tf.distribute.experimental.CommunicationOptions
        tasks = training_session.workers_only(self._jobs)
        chief = self._config.is_chief and "chief" in tasks.jobs
        return tf.distribute.MultiWorkerMirroredStrategy(
            communication_options=None if way is None else options(implementation=way),
            cluster_resolver=tf.distribute.cluster_resolver.SimpleClusterResolver(
                tasks,
                task_type="chief" if chief else "worker",
                task_id=self._config.task_id,
                rpc_layer="grpc",
            ),
        )

    def is_chief(self, task_index):
        """Whether the loop of this worker saves and writes summaries."""
        return task_index == 0 if self.asynchronous else self._config.is_chief

    def input_context(self, task_index=0):
        """What an input_fn with an `input_context` is told of its part of the input.

        None where RunConfig has no strategy: TF1 gave it with one only.

        Args:
          task_index: the worker whose input it is, where this process has all loops.
        """
        if self._config.train_distribute is None:
            return None
        workers = max(self._config.num_worker_replicas, 1)
        if self._chosen or workers == 1:
            return tf.distribute.InputContext(1, 0, replicas_of(self._strategy))
        if self.asynchronous:
            return tf.distribute.InputContext(workers, task_index, 1)
        return tf.distribute.InputContext(
            workers, self._config.global_id_in_cluster, workers
        )

    def serve(self):
        """Starts this task's server; returns only where this is the coordinator."""
        config = self._config
        ps = config.task_type == "ps"
        if Cluster._server is None:
            Cluster._server = tf.distribute.Server(
                tf.train.ClusterSpec(self._tasks),
                job_name="ps" if ps else "worker",
                task_index=config.task_id if ps else config.global_id_in_cluster,
                config=training_session.server_config(),
            )
        if ps:
            Cluster._server.join()
        if not config.is_chief:
            training_session.serve(Cluster._server)

    def replicas(self):
        """New replicas for one training.

        Raises:
          ValueError: the strategy has several replicas in this process.
        """
        if self.asynchronous:
            self.serve()
            if self._strategy is None:
                self._strategy = tf.distribute.ParameterServerStrategy(
                    tf.distribute.cluster_resolver.SimpleClusterResolver(
                        training_session.with_coordinator(self._tasks),
                        rpc_layer="grpc",
                    )
                )
            return training_session.AsynchronousReplicas(self._strategy, self._tasks)
        strategy = self._strategy or own_device()
        local = strategy.extended.worker_devices if self._strategy else ()
        if len(local) > 1:
            return self._local(strategy, len(local))
        return training_session.SynchronousReplicas(
            strategy, self._config.global_id_in_cluster or 0
        )

    def _local(self, strategy, count):
        """Replicas on several devices of this process.

        Raises:
          ValueError: others train with it.
        """
        if strategy.num_replicas_in_sync != count:
            raise ValueError(
                "Of several processes each trains one replica here, but the strategy "
                f"has {count} devices in this process: show it one of its GPUs "
                "(CUDA_VISIBLE_DEVICES)."
            )
        return _strategies().LocalReplicas(strategy, count)


def _strategies():
    """What only several devices in a process need.

    Raises:
      ImportError: the file is not there.
    """
    try:
        import estimator_strategies
    except ImportError:
        if not __package__:
            raise
        from .. import estimator_strategies
    return estimator_strategies
