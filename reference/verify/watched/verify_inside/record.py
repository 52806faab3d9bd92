"""Writes what a program does: events as lines of JSON, arrays as bytes beside them."""

import hashlib
import json
import os
import sys
import threading

import numpy as np

from .gate import Gate

_EXACT = (bool, int, float, complex, np.generic, np.ndarray)


class Settings:
    """What the parent asks for, from the environment."""

    def __init__(self, environment):
        self.out = environment["VERIFY_OUT"]
        self.root = environment["VERIFY_ROOT"]
        self.start = environment["VERIFY_START"]
        self.side = environment["VERIFY_SIDE"]
        self.makes_start = environment.get("VERIFY_MAKES_START") == "1"
        self.ulps = int(environment.get("VERIFY_ULPS") or 0)
        self.steps = int(environment["VERIFY_STEPS"])
        self.bytes = int(environment["VERIFY_BYTES"])
        self.probe = environment.get("VERIFY_PROBE") == "1"
        self.seed = int(environment["VERIFY_SEED"])
        task = environment.get("VERIFY_TASK", "")
        self.task = int(task) if task.isdigit() else None  # None: no worker.
        self.workers = int(environment.get("VERIFY_WORKERS") or 1)
        self.alone = environment.get("VERIFY_ALONE") == "1"  # It is the only process.
        self.gate = environment["VERIFY_GATE"]
        self.support = frozenset(environment["VERIFY_SUPPORT"].split(","))


