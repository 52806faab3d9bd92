"""Watches a migrated program that somebody has written: its own tf.functions.

A program that the tool has written trains through the modules beside it. One that is
written by hand calls functions of its own, or Keras's: whatever they do to variables is
a step.
"""

import re
import sys
import threading
import weakref

from .record import own_file

# The list by which a migrated program gives variables their initial values again:
# [(variable, value), ...].
_INITIAL = "initial_values"
_LIBRARIES = ("tensorflow", "tf_keras", "keras", "absl", "wrapt")


class Variables:
    """The program's variables, as the modules beside migrated programs give theirs."""

    slices = {}

    def __init__(self):
        self._made = []
        self._slots = {}  # A slot's id -> the variable that it is of.
        self.counter = None  # The name of what checkpoints call the global step.

    def add(self, variable):
        self._made.append(weakref.ref(variable))

    def add_slot(self, slot, primary):
        self._slots[id(slot)] = weakref.ref(primary)

    def entries(self):
        """Name -> [variable], in the order in which they were made."""
        found, names = {}, {}
        for made in list(self._made):
            variable = made()
            if variable is None or variable._in_graph_mode:
                continue
            variable = _find_whole(variable)
            if id(variable) in names:
                continue  # Another replica's.
            wish = variable.name.split(":")[0]
            if wish == self.counter and not self._has_global_step():
                wish = "global_step"
            primary = self._slots.get(id(variable), lambda: None)()
            whole = _find_whole(primary) if primary is not None else None
            if whole is not primary and primary is not whole._primary:
                continue  # Each replica has slots of its own.
            if id(whole) in names:
                # Two variables of one name have slots of one name, numbered on.
                kind = re.sub(r"_\d+$", "", wish.rpartition("/")[2])
                wish = "%s/%s" % (names[id(whole)], kind)
            name, number = wish, 0
            while name in found:
                number += 1
                name = "%s_%d" % (wish, number)
            found[name], names[id(variable)] = [variable], name
        return found

    def _has_global_step(self):
        made = [variable() for variable in self._made]
        return any(v is not None and v.name == "global_step:0" for v in made)


def _find_whole(variable):
    """The variable of which this is one replica's; else the variable itself."""
    for part in (variable, getattr(variable, "handle", None)):
        whole = getattr(part, "_distributed_container", lambda: None)()
        if whole is not None:
            return whole
    return variable


def _find_initial_values(frame):
    """The list of initial values that a line sees; empty if it sees none."""
    kept = frame.f_locals.get(_INITIAL, frame.f_globals.get(_INITIAL))
    return kept if isinstance(kept, list) else []


class Functions:
    """Calls of tf.functions that the program's own lines make.

    Args:
      watch: `tf2.Watch`, which records.
      settings: where the program's files are.
    """

    def __init__(self, watch, settings):
        self._watch, self._settings = watch, settings
        self._variables = Variables()
        self._busy = threading.local()
        self._ready = weakref.WeakSet()
        self._alone = True

    def leave_to_sessions(self):
        """The program trains through the modules beside it, which are watched."""
        self._alone = False

    def name_counter(self, name):
        """What Keras's optimizers count steps in is saved as `global_step`."""
        self._variables.counter = name

    def add_variable(self, variable):
        self._variables.add(variable)

    def add_slot(self, slot, primary):
        self._variables.add_slot(slot, primary)

    def install(self):
        from tensorflow.python.eager.polymorphic_function import polymorphic_function

        functions, kind = self, polymorphic_function.Function
        call = kind.__call__

        def called(self, *args, **kwargs):
            if not functions._is_the_programs():
                return call(self, *args, **kwargs)
            return functions._record(
                self,
                lambda: call(self, *args, **kwargs),
                (args, kwargs),
                lambda: functions._make_variables(self, args, kwargs),
            )

        kind.__call__ = called
        self._watch_assignments()

    def _watch_assignments(self):
        """Assignments that lines of the program make, outside of functions: a step each.

        TensorFlow 1's initializer was none, so to begin anew is none.
        """
        from tensorflow.python.ops import resource_variable_ops

        functions = self
        base = resource_variable_ops.BaseResourceVariable

        def wrap(kind, name):
            assign = vars(kind)[name]

            def assigned(self, *args, **kwargs):
                # One that a library makes belongs to what the program has called.
                line = own_file(
                    functions._settings, sys._getframe(1).f_code.co_filename
                )
                if not line or not functions._is_the_programs():
                    return assign(self, *args, **kwargs)
                kept = _find_initial_values(sys._getframe(1))
                if args and any(args[0] is value for _, value in kept):
                    assign(self, *args, **kwargs)
                    if args[0] is kept[-1][1]:  # All have theirs: no step.
                        functions._watch.begin(functions._variables, anew=True)
                    return None
                return functions._record(
                    name, lambda: assign(self, *args, **kwargs), (args, kwargs)
                )

            setattr(kind, name, assigned)

        for kind in (base, resource_variable_ops.ResourceVariable):
            for name in {"assign", "assign_add", "assign_sub"} & set(vars(kind)):
                wrap(kind, name)

    def _record(self, step, call, given, prepare=lambda: None):
        """Makes a call, which is recorded; what it calls itself is not."""
        self._busy.now = True
        try:
            prepare()
            return self._watch.call_function(self._variables, step, call, given)
        finally:
            self._busy.now = False

    def _is_the_programs(self):
        """Whether the call that is made comes from a line of the program."""
        import tensorflow as tf

        if not self._alone or getattr(self._busy, "now", False):
            return False
        if tf.inside_function():
            return False
        frame = sys._getframe(2)
        while frame is not None:
            if own_file(self._settings, frame.f_code.co_filename):
                return True
            module = frame.f_globals.get("__name__", "").partition(".")[0]
            if module not in _LIBRARIES:
                return False
            frame = frame.f_back
        return False

    def _make_variables(self, function, args, kwargs):
        """Traces a function, so that what it makes can be given the initial values."""
        if function in self._ready:
            return
        self._ready.add(function)
        try:
            function.get_concrete_function(*args, **kwargs)
        except Exception:  # The call itself says what is wrong.
            pass
