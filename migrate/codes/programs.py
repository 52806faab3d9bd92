"""Codes N1xx: programs not covered yet."""

from __future__ import annotations

from migrate.codes.code import Code

CODES = (
    Code(
        "N100",
        "part of a refused program",
        "A program that cannot be migrated whole is left as it is: half of it would not run. Reports count "
        "these uses, and list the one finding that says why.",
    ),
    Code(
        "N101",
        "not one training session",
        "One session per file is understood, plain sessions one after the other or in a "
        "loop, and several graphs - of functions, of branches, or one after the other - "
        "where what they share comes out alike for each.",
    ),
    Code(
        "N102",
        "another file of the program",
        "The file itself could be migrated. It is left as it is, because another file of "
        "its program is refused: the program would run on neither TensorFlow. Files are one "
        "program where one imports the other, or where both are imported by a third. Mend "
        "the other file; or leave it out of the run (--exclude), if it is no part of the "
        "program, as an old script that nobody starts.",
    ),
    Code(
        "N103",
        "branch on a tensor",
        "A Python branch on a step-time tensor: TF1 tested the graph node, never its value.",
    ),
    Code(
        "N104",
        "variables in a header",
        "Variables are created in the header of a statement.",
    ),
    Code(
        "N105",
        "collections",
        "TF2 keeps no graph collections.",
    ),
    Code(
        "N106",
        "placeholders from a helper",
        "A helper function makes placeholders for its caller.",
    ),
    Code(
        "N107",
        "update in a helper",
        "The optimizer's minimize or apply_gradients stands in a helper function. Move it to where the session is opened.",
    ),
    Code(
        "N108",
        "call arguments",
        "A helper that creates variables is called in a way whose arguments cannot be told apart.",
    ),
    Code(
        "N109",
        "variables nested in a loop",
        "Variables are made in blocks inside a loop.",
    ),
    Code(
        "N110",
        "gradients in a loop",
        "Gradients are taken in a loop: over workers, say, each of which subtracts its own. "
        "Keep the losses in a list, and let one optimizer minimise their sum after the loop.",
    ),
    Code(
        "N111",
        "name taken",
        "The program uses a name that the migrated program needs. Rename it.",
    ),
    Code(
        "N113",
        "one name, several variables",
        "A name stands for different variables in a branch and outside it.",
    ),
    Code(
        "N114",
        "decorated model function",
        "A function that makes variables and computes is split in two; what its decorator does to it as a whole would be lost.",
    ),
    Code(
        "N115",
        "Python in the graph",
        "tf.py_func runs Python code where the graph was made. A step function is sent to a worker, which is another process.",
    ),
    Code(
        "N116",
        "taken in a step",
        "What next() or pop() gives was given once, when the graph was built. A step function, traced anew, would take the next.",
    ),
    Code(
        "N120",
        "Supervisor",
        "Refused when the program uses of its Supervisor what a session has not: an init_fn of which it is not seen that it restores, an init_feed_dict that a variable begins as, a session_manager of its own, another graph; or passes it on where it cannot be followed.",
    ),
    Code(
        "N121",
        "other sessions",
        "A MonitoredSession, or a creator of one, that is not read: it is passed on, or chosen in another way than by one condition.",
    ),
    Code(
        "N122",
        "Estimator",
        "An Estimator in the file of another training session: one program per file is "
        "migrated. Sessions that only look at the Estimator's input are (N162). Or contrib.learn's Experiment, which is older than train_and_evaluate.",
    ),
    Code(
        "N162",
        "session that looks at input",
        "A session beside an Estimator that only fetches batches of an input_fn, or of a dataset. They are read without a session, as numpy values.",
    ),
    Code(
        "N135",
        "tensor read by its name",
        "A function that the graph calls reads a tensor of the graph by its name, not as a "
        "parameter. The tensor becomes a local name of a step function, which the function "
        "cannot see. Where the function's body can stand at its call, it is put there.",
    ),
    Code(
        "N140",
        "name scopes",
        "TensorFlow 1 named what get_variable and layers make by variable scopes alone; TensorFlow 2 has one kind of scope. "
        "Such statements move out of name scopes. Where one makes what a name scope does name, too (tf.Variable, "
        "summaries), it stays: in checkpoints its variables' names begin with the name scope's.",
    ),
    Code(
        "N141",
        "names of operations",
        "A variable is given a name that an operation or a scope before it has: TensorFlow 1 numbered the variable, `q_1`, "
        "and checkpoints know it so. Where both stand in one block, and it is known that such an operation takes its name "
        "once, the number is written out. Where it is not certain this is told, and the variable has its plain name.",
    ),
    Code(
        "N123",
        "slim",
        "This part of contrib.slim is not covered: its data providers, evaluation loops and copies of networks. Layers, argument scopes, losses and training operations are (L150); tf_slim has the rest for graphs of compat.v1.",
    ),
    Code(
        "N125",
        "towers that are not read",
        "Towers within the workers of a cluster that do more than compute and average "
        "gradients, or whose number is only known within the graph, which is made after "
        "the strategy.",
    ),
    Code(
        "N126",
        "a loop over towers",
        "What its reason says is not the same in replicas: variables that each tower has "
        "for itself, gradients that are not averaged, summaries or batches in a way that "
        "is not read.",
    ),
    Code(
        "N127",
        "towers on tasks, built by several",
        "Towers on the tasks of a cluster are built and run by one client; the tasks "
        "serve. Here several tasks may open a session, or it is not seen which: as many "
        "clients would train, and share no variables.",
    ),
    Code(
        "N160",
        "recurrent cells that are not carried over",
        "A cell under a variable scope that is entered again, whose variables it would "
        "share with another; a scope that is an object; seeds of dropout.",
    ),
    Code(
        "N161",
        "all variables, in the graph",
        "TF1 listed the variables that there were by then, the optimizer's among them; "
        "here the optimizer and layers make theirs in the first step.",
    ),
    Code(
        "N130",
        "slim.deployment",
        "model_deploy clones a model on devices, and collects losses and gradients of the "
        "clones by their scopes. Towers in a loop, whose gradients are averaged, become "
        "a MirroredStrategy.",
    ),
    Code(
        "N131",
        "a queue that tasks share",
        "A queue that several tasks know by its name, and that does more than to end "
        "parameter servers when their workers have ended (N170).",
    ),
    Code(
        "N171",
        "a server that is not there",
        "Synchronous training starts no server; its workers meet by themselves. What is "
        "printed of the server is left out there; other uses of it are refused.",
    ),
    Code(
        "N170",
        "parameter servers that end",
        "A queue on each parameter server, into which every worker puts a number when it "
        "has ended, and which the server reads so many times. The coordinator knows when "
        "all loops have ended, and tells the servers.",
        "queue = create_done_queue(FLAGS.task_index)\n"
        "sess = tf.Session(server.target)\n"
        "for i in range(num_workers):\n  sess.run(queue.dequeue())",
        "training_session.serve_until_done(server)",
        promise="A parameter server ends when every worker's loop has, with what it did "
        "after it had waited. It does not end while the chief still saves.",
        refused_when="the queue does something else too (N131). In synchronous training "
        "there is nothing to serve: the task ends at once.",
    ),
    Code(
        "N132",
        "what a Supervisor does beside the session",
        "A function that it calls by time and that is not of the file, is given other "
        "names than those beside the loop, or changes variables; its session manager, "
        "stop_on_exception: the session that it becomes has none of them.",
    ),
)
