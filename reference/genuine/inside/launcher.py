"""Runs a program under TensorFlow 1.15.5 and writes what it builds: `launcher.py program.py arguments`.

The environment says where: GENUINE_OUT the file, GENUINE_RUN the directory that may be written,
GENUINE_PROGRAM the working copy in it, GENUINE_SECONDS how long it may take, GENUINE_EVERYTHING
whether all calls are told with what they added, GENUINE_CLUSTER the other tasks of its cluster.
Runs under Python 3.7.
"""

import builtins
import json
import os
import runpy
import sys
import threading
import traceback

_open = builtins.open


def _load():
    """The modules of the record, without what else is beside them on the path."""
    here = os.path.dirname(os.path.abspath(__file__))
    watched = os.path.join(os.path.dirname(os.path.dirname(here)), "verify", "watched")
    sys.path[:0] = [here, watched]
    try:
        from genuine_inside import calls, data, lines, project, runs
        from verify_inside import sandbox
    finally:
        sys.path.remove(here)
        sys.path.remove(watched)
    return calls, data, lines, project, runs, sandbox


class Recording:
    """One program's run, written once: at its end or when its time is over."""

    def __init__(self, parts, root):
        calls, data, lines, project, runs, sandbox = parts
        own = [os.path.dirname(os.path.abspath(__file__)) + os.sep]
        self._project, self._root, self._out = project, root, os.environ["GENUINE_OUT"]
        self.calls = calls.Calls([root], own)
        self.lines = lines.Lines([root], own)
        self.runs = runs.Runs(self.calls)
        self._lock = threading.Lock()
        self._written = False
        self.made, self.asked = [], []
        run = os.path.realpath(os.environ["GENUINE_RUN"])
        redirect = sandbox.Redirect([run], os.path.join(run, "elsewhere"))
        sandbox.keep_files(redirect)
        sandbox.keep_tensorflow_files(redirect)
        sandbox.keep_off_network(self.asked)
        data.install(self.made)

    def write(self, reason, error=""):
        with self._lock:
            if self._written:
                return
            self._written = True
            self._write(reason, error)

    def _write(self, reason, error):
        everything = bool(os.environ.get("GENUINE_EVERYTHING"))
        calls, runs = list(self.calls.found), list(self.runs.found)
        graphs = []
        for graph in [c.graph for c in calls] + [r["graph"] for r in runs]:
            if graph not in graphs:
                graphs.append(graph)
        base = self._root + os.sep
        made = [
            self._project.Projection(g, calls, runs, base, everything).made()
            for g in graphs
        ]
        for number, graph in enumerate(graphs):
            for index, run in enumerate([r for r in runs if r["graph"] is graph]):
                made[number]["runs"][index]["order"] = runs.index(run)
        kept = [g for g in made if g["variables"] or g["runs"] or g["calls"]]
        lines = {}
        for name in sorted(self.lines.found):
            short = name[len(base) :] if name.startswith(base) else name
            lines[short] = self.lines.ranges(name)
        row = {"ended": reason, "error": error, "graphs": kept, "lines": lines}
        row["made"], row["network"] = sorted(set(self.made)), sorted(set(self.asked))
        row["arguments"] = sys.argv[1:]
        with _open(self._out, "w") as file:
            json.dump(row, file)


def _serve(cluster):
    """Starts the other tasks of a cluster in this process."""
    import tensorflow as tf

    hosts = json.loads(cluster)
    servers = []
    for job, addresses in hosts["cluster"].items():
        for index in range(len(addresses)):
            if [job, index] != hosts["task"]:
                servers.append(
                    tf.train.Server(hosts["cluster"], job_name=job, task_index=index)
                )
    return servers


def main():
    sys.argv = sys.argv[1:]
    program = os.path.realpath(sys.argv[0])
    root = os.path.realpath(os.environ["GENUINE_PROGRAM"])
    parts = _load()
    sys.path[0] = os.path.dirname(program)
    os.chdir(os.environ.get("GENUINE_CWD") or os.path.dirname(program))
    import tensorflow as tf

    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    recording = Recording(parts, root)
    servers = (
        _serve(os.environ["GENUINE_CLUSTER"])
        if os.environ.get("GENUINE_CLUSTER")
        else []
    )

    def late():
        recording.write("time")
        os._exit(0)

    timer = threading.Timer(float(os.environ["GENUINE_SECONDS"]), late)
    timer.daemon = True
    timer.start()
    recording.runs.install()
    reason, error = "ended", ""
    recording.lines.start()
    recording.calls.start()
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as ended:
        if ended.code not in (None, 0):
            reason, error = "failed", "exit %s" % (ended.code,)
    except BaseException as raised:
        traceback.print_exc()
        reason, error = "failed", "%s: %s" % (type(raised).__name__, str(raised)[:300])
    recording.calls.stop()
    recording.lines.stop()
    recording.write(reason, error)
    del servers
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
