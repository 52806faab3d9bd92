"""Keeps a program to its working copy: files elsewhere are not written, no network."""

import builtins
import os
import socket
import sys

_SYSTEM = ("/dev/", "/proc/", "/sys/", "/etc/")
_LOOPBACK = ("localhost", "127.", "::1", "0.0.0.0")


class Redirect:
    """Paths outside the working copy are written below `elsewhere`, and read there first.

    Args:
      inside: directories that may be written.
      elsewhere: stands for `/`.
    """

    def __init__(self, inside, elsewhere):
        self._inside = tuple(os.path.realpath(path) for path in inside)
        self._elsewhere = elsewhere
        self._stat = os.stat
        self.moved = set()
        self.saved = False  # Whether a Saver has saved.

    def _other(self, path):
        """The path instead of one outside; None where it is the path itself."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            return None
        path = os.path.abspath(os.fsdecode(path))
        if path.startswith(_SYSTEM) or path.startswith(sys.prefix):
            return None
        if any(path == own or path.startswith(own + os.sep) for own in self._inside):
            return None
        return self._elsewhere + path

    def _is_there(self, path):
        try:
            self._stat(path)
        except OSError:
            return False
        return True

    def written(self, path):
        other = self._other(path)
        if other is None:
            return path
        parent = os.path.dirname(os.path.abspath(os.fsdecode(path)))
        if self._is_there(parent) or self._is_there(self._elsewhere + parent):
            _make(os.path.dirname(other), self._stat)
        self.moved.add(os.path.abspath(os.fsdecode(path)))
        return other

    def saved_as(self, path):
        self.saved = True
        return self.written(path)

    def globbed(self, path):
        """Of a pattern, or of what files' names begin with."""
        other = self._other(path)
        if other is None:
            return path
        return other if self._is_there(os.path.dirname(other)) else path

    def read(self, path):
        other = self._other(path)
        return other if other is not None and self._is_there(other) else path


_mkdir = os.mkdir


def _make(path, stat):
    try:
        stat(path)
    except OSError:
        _make(os.path.dirname(path), stat)
        try:
            _mkdir(path)
        except OSError:
            pass


def keep_files(redirect):
    """Redirects Python's own functions of files."""
    original = builtins.open

    def opened(file, mode="r", *args, **kwargs):
        if isinstance(file, int):
            return original(file, mode, *args, **kwargs)
        writes = any(c in mode for c in "wax+")
        path = redirect.written(file) if writes else redirect.read(file)
        return original(path, mode, *args, **kwargs)

    builtins.open = opened
    import io

    io.open = opened
    for name in ("mkdir", "remove", "unlink", "rmdir", "makedirs", "removedirs"):
        _wrap(os, name, redirect.written)
    for name in ("listdir", "stat", "lstat", "scandir", "access"):
        _wrap(os, name, redirect.read)
    for name in ("rename", "replace"):
        _wrap_two(os, name, redirect)
    if os.path.exists is not None and hasattr(os.path, "exists"):
        # Python 3.12 and later have these without os.stat.
        for name in ("exists", "isfile", "isdir", "lexists"):
            _wrap(os.path, name, redirect.read)


_WRITES = (
    "create_dir",
    "delete_file",
    "delete_recursively",
    "makedirs",
    "mkdir",
    "MkDir",
)
_WRITES += ("MakeDirs", "remove", "Remove", "rmtree", "DeleteRecursively")
_WRITES += ("recursive_create_dir",)
_READS = ("file_exists", "is_directory", "stat", "list_directory", "walk", "exists")
_READS += ("isdir", "listdir", "Exists", "IsDirectory", "ListDirectory", "Stat", "Walk")
_GLOBS = ("get_matching_files", "glob", "Glob")
_PAIRS = ("rename", "copy", "Rename", "Copy")


