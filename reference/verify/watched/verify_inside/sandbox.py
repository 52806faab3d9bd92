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


def keep_tensorflow_files(redirect):
    """Redirects TensorFlow's."""
    from tensorflow.python.lib.io import file_io

    for name in (
        *("create_dir", "create_dir_v2", "recursive_create_dir"),
        *("recursive_create_dir_v2", "delete_file", "delete_file_v2"),
        *("delete_recursively", "delete_recursively_v2"),
    ):
        if hasattr(file_io, name):
            _wrap(file_io, name, redirect.written)
    for name in (
        *("file_exists", "file_exists_v2", "is_directory", "is_directory_v2", "stat"),
        *("stat_v2", "get_matching_files", "get_matching_files_v2", "list_directory"),
        *("list_directory_v2", "walk", "walk_v2"),
    ):
        if hasattr(file_io, name):
            _wrap(file_io, name, redirect.read)
    made = file_io.FileIO.__init__

    def opened(self, name, mode="r", *args, **kwargs):
        writes = any(c in mode for c in "wax+")
        made(
            self,
            redirect.written(name) if writes else redirect.read(name),
            mode,
            *args,
            **kwargs,
        )

    file_io.FileIO.__init__ = opened


def _wrap(module, name, path_of):
    original = getattr(module, name)

    def function(path=".", *args, **kwargs):
        return original(path_of(path), *args, **kwargs)

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
