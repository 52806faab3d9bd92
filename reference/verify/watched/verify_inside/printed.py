"""Keeps what a program prints, line by line, beside printing it."""

import threading


class Tee:
    """Standard output, of which each thread's lines are kept apart."""

    def __init__(self, stream, path):
        self._stream, self._file = stream, open(path, "w")
        self._lock, self._begun = threading.Lock(), {}

    def write(self, text):
        self._stream.write(text)
        thread = threading.current_thread().name
        with self._lock:
            *lines, rest = (self._begun.get(thread, "") + text).split("\n")
            for line in lines:
                self._file.write(line + "\n")
            self._begun[thread] = rest
            self._file.flush()
        return len(text)

    def flush(self):
        self._stream.flush()

    def __getattr__(self, name):
        return getattr(self._stream, name)