def keep_tensorflow_files(redirect):
    """Redirects TensorFlow's: its functions of files, savers, writers of events."""
    import tensorflow as tf
    from tensorflow.python.lib.io import file_io, tf_record
    from tensorflow.python.summary.writer import event_file_writer
    from tensorflow.python.training import saver

    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    modules = [file_io, tf.io.gfile, tf.compat.v1.gfile, getattr(tf, "gfile", None)]
    for module in modules:
        for names, wrap in (
            (_WRITES, lambda m, n: _wrap(m, n, redirect.written)),
            (_READS, lambda m, n: _wrap(m, n, redirect.read)),
            (_GLOBS, lambda m, n: _wrap(m, n, redirect.globbed)),
            (_PAIRS, lambda m, n: _wrap_two(m, n, redirect)),
        ):
            for name in names:
                for whole in (name, name + "_v2"):
                    if module is not None and hasattr(module, whole):
                        wrap(module, whole)
    made = file_io.FileIO.__init__

    def opened(self, name, mode="r", *args, **kwargs):
        writes = any(c in mode for c in "wax+")
        path = redirect.written(name) if writes else redirect.read(name)
        made(self, path, mode, *args, **kwargs)

    file_io.FileIO.__init__ = opened
    _wrap_method(saver.Saver, "save", 1, redirect.saved_as)
    _wrap_method(saver.Saver, "restore", 1, redirect.globbed)
    _wrap_method(tf_record.TFRecordWriter, "__init__", 0, redirect.written)
    _wrap_method(event_file_writer.EventFileWriter, "__init__", 0, redirect.written)
    if hasattr(tf, "raw_ops"):
        for name, path_of in (
            ("SaveV2", redirect.written),
            ("RestoreV2", redirect.globbed),
        ):
            _wrap_prefix(tf.raw_ops, name, path_of)
    try:
        from tensorflow.python.training import py_checkpoint_reader as readers
    except ImportError:
        from tensorflow.python import pywrap_tensorflow as readers
    _wrap(readers, "NewCheckpointReader", redirect.globbed)


def _wrap_method(owner, name, position, path_of):
    original = getattr(owner, name)

    def method(self, *args, **kwargs):
        args = list(args)
        if len(args) > position and isinstance(
            args[position], (str, bytes, os.PathLike)
        ):
            args[position] = path_of(args[position])
        for key in ("save_path", "logdir"):
            if isinstance(kwargs.get(key), (str, bytes, os.PathLike)):
                kwargs[key] = path_of(kwargs[key])
        return original(self, *args, **kwargs)

    method.__name__ = name
    setattr(owner, name, method)


def _wrap_prefix(module, name, path_of):
    original = getattr(module, name)

    def function(**kwargs):
        if isinstance(kwargs.get("prefix"), (str, bytes)):
            kwargs["prefix"] = path_of(kwargs["prefix"])
        return original(**kwargs)

    setattr(module, name, function)


def _wrap(module, name, path_of):
    original = getattr(module, name)

    def function(*args, **kwargs):
        if args:
            args = (path_of(args[0]),) + args[1:]
        else:
            for key in ("path", "filename", "dirname", "pattern", "top", "name"):
                if key in kwargs:
                    kwargs[key] = path_of(kwargs[key])
                    break
        return original(*args, **kwargs)

    function.__name__ = name
    setattr(module, name, function)


def _wrap_two(module, name, redirect):
    original = getattr(module, name)

    def function(source, target, *args, **kwargs):
        return original(
            redirect.read(source), redirect.written(target), *args, **kwargs
        )

    function.__name__ = name
    setattr(module, name, function)


class NetworkRefused(OSError):
    """A program wanted to reach another machine."""


def keep_off_network(told):
    """Refuses connections to other machines.

    Args:
      told: a list that gets the addresses that were asked for.
    """
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def checked(host):
        if (
            host is None
            or str(host).startswith(_LOOPBACK)
            or host == socket.gethostname()
        ):
            return
        told.append(str(host))
        raise NetworkRefused("tf1to2 verify allows no network: %s" % (host,))

    def connected(self, address):
        if isinstance(address, tuple):
            checked(address[0])
        return connect(self, address)

    def looked_up(host, *args, **kwargs):
        checked(host.decode() if isinstance(host, bytes) else host)
        return look_up(host, *args, **kwargs)

    socket.socket.connect, socket.getaddrinfo = connected, looked_up
