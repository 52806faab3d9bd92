"""Keeps what a program prints, line by line, beside printing it."""

import json
import threading


class Tee:
    """Standard output, of which each thread's lines are kept apart.

    Args:
      recorder: knows whose line it is, and after how many steps it is printed.
      path: of the file that gets a line of JSON for every printed line.
    """

    def __init__(self, stream, path, recorder):
        self._stream, self._file = stream, open(path, "w")
        self._recorder = recorder
        self._lock, self._begun = threading.Lock(), {}

    def write(self, text):
        self._stream.write(text)
        thread = threading.current_thread().name
        with self._lock:
            *lines, rest = (self._begun.get(thread, "") + text).split("\n")
            for line in lines:
                self._keep(line)
            self._begun[thread] = rest
            if lines:
                self._file.flush()
        return len(text)

    def _keep(self, line):
        recorder = self._recorder
        told = {"worker": recorder.worker(), "step": recorder.steps, "text": line}
        self._file.write(json.dumps(told) + "\n")

    def flush(self):
        self._stream.flush()

    def __getattr__(self, name):
        return getattr(self._stream, name)
