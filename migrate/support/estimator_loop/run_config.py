"""How an Estimator runs: checkpoints, summaries, seeds and devices."""

import contextlib
import copy
import json
import os
import threading

import tensorflow as tf

from .specifications import arguments_of

_UNSET = object()


class _Asked(threading.local):
    """Who asks a RunConfig in a thread: a worker's input_fn, or a model_fn for them all."""

    worker = 0
    all_workers = False


_asked = _Asked()


@contextlib.contextmanager
def answer_for(worker=0, all_workers=False):
    """Lets every RunConfig answer as in a TF1 worker's process, which built its own graph.

    Args:
      worker: its number, where this process runs the loops of all: the chief is 0, then
        come the workers. Only this thread asks for it.
      all_workers: a model_fn asks, which is called once for all workers. If it asks which
        task this is, a warning says whose answer it gets.
    """
    _asked.worker, _asked.all_workers = worker, all_workers
    try:
        yield
    finally:
        _asked.worker, _asked.all_workers = 0, False


def _over_workers(strategy):
    """Whether a strategy trains with all workers of a cluster, the first being the chief."""
    own = tf.distribute.MultiWorkerMirroredStrategy
    return hasattr(strategy, "synchronous") or isinstance(strategy, own)


class RunConfig:
    """Where and how an Estimator runs; reads TF_CONFIG. Parameters are TF1's.

    `session_config`, `device_fn` and `protocol` are kept but configure nothing: there is
    no session, and a strategy places variables.
    """

    _DEFAULTS = {
        "tf_random_seed": None,
        "save_summary_steps": 100,
        "save_checkpoints_steps": None,
        "save_checkpoints_secs": 600,
        "session_config": None,
        "keep_checkpoint_max": 5,
        "keep_checkpoint_every_n_hours": 10000,
        "log_step_count_steps": 100,
        "train_distribute": None,
        "device_fn": None,
        "protocol": None,
        "eval_distribute": None,
        "experimental_distribute": None,
        "experimental_max_worker_delay_secs": None,
        "session_creation_timeout_secs": 7200,
    }

    def __init__(
        self,
        model_dir=None,
        tf_random_seed=None,
        save_summary_steps=100,
        save_checkpoints_steps=_UNSET,
        save_checkpoints_secs=_UNSET,
        session_config=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        train_distribute=None,
        device_fn=None,
        protocol=None,
        eval_distribute=None,
        experimental_distribute=None,
        experimental_max_worker_delay_secs=None,
        session_creation_timeout_secs=7200,
    ):
        steps, secs = save_checkpoints_steps, save_checkpoints_secs
        if steps is _UNSET and secs is _UNSET:
            steps, secs = None, 600
        elif steps is _UNSET:
            steps = None
        elif secs is _UNSET:
            secs = None
        if steps is not None and secs is not None:
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        if experimental_distribute is not None:
            train_distribute = (
                train_distribute or experimental_distribute.train_distribute
            )
            eval_distribute = eval_distribute or experimental_distribute.eval_distribute
        config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        if model_dir == "":
            raise ValueError("model_dir should be non-empty")
        self._values = dict(
            model_dir=model_dir or config.get("model_dir") or None,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=steps,
            save_checkpoints_secs=secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=train_distribute,
            device_fn=device_fn,
            protocol=protocol,
            eval_distribute=eval_distribute,
            experimental_max_worker_delay_secs=experimental_max_worker_delay_secs,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        self._check()
        cluster = dict(config.get("cluster") or {})
        task = config.get("task") or {}
        self.service = config.get("service")
        self._task_type = task.get("type", "worker") if cluster or task else "worker"
        self._task_id = int(task.get("index", 0))
        self._has_chief = any(job in cluster for job in ("chief", "master"))
        if cluster and not self._has_chief and not _over_workers(train_distribute):
            raise ValueError("If cluster is set in TF_CONFIG, it must have one chief.")
        # An evaluator is none of the cluster's tasks.
        cluster.pop("evaluator", None)
        self.cluster_spec = tf.train.ClusterSpec(
            {} if self._task_type == "evaluator" else cluster
        )
        self.evaluation_master = ""

    def _check(self):
        """Raises ValueError where TF1 did."""
        values = self._values
        for name in (
            "save_summary_steps",
            "save_checkpoints_steps",
            "save_checkpoints_secs",
            "keep_checkpoint_max",
        ):
            if values[name] is not None and values[name] < 0:
                raise ValueError(f"{name} should be >= 0")
        for name in (
            "keep_checkpoint_every_n_hours",
            "log_step_count_steps",
            "session_creation_timeout_secs",
        ):
            if values[name] is not None and values[name] <= 0:
                raise ValueError(f"{name} should be > 0")
        for name in ("tf_random_seed", "experimental_max_worker_delay_secs"):
            if values[name] is not None and not isinstance(values[name], int):
                raise ValueError(f"{name} must be integer.")
        device_fn = values["device_fn"]
        if device_fn is not None and (
            not callable(device_fn) or arguments_of(device_fn) != ["op"]
        ):
            raise ValueError(
                'device_fn must be callable with exactly one argument "op".'
            )

    def __getattr__(self, name):
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        raise AttributeError(name)

    @property
    def cluster(self):
        return self.cluster_spec.as_dict()

    @property
    def task_type(self):
        self._warn_model("task_type")
        return "worker" if _asked.worker else self._task_type

    @property
    def task_id(self):
        self._warn_model("task_id")
        return _asked.worker - self._has_chief if _asked.worker else self._task_id

    def _warn_model(self, name):
        if _asked.all_workers and self.num_worker_replicas > 1:
            _asked.all_workers = False  # Once.
            tf.compat.v1.logging.warning(
                "model_fn reads the RunConfig's %s, or what depends on it. With parameter "
                "servers one model serves all workers: this is the answer for the chief.",
                name,
            )

    @property
    def is_chief(self):
        if not self.cluster:
            return self.task_type != "evaluator"
        if not self._has_chief:  # Under a strategy the first worker is.
            return self.task_type == "worker" and self.task_id == 0
        return self.task_type in ("chief", "master")

    @property
    def master(self):
        if not self.cluster or self.task_type == "evaluator":
            return ""
        return "grpc://" + self.cluster_spec.task_address(self.task_type, self.task_id)

    @property
    def num_ps_replicas(self):
        return len(self.cluster.get("ps", ()))

    @property
    def num_worker_replicas(self):
        if not self.cluster:
            return 0 if self._task_type == "evaluator" else 1
        return sum(len(self.cluster.get(j, ())) for j in ("chief", "master", "worker"))

    @property
    def global_id_in_cluster(self):
        if self.task_type == "evaluator":
            return None
        if not self.cluster or self.is_chief:
            return 0
        return self.task_id + self._has_chief

    def replace(self, **kwargs):
        """A copy with some arguments replaced.

        Raises:
          ValueError: there is no such argument, or both save intervals are given.
        """
        both = {"save_checkpoints_steps", "save_checkpoints_secs"}
        if both <= set(kwargs) and None not in [kwargs[k] for k in both]:
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        new = copy.copy(self)
        new._values = dict(self._values)
        for name, value in kwargs.items():
            if name not in new._values:
                raise ValueError(f"Replacing {name} is not supported.")
            new._values[name] = value
            if name in both:
                new._values.update(dict.fromkeys(both - {name}))
                new._values[name] = value
        return new
