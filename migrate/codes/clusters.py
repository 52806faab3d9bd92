"""Codes C1xx: clusters and servers."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "C101",
        "server or tasks in a form that the tool does not read",
        "The tool recognises a cluster program by its one `tf.train.Server`, and by what each task does with it. Here it cannot tell. There is no server, or there are several. Or the program starts the server in one function and opens the session in another, or makes a dataset before the server that the server needs. Or the server is incomplete: it is not kept in a variable, it lacks `cluster`, `job_name` or `task_index`, or no task waits in `server.join()`. Or the server starts only under a condition that may change. Or the session is not opened on the server. Or a worker waits in `server.join()` after its training.",
        why="The tool reads from the server which tasks are parameter servers and which task is worker 0. Worker 0 becomes the coordinator: it alone starts steps on the other tasks, and it must not wait after its loop. A session without `server.target` never uses the cluster, so every worker trains a model of its own. A wrong guess would start the wrong tasks. The strategy is built from the cluster and must exist before the variables, and the tool can only order these steps inside one function.",
        before='server = tf.train.Server(cluster, job_name="worker", task_index=0)\nwith tf.Session() as sess:',
        after='server = tf.train.Server(cluster, job_name="worker", task_index=0)\nwith tf.Session(server.target) as sess:',
    ),
    Code(
        "C106",
        "per-worker state",
        "Each worker gets its own copy of an object that the training loop changes: a reader, an iterator, a list, a random generator of `numpy.random` or `random`, or the task's index inside a helper function.",
        why="A TensorFlow 1 worker was a process, so it had its own copy of every object. In asynchronous training under TensorFlow 2 one coordinator process runs the loop of every worker in a thread.",
        before="reader = Reader()",
        after="reader = training_session.per_worker(lambda: Reader())",
    ),
    Code(
        "C107",
        "the loop or the step asks which worker it is",
        "The training step computes something from the task's index, or `if is_chief:` decides what it computes. Or synchronous workers would update the variables differently. Or the training loop tests the job's name, and the cluster may have a chief task.",
        why="One coordinator process runs the loops of all workers. It traces one step function and sends it to all of them, so the function cannot contain one worker's index as a constant. The loops of the chief and of the workers run under one job name, so a test of the name would give the same answer for all of them.",
        recipe="Feed the value that differs: make it a placeholder, and pass it in `feed_dict`. Recognise the chief by its index: `task_index == 0`. The migrated loops are numbered anew: the chief has 0, and the workers the numbers after it. In TensorFlow 1 the chief and worker 0 both have 0.",
    ),
    Code(
        "C109",
        "per-worker state that cannot be copied",
        "The loop changes something that each TensorFlow 1 worker had for itself, and the tool cannot make one copy for each worker. It is a global that the loop rebinds, a default value or an attribute of a function or class that it changes, state of another file of the tree, a flag, an environment variable, an object made by more than one assignment, state that is used before the loop, or a generator that the graph's construction has used too. In eager code it may also be a batch that depends on the worker.",
        why="All loops now run in one process (see C106). A shared object would mix the state of several workers.",
        recipe="Make the object in one statement before the loop, and use it only in the loop.",
    ),
    Code(
        "C110",
        "server",
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
        "The tool removes `replica_device_setter`, and its `GreedyLoadBalancingStrategy` too. It does the same where the program pins variables to parameter servers by hand, and everything else to its own worker. `ParameterServerStrategy` places variables on parameter servers round robin, as the setter did by default. `MultiWorkerMirroredStrategy` keeps a copy on each worker. This changes where variables live, not what they compute. A `tf.device` block for a device of this process stays in step functions. The tool removes it around variables, and in a `model_fn` that becomes a Keras model. A setter that gets neither `cluster` nor `ps_tasks` is a warning: TensorFlow 1 then shared no variables between workers.",
        why="In TensorFlow 1 a device function chose the place of each variable. In TensorFlow 2 the scope of a strategy does, so a device function inside it has nothing to decide. To balance bytes between parameter servers, give the strategy a partitioner.",
        before="with tf.device(tf.train.replica_device_setter(cluster=cluster)):\n  w = tf.Variable(0.)",
        after="with strategy.scope(), replicas.recording():\n  w = tf.Variable(0.)",
        refused_when="A block names another local device than the CPU or the first GPU. A `model_fn` then stays one (K110).",
    ),
    Code(
        "C115",
        "placement by hand",
        "The program places operations or variables on tasks by explicit device strings, or on local devices with computed names such as `/gpu:%d`. The tool did not recognise the pattern as towers or as a parameter-server split.",
        why="A strategy chooses devices itself. The tool cannot tell which placement changes the result and which only changes the speed.",
    ),
    Code(
        "C130",
        "client of a cluster, placed by hand",
        "One client runs a graph whose variables and operations are pinned by hand to the tasks of a cluster. The migrated client connects to the cluster and keeps every device. Operations without a device run in the client; in TensorFlow 1 they ran on the session's server. If the client has no `ClusterSpec`, and exactly one other file of the tree describes the cluster with flags and constants, the client gets the same statements: the same flags, with the same defaults. With no such file, or with several, the client is refused (C131).",
        why="`tf.device` works on remote tasks after `experimental_connect_to_cluster`, so the program needs no strategy. A TensorFlow 1 client needed the address of one server, and that server knew the others. A TensorFlow 2 client connects to every task itself, so it needs all addresses.",
        before='with tf.device("/job:ps/task:0"):\n  w = tf.Variable(0.)\nwith tf.Session("grpc://host:2222") as sess:\n  ...',
        after='tf.config.experimental_connect_to_cluster(cluster)\nwith tf.device("/job:ps/task:0"):\n  w = tf.Variable(0.)\nwith plain_session.Session(replicas) as sess:\n  ...',
    ),
    Code(
        "C131",
        "client that cannot connect to the cluster as the only one",
        "The client places operations on remote tasks, but the tool sees no `ClusterSpec` where the session is opened. Or there are several clients: the placement depends on the task's index, so that every task opens its own session on another server, or several tasks go on to the same session and do not wait in `server.join()`. Or towers stand on the tasks of a cluster, and the tool cannot tell which one task builds and runs them.",
        why="A TensorFlow 1 client needed the address of one server. A TensorFlow 2 client needs the addresses of all tasks. TensorFlow 1 clients shared variables by name. Clients of a TensorFlow 2 cluster share none, so each would train alone.",
    ),
    Code(
        "C118",
        "servers started elsewhere",
        "A flag lets the program be a client of servers that run already. The flag stays and now raises an error.",
        why="Here one coordinator runs the loops of all workers, and its own process is one of the servers. A separate client for each worker no longer exists.",
    ),
    Code(
        "C119",
        "only in the coordinator",
        "A statement between the cluster and the worker's loop, such as a print or a written file, is now executed once, by worker 0. TensorFlow 1 executed it in every worker. It may also be a draw of random numbers without a seed that the loops use: each TensorFlow 1 worker drew its own, and now all use the same. If a seed is set before, all workers drew the same, and the tool reports nothing.",
        why="Every TensorFlow 1 worker ran the whole program. Here the other workers wait for work from the coordinator, so they do not reach that statement.",
        noted=True,
    ),
    Code(
        "C140",
        "a queue or table that keeps elements",
        "A queue, a staging area or a mutable table keeps elements from one `session.run` to the next. Or several tasks use a queue by its name, and the queue does more than stop the parameter servers (C110).",
        why="In TensorFlow 1 it was one object of the graph, and the tasks of a cluster found a queue by its name. A step function is a graph of its own: it would make another, empty object, and wait forever.",
    ),
)
