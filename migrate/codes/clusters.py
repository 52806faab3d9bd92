"""Codes C1xx: clusters and servers."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
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
        "C106",
        "a worker's own",
        "In asynchronous training one coordinator runs the loop of every worker in a thread. What a TF1 worker, a process, had for itself, the migrated program makes once per worker: objects that the loop changes (readers, iterators, lists), the generators of `numpy.random` and `random`, and the task's index in functions that the loop calls.",
        "reader = Reader()",
        "reader = training_session.per_worker(lambda: Reader())",
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
        "C114",
        "local device",
        "tf.device of a local device is kept in step functions; around variables the strategy places them.",
    ),
    Code(
        "C115",
        "placement by hand",
        "Operations or variables are placed on tasks by explicit device strings, which this version does not migrate; or on local devices whose names are computed (`/gpu:%d`), where no loop over towers was recognised.",
    ),
    Code(
        "C130",
        "placement kept",
        "One client runs a graph whose variables and operations are pinned to the tasks of "
        "a cluster by hand. The client connects to the cluster and keeps every device: the "
        "same tasks hold the same variables and compute the same operations. What is not "
        "pinned is the client's own, no more the server's that the session was opened on.",
        'with tf.device("/job:ps/task:0"):\n  w = tf.Variable(0.)\n'
        'with tf.Session("grpc://host:2222") as sess:\n  ...',
        "tf.config.experimental_connect_to_cluster(cluster)\n"
        'with tf.device("/job:ps/task:0"):\n  w = tf.Variable(0.)\n'
        "with plain_session.Session(replicas) as sess:\n  ...",
    ),
    Code(
        "C131",
        "a client without its cluster",
        "To place anything on a task the client needs the addresses of all: a ClusterSpec "
        "that is seen where the session is opened.",
    ),
    Code(
        "C132",
        "a client per task",
        "The placement depends on the task's index, so that every task opens a session of "
        "its own on another server. In TF1 they shared variables by name; clients of a "
        "TensorFlow 2 cluster share none.",
    ),
    Code(
        "C133",
        "the usual split by hand",
        "Variables, and assignments to them, pinned to parameter servers and everything else to the own worker is "
        "what replica_device_setter does: a ParameterServerStrategy, which deals variables "
        "to the servers in turn. They may be on other servers than before; what they are "
        "does not change.",
        'with tf.device("/job:ps/task:0"):\n  w = tf.Variable(0.)\n'
        'with tf.device("/job:worker/task:%d" % FLAGS.task_index):\n  ...',
        "with strategy.scope(), replicas.recording():\n  w = tf.Variable(0.)",
    ),
    Code(
        "C134",
        "the cluster of another file",
        "A client that places its graph on tasks of a cluster has to know all of their "
        "addresses. Where one other file of the tree describes the cluster by flags and "
        "constants alone, the client has the same statements: the same flags, with the same "
        "defaults. Where none does, or several, it is refused (C131).",
        'with tf.Session("grpc://localhost:2223") as sess:',
        "cluster = tf.train.ClusterSpec({...})  # as in server.py\n"
        "tf.config.experimental_connect_to_cluster(cluster)",
    ),
    Code(
        "C116",
        "a session beside the server",
        "tf.Session() computes in its own process, also where a server is started: every "
        "worker trains a model of its own. tf.Session(server.target) was meant, or no "
        "server.",
    ),
    Code(
        "C117",
        "cluster under a condition",
        "A program may train alone where it has no cluster: it is asked once more where the strategy is made, so it must be asked by what does not change, and the session must be the process's own then.",
    ),
    Code(
        "C118",
        "servers started elsewhere",
        "The program could be a client of servers that run already, one client for each worker. Here one coordinator runs the loops of all workers, and its process is one of the servers: the flag is kept, and raises an error.",
    ),
    Code(
        "C119",
        "in the coordinator alone",
        "Every TF1 worker was a process that ran the whole program. Here the others wait "
        "for what worker 0, the coordinator, lets them do: what stands between the "
        "cluster and the loop of the workers (a print, a file that is written) is done "
        "once, in worker 0's process, not in each.",
        noted=True,
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
        "C140",
        "a queue or table that keeps elements",
        "A queue, a staging area or a mutable table is one object of the graph, which several runs fill and read. A step function is a graph of its own: it would make another one, empty, and wait for ever.",
    ),
)
