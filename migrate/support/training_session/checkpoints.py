"""TF1's checkpoints: the same file format, names and slots."""

import contextlib
import functools
import os
import threading
import time

import numpy as np
import tensorflow as tf

from .variables import shards_of

# A task that is asked to stop saves beside its loop, which may be saving.
_writing = threading.Lock()
_STEP = "global_step"


class Saver:
    """tf.train.Saver: TF1's own checkpoint files, by variable name.

    Args:
      var_list: the variables to save and restore: a list, or a dict with the names
        that they have in the checkpoint; or a function that gives these, for lists
        that are not complete before the first step. Default: all of the program.
      reshape: whether a value of another shape, and as many elements, is restored.
      sharded: has no effect.
      max_to_keep: how many of the checkpoints that this saver wrote are kept; 0 or None
        for all, of which only the last is listed.
      keep_checkpoint_every_n_hours: one in so many hours is kept beyond those.
      pad_step_number: whether steps have eight digits in names: `model-00000300`.
      save_relative_paths: whether they are listed below their directory, so that it can
        be moved.
    """

    def __init__(
        self,
        var_list=None,
        reshape=False,
        sharded=False,
        max_to_keep=5,
        keep_checkpoint_every_n_hours=10000.0,
        pad_step_number=False,
        save_relative_paths=False,
        **_,
    ):
        # Only for Saver(var_list).
        if var_list is not None and not var_list:
            raise ValueError("No variables to save")
        self._var_list = var_list
        self._reshapes = reshape
        self._max_to_keep = max_to_keep
        self._hours = keep_checkpoint_every_n_hours
        self._pads = pad_step_number
        self._relative = save_relative_paths
        self._kept = []  # The oldest first.
        # Only for Saver(keep_checkpoint_every_n_hours).
        self._times = {}  # When they were saved.
        # Only for Saver(keep_checkpoint_every_n_hours).
        self._next_permanent = time.time() + self._hours * 3600

    def _choose_entries(self, every):
        """Those of all entries that are in `var_list`, which may be None.

        Raises:
          ValueError: `var_list` has a variable that was not recorded, or some of the
            shards of one.
        """
        variables = self._var_list() if callable(self._var_list) else self._var_list
        if variables is None:
            return every
        if isinstance(variables, dict):
            chosen = variables.items()
        else:
            chosen = [(None, variable) for variable in variables]
        name_of = {id(part): name for name, parts in every.items() for part in parts}
        found, parts_of = {}, {}
        for given, variable in chosen:
            for part in variable if isinstance(variable, list) else shards_of(variable):
                if id(part) not in name_of:
                    raise ValueError(f"{part.name} is no variable of this program")
                name = name_of[id(part)]
                found[given or name] = every[name]
                parts_of.setdefault(given or name, set()).add(id(part))
        for name, parts in found.items():
            if len(parts_of[name]) != len(parts):
                raise ValueError(
                    f"{name}: not all of its {len(parts)} shards are given"
                )
        return found

    @property
    def last_checkpoints(self):
        """The checkpoints that are kept, the oldest first."""
        return list(self._kept)

    def set_last_checkpoints(self, last_checkpoints):
        """Takes these for the checkpoints that are kept."""
        self._kept = list(last_checkpoints)

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time):
        """The same, as pairs of path and time."""
        self._kept = [path for path, _ in last_checkpoints_with_time]
        # Only for Saver(keep_checkpoint_every_n_hours).
        self._times.update(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths):
        """Takes those of these that exist for the checkpoints that are kept."""
        exists = tf.io.gfile.exists
        self._kept = [path for path in checkpoint_paths if exists(path + ".index")]
        # Only for Saver(keep_checkpoint_every_n_hours).
        for path in self._kept:
            self._times[path] = tf.io.gfile.stat(path + ".index").mtime_nsec / 1e9

    def saves_all(self, replicas):
        """Whether a checkpoint has every variable of the program."""
        entries = self._choose_entries(replicas.entries())
        saved = {id(v) for parts in entries.values() for v in parts}
        return {id(v) for v in replicas.global_variables} <= saved

    def save(
        self,
        sess,
        save_path,
        global_step=None,
        latest_filename=None,
        meta_graph_suffix="meta",
        write_meta_graph=True,
        write_state=True,
        **_,
    ):
        """Writes the variables to `save_path[-global_step]`; returns that prefix.

        Args:
          global_step: a number, or the variable that has it.
          latest_filename: the file that lists checkpoints; by default "checkpoint".
          meta_graph_suffix, write_meta_graph: have no effect: there is no graph.
          write_state: whether it is listed; if not, nothing is removed either.
        """
        prefix = save_path
        if global_step is not None:
            step = int(getattr(global_step, "numpy", lambda: global_step)())
            prefix = f"{save_path}-{step}"
            # Only for Saver(pad_step_number).
            if self._pads:
                prefix = f"{save_path}-{step:08d}"
        with _writing:
            self._write(sess.replicas, prefix)
            # Head only for Saver.save(write_state).
            if write_state:
                self._keep(os.path.dirname(prefix) or ".", prefix, latest_filename)
        return prefix

    def _write(self, replicas, prefix):
        entries = replicas.entries()
        # Only for Saver(var_list).
        entries = self._choose_entries(entries)
        values = [replicas.read(parts[0]) for parts in entries.values()]
        # Only for variables.shards_of or replicas.Replicas.hold_part.
        for place, (_, *more) in enumerate(entries.values()):
            if more:
                values[place] = np.concatenate(
                    [values[place], *map(replicas.read, more)]
                )
        tf.io.gfile.makedirs(os.path.dirname(prefix) or ".")
        rows = [""] * len(entries)
        # Only for replicas.Replicas.hold_part.
        rows = [replicas.slices.get(name, "") for name in entries]
        with tf.device("CPU:0"):
            tf.raw_ops.SaveV2(
                prefix=prefix,
                tensor_names=list(entries),
                shape_and_slices=rows,
                tensors=list(map(tf.convert_to_tensor, values)),
            )

    def _keep(self, directory, prefix, latest_filename):
        """Lists the checkpoint as the latest, and removes its own beyond max_to_keep."""
        # Only for Saver(max_to_keep).
        removed = []
        # Head only for Saver(max_to_keep).
        if self._max_to_keep:
            kept = [path for path in self._kept if path != prefix] + [prefix]
            removed = kept[: -self._max_to_keep]
            self._kept = kept[-self._max_to_keep :]
        paths = list(self._kept)
        latest = prefix
        # Only for Saver(save_relative_paths).
        if self._relative:
            directory = os.path.abspath(directory)
            latest, *paths = (os.path.relpath(p, directory) for p in [prefix, *paths])
        # First, so that the list never names a checkpoint that is gone.
        tf.compat.v1.train.update_checkpoint_state(
            directory, latest, paths, latest_filename
        )
        # Only for Saver(keep_checkpoint_every_n_hours).
        self._times[prefix] = time.time()
        for path in removed:
            # Only for Saver(keep_checkpoint_every_n_hours).
            if self._times.pop(path, 0) > self._next_permanent:
                self._next_permanent += self._hours * 3600
                continue
            for suffix in (".index", ".meta", ".data-?????-of-?????"):
                for file in tf.io.gfile.glob(path + suffix):
                    tf.io.gfile.remove(file)

    def restore(self, sess, save_path):
        """Reads the variables from a TF1 checkpoint, which may have no global step.

        Raises:
          ValueError: there is no such checkpoint.
          tf.errors.OpError: it does not fit the variables, or its files are damaged.
        """
        # Only for __init__.Saver or __init__.Scaffold.
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        # Only for __init__.Saver or __init__.Scaffold.
        save_path = tf.compat.as_text(save_path)
        if not any(tf.io.gfile.glob(save_path + end) for end in (".index", "")):
            raise ValueError(
                f"The passed save_path is not a valid checkpoint: {save_path}"
            )
        with _naming(save_path):
            reader = tf.train.load_checkpoint(save_path)
            shapes = reader.get_variable_to_shape_map()
        entries = sess.replicas.entries()
        # Only for Saver(var_list).
        entries = self._choose_entries(entries)
        uncounted = _STEP in entries and _STEP not in shapes
        # Only for Saver(var_list).
        uncounted = uncounted and self._var_list is None
        if uncounted:
            tf.compat.v1.logging.warning(
                "%s has no global step: steps are counted from %d.",
                save_path,
                int(entries.pop(_STEP)[0].numpy()),
            )
        self._check(save_path, shapes, entries, sess.replicas)
        for name, parts in entries.items():
            read = reader.get_tensor
            # Only for replicas.Replicas.hold_part.
            if name in sess.replicas.slices:
                rows = sess.replicas.slices[name]
                read = functools.partial(_read_rows, save_path, rows, parts[0].dtype)
            with _naming(save_path):
                value = read(name)
            # Only for Saver(reshape).
            if self._reshapes and len(parts) == 1:
                value = np.reshape(value, parts[0].shape)
            # Only for variables.shards_of or replicas.Replicas.hold_part.
            if len(parts) > 1:
                _assign_parts(parts, value)
                continue
            parts[0].assign(value)
        # Only for plain_session.Session.
        if hasattr(sess, "restored"):
            sess.restored()  # Where others wait for it.

    def _check(self, save_path, shapes, entries, replicas):
        """Raises TF1's errors where the checkpoint does not fit the variables."""
        wrong, kind = [], tf.errors.InvalidArgumentError
        for name, parts in entries.items():
            shape = list(parts[0].shape)
            # Only for variables.shards_of or replicas.Replicas.hold_part.
            if len(parts) > 1:
                shape[0] = sum(int(p.shape[0]) for p in parts)
            # Only for replicas.Replicas.hold_part.
            if name in replicas.slices:
                shape[0] = int(replicas.slices[name].split()[0])
            # Only for Saver(reshape).
            if self._reshapes and np.prod(shapes.get(name, -1)) == np.prod(shape):
                continue
            if name not in shapes:
                wrong.append(f"{name}: not in the checkpoint")
                kind = tf.errors.NotFoundError
            elif list(shapes[name]) != shape:
                wrong.append(f"{name}: {shapes[name]} there, {shape} here")
        if wrong:
            text = f"{save_path} does not fit this program:\n  " + "\n  ".join(wrong)
            raise kind(None, None, text)


