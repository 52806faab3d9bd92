"""Runs `launcher.py` for one program after another, in processes forked from one with TensorFlow.

Reads a line of JSON for each: {"command": [launcher, program, arguments], "environment", "seconds",
"log"}; answers each with a line. Runs under Python 3.7.
"""

import json
import os
import signal
import sys
import time


def become(job):
    """Becomes the program of a job; never returns."""
    try:
        os.setsid()
        log = os.open(job["log"], os.O_CREAT | os.O_WRONLY)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        os.environ.clear()
        os.environ.update(job["environment"])
        sys.argv = job["command"]
        import launcher

        launcher.main()
    except BaseException as error:
        sys.stderr.write("{}: {}\n".format(type(error).__name__, error))
        sys.stderr.flush()
    os._exit(1)


def wait(pid, seconds):
    """Waits for a process's end, and ends it when its time is over."""
    late = time.time() + seconds
    while time.time() < late:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def main():
    import tensorflow  # noqa: F401

    out = os.dup(1)
    for line in iter(sys.stdin.readline, ""):
        job = json.loads(line)
        pid = os.fork()
        if not pid:
            become(job)
        wait(pid, job["seconds"])
        os.write(out, b"ended\n")


if __name__ == "__main__":
    main()