class Recorder:
    """One process's record: `events.jsonl` and `arrays.bin` of a directory.

    Arrays are kept once: one that is as it was is told by its place.
    """

    def __init__(self, settings):
        self.settings = settings
        self.lock = threading.RLock()
        os.makedirs(settings.out, exist_ok=True)
        self._events = open(os.path.join(settings.out, "events.jsonl"), "w")
        self._arrays = open(os.path.join(settings.out, "arrays.bin"), "wb")
        self._size = 0
        self._places = {}
        self._quiet = threading.local()
        self._counts = {}
        self.trained = 0  # How many steps were made that train, by all workers.
        self.worker = lambda: settings.task or 0  # Whose step this thread makes.
        self.gate = Gate(settings.gate, settings.workers)
        self.failure = None  # What ended the loop of one of several workers.
        self.at_end = dict  # Gives what else is told at the end.

    @property
    def steps(self):
        """How many steps this thread's worker has made."""
        return self._counts.get(self.worker(), 0)

    def count(self, trains):
        """Notes a step; one that only gives variables values does not train."""
        with self.lock:
            self._counts[self.worker()] = self.steps + 1
            self.trained += trains

    # What a program does inside another thing that is recorded is not recorded itself.

    def is_quiet(self):
        return getattr(self._quiet, "depth", 0) > 0

    def quiet(self):
        return _Quiet(self._quiet)

    def event(self, kind, **data):
        data["kind"] = kind
        data["worker"] = self.worker()
        with self.lock:
            self._events.write(json.dumps(data) + "\n")
            self._events.flush()

    def array(self, value, whole=True):
        """What stands for an array in an event.

        Args:
          whole: whether its elements are kept; else only what tells it from others.
        """
        value = np.asarray(value)
        told = {"dtype": str(value.dtype), "shape": list(value.shape)}
        if value.dtype.kind in "OSU":
            told["text"] = [_text(v) for v in value.reshape(-1)[:100]]
            return told
        if value.dtype.kind not in "biufc":  # bfloat16 and its kind.
            told["dtype"] = "float32"
            value = value.astype(np.float32)
        data = np.ascontiguousarray(value).tobytes()
        digest = hashlib.sha1(data).hexdigest()[:16]
        told["digest"] = digest
        if value.dtype.kind == "f" and value.size:
            told["finite"] = bool(np.isfinite(value).all())
        if not whole:
            return told
        key = digest, len(data)
        with self.lock:
            if key not in self._places:
                self._places[key] = self._size
                self._arrays.write(data)
                self._size += len(data)
            told["at"] = self._places[key]
        return told

    def keeps_variables(self, step, size):
        """Whether the variables after a step, of so many bytes, are kept whole."""
        wanted = max(1, self.settings.steps)
        if size * wanted <= self.settings.bytes:
            return True
        often = max(1, int(self.settings.bytes // max(1, size)) - 6)
        return step < 5 or step % max(1, -(-wanted // often)) == 0 or step == wanted - 1

    def enough(self):
        return self.steps >= self.settings.steps

    def end(self, reason, **more):
        more.update(self.at_end())
        self.gate.end(self.worker())
        if not self.settings.task and self.settings.side == "tf2":
            self.gate.over()
        self.event("end", reason=reason, steps=self.steps, **more)
        with self.lock:
            self._arrays.flush()

    def serve(self):
        """Ends the process, if it has made no step of its own, with those it serves."""

        def leave():
            if not self._counts:
                self.end("served")
                os._exit(0)

        self.gate.serve_until_over(leave)

    def leave(self):
        """Ends the process where it stands: the program has made its steps.

        It has failed where one of its loops has, though others went on.
        """
        self.gate.leave(self.worker())
        if self.failure is None:
            self.end("enough")
        else:
            self.end(
                "failed", error="%s: %s" % (type(self.failure).__name__, self.failure)
            )
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(self.failure is not None))


class _Quiet:
    def __init__(self, local):
        self._local = local

    def __enter__(self):
        self._local.depth = getattr(self._local, "depth", 0) + 1

    def __exit__(self, *error):
        self._local.depth -= 1


def _text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def flatten(value):
    """The leaves of a fetched structure, in one order in every Python; no None."""
    if value is None:
        return []
    if isinstance(value, dict):
        keys = sorted(value, key=str)
        return [leaf for key in keys for leaf in flatten(value[key])]
    if isinstance(value, (list, tuple)):
        if (
            isinstance(value, list)
            and value
            and all(isinstance(v, _EXACT) for v in value)
        ):
            return [np.asarray(v) for v in value]
        return [leaf for item in value for leaf in flatten(item)]
    return [value]


def place(settings, depth=1):
    """The line of the program, "file:line", from which this is called."""
    frame = sys._getframe(depth)
    while frame is not None:
        path = frame.f_code.co_filename
        found = own_file(settings, path)
        if found:
            return "%s:%d" % (found, frame.f_lineno)
        frame = frame.f_back
    return ""


def own_file(settings, path):
    """A file of the program by its path from the root; "" for any other."""
    path = os.path.abspath(path)
    if not path.startswith(settings.root + os.sep):
        return ""
    relative = path[len(settings.root) + 1 :]
    parts = relative.split(os.sep)
    if any(part.split(".")[0] in settings.support for part in parts):
        return ""
    return relative


def moved_by_ulps(value, ulps):
    """An array of floats, each so many representable numbers away from zero.

    Each other element goes towards zero, so that a sum does not gather them. Of a number
    below zero all go the other way.
    """
    if not ulps or value.dtype.kind != "f":
        return value
    outward = np.where(value < 0, -np.inf, np.inf).astype(value.dtype)
    inward = np.zeros_like(outward)
    odd = (np.arange(value.size) % 2 == (ulps > 0)).reshape(value.shape)
    for _ in range(abs(ulps)):
        value = np.where(
            value == 0, value, np.nextafter(value, np.where(odd, inward, outward))
        )
    return value


class Starts:
    """Initial values: the first run of the original writes them, all others read them.

    They are a checkpoint of step 0, as a Saver writes it, for each graph and each time
    that its variables begin: `graph-0-0/model.ckpt-0`.
    """

    def __init__(self, settings):
        self._settings = settings

    def _path(self, graph, generation):
        name = "graph-%d-%d" % (graph, generation)
        return os.path.join(self._settings.start, name, "model.ckpt-0")

    def write(self, graph, generation, values, trained):
        """Adds values to a checkpoint.

        Args:
          values: by checkpoint name.
          trained: which of them are.
        """
        path = self._path(graph, generation)
        kept = self._values(path) or {}
        kept.update(values)
        told = set(self._trained(path)) | set(trained)
        _save(path, kept)
        with open(path + ".trained", "w") as file:
            json.dump([name for name in kept if name in told], file)

    def read(self, graph, generation):
        """By name; None where the original had no such start."""
        found = self._values(self._path(graph, generation))
        return found and {
            name: moved_by_ulps(np.asarray(value), self._settings.ulps)
            for name, value in found.items()
        }

    def trained(self, graph, generation):
        """Names of those that are trained."""
        return self._trained(self._path(graph, generation))

    def _values(self, path):
        if not os.path.exists(path + ".index"):
            return None
        from tensorflow.python.training import checkpoint_utils

        reader = checkpoint_utils.load_checkpoint(path)
        names = sorted(reader.get_variable_to_shape_map())
        return {name: reader.get_tensor(name) for name in names}

    def _trained(self, path):
        if not os.path.exists(path + ".trained"):
            return []
        with open(path + ".trained") as file:
            return json.load(file)


def _save(path, values):
    """Writes a checkpoint, without a word of it in the program's own graph."""
    from tensorflow.python.client import session
    from tensorflow.python.framework import dtypes, ops
    from tensorflow.python.ops import array_ops, io_ops

    os.makedirs(os.path.dirname(path), exist_ok=True)
    names = sorted(values)
    with ops.Graph().as_default(), ops.device("/cpu:0"):
        arrays = [np.asarray(values[name]) for name in names]
        held = [
            array_ops.placeholder(
                dtypes.string if a.dtype.kind in "OSU" else a.dtype, a.shape
            )
            for a in arrays
        ]
        saved = io_ops.save_v2(path, names, [""] * len(names), held)
        with session.Session() as own:
            own.run(saved, dict(zip(held, arrays)))