def _assign_parts(parts, value):
    """Gives each part its rows of a value."""
    row = 0
    for part in parts:
        rows = int(part.shape[0])
        part.assign(value[row : row + rows])
        row += rows


def _read_rows(save_path, rows, dtype, name):
    """Those rows of a value that a variable holds."""
    (value,) = tf.raw_ops.RestoreV2(
        prefix=save_path, tensor_names=[name], shape_and_slices=[rows], dtypes=[dtype]
    )
    return value


@contextlib.contextmanager
def _naming(save_path):
    """Errors of a damaged checkpoint's files name it, and say what to do."""
    try:
        yield
    except (tf.errors.OpError, RuntimeError, IndexError) as error:
        listed = os.path.join(os.path.dirname(save_path), "checkpoint")
        message = (
            f"The checkpoint {save_path} is damaged: {error}\nTo go on from an earlier "
            f"one, name that in {listed} (model_checkpoint_path)."
        )
        raise tf.errors.DataLossError(None, None, message) from error


class Scaffold:
    """tf.train.Scaffold, without what means nothing here.

    Args:
      saver: what the session restores and saves with.
      init_fn: called on the chief with (scaffold, session) where there is no checkpoint
        to continue, for instance to restore some variables from another training's.
    """

    def __init__(self, saver=None, init_fn=None, **_):
        self.saver = saver or Saver()
        # Only for Scaffold(init_fn).
        self.init_fn = init_fn
