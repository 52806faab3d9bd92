"""The task of a process whose program does not say which it is: TF_CONFIG does."""

from __future__ import annotations

_RESOLVER = "tf.distribute.cluster_resolver.SimpleClusterResolver"
_ROLE = """
# TF_CONFIG says which task this process is; its cluster, if it has one, is this one.
tf_config = json.loads(os.environ.get("TF_CONFIG", "{{}}"))
{cluster} = tf.train.ClusterSpec(tf_config.get("cluster") or {cluster})
"""
_SERVE = """task = tf_config.get("task", {{}})
if task.get("type") in ("ps", "worker"):
    # Servers serve and wait. On few cores they need threads to do both at once.
    tf.distribute.Server(
        {cluster},
        job_name=task["type"],
        task_index=task["index"],
        config=tf.compat.v1.ConfigProto(inter_op_parallelism_threads=8),
    ).join()
# Any other process coordinates them.
strategy = tf.distribute.ParameterServerStrategy(
    {resolver}({cluster}, rpc_layer="grpc"))
"""
_TOGETHER = """task = tf_config.get("task")
if task is None:
    raise SystemExit(
        "TF_CONFIG does not say which worker this is: set it to "
        '{{"task": {{"type": "worker", "index": 0}}}}, with another index for each.')
strategy = tf.distribute.MultiWorkerMirroredStrategy(
    cluster_resolver={resolver}(
        {cluster},
        task_type=task["type"],
        task_id=task["index"],
        rpc_layer="grpc"))
"""
_COORDINATOR = "coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)\n"


def write_role(cluster: str, together: bool, schedules: bool = True) -> str:
    """The statements that read the task, have servers serve, and make the strategy.

    Args:
      cluster: how the program names its cluster.
      together: whether the workers make every step together.
      schedules: whether the program schedules its steps itself.
    """
    text = _ROLE + (_TOGETHER if together else _SERVE)
    shown = text.format(cluster=cluster, resolver=_RESOLVER)
    if schedules and not together:
        shown += _COORDINATOR
    return shown.rstrip("\n")


def tell_role(together: bool) -> str:
    if together:
        what = "each waits for the others, and they make every step together"
    else:
        what = "servers serve and wait, any other process coordinates"
    return f"TF_CONFIG says which task this process is: {what}"
