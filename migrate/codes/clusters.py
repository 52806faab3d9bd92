"""Codes C1xx: clusters and servers."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "C101",
        "tf.train.Server or its tasks in an unsupported form",
        "The tool recognises a cluster program by its one `tf.train.Server`, and by what each task does with it. In this program it cannot tell which tasks serve, which tasks train, or which cluster the session uses.",
        why="The tool reads from the server which tasks are parameter servers and which task is worker 0. Worker 0 becomes the coordinator: it alone starts steps on the other tasks, and it must not wait after its loop. A session without `server.target` never uses the cluster, so every worker trains a model of its own. A wrong guess would start the wrong tasks. The strategy is built from the cluster and must exist before the variables, and the tool can only order these steps inside one function.",
        before='server = tf.train.Server(cluster, job_name="worker", task_index=0)\nwith tf.Session() as sess:',
        after='server = tf.train.Server(cluster, job_name="worker", task_index=0)\nwith tf.Session(server.target) as sess:',
        recipe="Start one server, in the function that opens the session: `server = tf.train.Server(cluster, job_name=..., task_index=...)`. Let each parameter server wait in `server.join()`, and open the session on `server.target`.",
        refused_when="There is no server, or there are several. The server starts in another function than the session, after a dataset that it needs, or under a condition that may change. The server is not kept in a variable, or lacks `cluster`, `job_name` or `task_index`. No task waits in `server.join()`, or a worker waits there after its training. The session is not opened on `server.target`.",
    ),
    Code(
        "C106",
        "object that each worker gets a copy of",
        "Each worker gets its own copy of an object that the training loop changes: a reader, an iterator, a list, a random generator of `numpy.random` or `random`, or the task's index inside a helper function.",
        why="A TensorFlow 1 worker was a process, so it had its own copy of every object. In asynchronous training under TensorFlow 2 one coordinator process runs the loop of every worker in a thread.",
        before="reader = Reader()",
        after="reader = training_session.per_worker(lambda: Reader())",
    ),
    Code(
        "C107",
        "training step or loop that depends on the worker",
        "The training step computes something from the task's index, or `if is_chief:` decides what it computes. Or synchronous workers would update the variables differently. Or the training loop tests the job's name, and the cluster may have a chief task.",
        why="One coordinator process runs the loops of all workers. It traces one step function and sends it to all of them, so the function cannot contain one worker's index as a constant. The loops of the chief and of the workers run under one job name, so a test of the name would give the same answer for all of them.",
        recipe="Feed the value that differs: make it a placeholder, and pass it in `feed_dict`. Recognise the chief by its index: `task_index == 0`. The migrated loops are numbered anew: the chief has 0, and the workers the numbers after it. In TensorFlow 1 the chief and worker 0 both have 0.",
    ),
    Code(
        "C109",
        "worker's own object that the tool cannot copy",
        "The loop changes something that each TensorFlow 1 worker had for itself, and the tool cannot make one copy for each worker. Examples are a global name, an attribute of a class, a flag, an environment variable, and state of another file.",
        why="TensorFlow 1 started one process for each worker. Under TensorFlow 2 one coordinator process runs the loops of all workers (see C106). A shared object would mix the state of several workers.",
        recipe="Make the object in one statement before the loop, and use it only in the loop.",
        refused_when="The loop changes a global name that it rebinds, a default value or an attribute of a function or class, state of another file of the tree, a flag, an environment variable, or an object that more than one assignment makes. Or the program uses the object before the loop. Or the code that builds the graph uses the same generator. In eager code, a batch may depend on the worker.",
    ),
    Code(
        "C110",
        "tf.train.Server becomes tf.distribute.Server",
        "`tf.train.Server` becomes `tf.distribute.Server` with the same arguments. It also gets enough threads to serve and to compute at the same time. If the program ends each parameter server with a queue, into which every worker puts a number when it has finished, the coordinator now tells the servers when all loops have finished.",
        why="Worker 0's process is both a server and the coordinator. With one thread pool for each core it could wait for itself. A TensorFlow 1 server could not see when the workers had finished. The coordinator runs all loops, and knows when they end.",
        before='server = tf.train.Server(cluster, job_name="worker", task_index=0)',
        after='server = tf.distribute.Server(\n    cluster, job_name="worker", task_index=0,\n    config=training_session.server_config())',
        promise="What a parameter server did after its wait for a queue is still done. It does not end while the chief saves.",
        refused_when="The queue does something else as well (C140). In synchronous training there is nothing to serve, and the task ends at once.",
    ),
    Code(
        "C111",
        "device setter or device block",
        "The tool removes `replica_device_setter` and its `GreedyLoadBalancingStrategy`. It also removes device strings that pin variables to parameter servers, and everything else to the worker itself. `ParameterServerStrategy` places variables on parameter servers in turn, as the setter did by default, and `MultiWorkerMirroredStrategy` keeps a copy on each worker. A `tf.device` block for a device of this process stays in step functions. The tool removes it around variables, and in a `model_fn` that becomes a Keras model.",
        why="In TensorFlow 1 a device function chose the place of each variable. In TensorFlow 2 the scope of a strategy does, so a device function inside it has nothing to decide. A setter without `cluster` and `ps_tasks` is a warning: TensorFlow 1 then shared no variables between workers.",
        before="with tf.device(tf.train.replica_device_setter(cluster=cluster)):\n  w = tf.Variable(0.)",
        after="with strategy.scope(), replicas.recording():\n  w = tf.Variable(0.)",
        refused_when="A block names another local device than the CPU or the first GPU. A `model_fn` then stays one (K110).",
        promise="The variables have the same values, and may be on other tasks. To balance bytes between parameter servers, give the strategy a partitioner.",
    ),
    Code(
        "C115",
        "operations or variables pinned to devices by hand",
        "The program places operations or variables on tasks by explicit device strings, or on local devices with computed names such as `/gpu:%d`. The tool did not recognise the pattern as towers or as a parameter-server split.",
        why="A strategy chooses devices itself. The tool cannot tell which placement changes the result and which only changes the speed.",
    ),
    Code(
        "C130",
        "client that places its graph on a cluster by hand",
        "One client runs a graph whose variables and operations are pinned by hand to the tasks of a cluster. The migrated client connects to the cluster and keeps every device. Operations without a device run in the client; in TensorFlow 1 they ran on the session's server.",
        why="`tf.device` works on remote tasks after `experimental_connect_to_cluster`, so the program needs no strategy. A TensorFlow 1 client needed the address of one server, and that server knew the others. A TensorFlow 2 client connects to every task itself, so it needs all addresses.",
        before='with tf.device("/job:ps/task:0"):\n  w = tf.Variable(0.)\nwith tf.Session("grpc://host:2222") as sess:\n  ...',
        after='tf.config.experimental_connect_to_cluster(cluster)\nwith tf.device("/job:ps/task:0"):\n  w = tf.Variable(0.)\nwith plain_session.Session(replicas) as sess:\n  ...',
        refused_when="The client has no `ClusterSpec`, and no other file of the tree describes the cluster with flags and constants, or several files do (C131). If exactly one file describes it, the client gets the same statements, with the same flags and defaults.",
    ),
    Code(
        "C131",
        "cluster client without a ClusterSpec, or several clients",
        "The client places operations on remote tasks, but the tool sees no `ClusterSpec` where the session is opened. Or there are several clients: every task opens a session of its own, because the placement depends on the task's index, or because several tasks do not wait in `server.join()`. Or towers stand on the tasks of a cluster, and the tool cannot tell which one task builds and runs them.",
        why="A TensorFlow 1 client needed the address of one server. A TensorFlow 2 client needs the addresses of all tasks. TensorFlow 1 clients shared variables by name. Clients of a TensorFlow 2 cluster share none, so each would train alone.",
    ),
    Code(
        "C118",
        "client of servers that another program started",
        "A flag lets the program connect to servers that another program has started. The flag stays. If it is set, the migrated program stops with an error.",
        why="In TensorFlow 2 one coordinator runs the loops of all workers, and its own process is one of the servers. A separate client for each worker no longer exists.",
    ),
    Code(
        "C119",
        "statement that only the coordinator executes now",
        "A statement between the cluster and the worker's loop, such as a print or a written file, is now executed once, by worker 0. TensorFlow 1 executed it in every worker. If the program draws random numbers there without a seed, all workers now use the same numbers.",
        why="Every TensorFlow 1 worker ran the whole program. Under TensorFlow 2 the other workers wait for work from the coordinator, so they do not reach that statement.",
        noted=True,
    ),
    Code(
        "C140",
        "queue or table that keeps elements between runs",
        "A queue, a staging area or a mutable table keeps elements from one `session.run` to the next. Or several tasks share a queue by its name, and use it for more than to stop the parameter servers (C110).",
        why="In TensorFlow 1 the queue or table was one object of the graph, and the tasks of a cluster found a queue by its name. In TensorFlow 2 each step function is a graph of its own. It would make another, empty queue or table, and a read from an empty queue waits forever.",
        recipe="If a thread fills the queue, write what the thread produces as a Python generator, and read it with `tf.data.Dataset.from_generator`. In place of a table, keep a dict in the loop, look the values up there, and feed them.",
    ),
)
