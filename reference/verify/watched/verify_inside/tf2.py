"""Watches a migrated program: the modules that are written beside it."""

import inspect
import re
import sys
import threading
import traceback

import numpy as np

from . import graphs
from .functions import Functions
from .record import Starts, flatten, own_file, place
from .tf1 import _described, watch_class, watched_predictions


def _list_entries(replicas):
    """Variables by TF1's names; a sharded one is a list of its parts.

    A program without checkpoints has a module without this method.
    """
    if hasattr(replicas, "entries"):
        return replicas.entries()
    found = {}
    for variable in replicas._recorded:
        parts = list(getattr(variable, "variables", None) or [variable])
        name = parts[0].name.split(":")[0]
        if len(parts) > 1:
            name = re.sub(r"/part_0$", "", name)
        found.setdefault(name, []).extend(parts)
    return found


class Watch:
    """The step functions that the sessions of those modules run."""

    def __init__(self, recorder, told):
        self._recorder, self._settings = recorder, recorder.settings
        self._starts = Starts(recorder.settings)
        self._told = told
        self._replicas = []  # In the order in which their variables began.
        self._generation = {}
        self._stepped = {}
        self._updates = {}
        self._sets = {"assign": True}
        self._adds = set()
        self._lock = threading.RLock()
        self._probes = threading.local()
        self._told_variables = {}
        self._begun = None  # How many variables of the program's own have.
        self.functions = Functions(self, recorder.settings)

    # Each gets a module when it has been imported.

    def training_session(self, module):
        watch = self
        self.functions.leave_to_sessions()
        # Of the modules there is what the program reaches.
        step_function = getattr(module.replicas, "StepFunction", None)
        for name in ("SynchronousReplicas", "AsynchronousReplicas"):
            if hasattr(module, name):
                self._watch_calls(getattr(module, name))
        if step_function is not None:  # Else the program calls no step.
            self._trace_at_once(step_function)
        if self._settings.probe and step_function is not None:
            self._watch_gradients(module.replicas.Replicas)
        if hasattr(module, "MonitoredTrainingSession"):
            self._watch_restore(module.MonitoredTrainingSession)
        if hasattr(module, "serve"):
            serve = module.serve

            def served(*args, **kwargs):
                watch._recorder.serve()
                return serve(*args, **kwargs)

            module.serve = served
        if hasattr(module, "AsynchronousReplicas"):
            self._watch_loops(module.AsynchronousReplicas, _find_thread(module))

    def _trace_at_once(self, step_function):
        make = step_function.__init__

        def made(self, replicas, function, specs):
            self.written = function
            make(self, replicas, function, specs)
            # Here, in its strategy's scope: elsewhere it would be traced anew.
            self.traced = self.function.get_concrete_function()

        step_function.__init__ = made

    def _watch_restore(self, session):
        if not hasattr(session, "restore_latest"):
            self._watch_start(session)
            return
        # A program without a scaffold's init_fn has only the second.
        name = "_restore" if hasattr(session, "_restore") else "restore_latest"
        watch, restore = self, getattr(session, name)

        def restored(self):
            import tensorflow as tf

            directory = getattr(self, "_checkpoint_dir", None)
            if not (directory and tf.train.latest_checkpoint(directory)):
                watch.begin(self.replicas)
            return restore(self)

        setattr(session, name, restored)

    def _watch_start(self, session):
        """Of a program without a directory of checkpoints, whose sessions restore nothing."""
        watch, make = self, session.__init__

        def made(self, replicas, is_chief=True, **kwargs):
            if is_chief:
                watch.begin(replicas)
            make(self, replicas, is_chief=is_chief, **kwargs)

        session.__init__ = made

    def _watch_loops(self, replicas, here):
        watch, task = self, self._settings.task or 0
        self._recorder.worker = lambda: getattr(here, "task_index", task)
        loops = replicas.run

        def run(self, worker, *args, **kwargs):
            def loop(index):
                try:
                    return worker(index)
                except Exception as error:
                    traceback.print_exc()
                    watch._recorder.failure = error
                    raise
                finally:
                    watch._recorder.gate.end(index)

            return loops(self, loop, *args, **kwargs)

        replicas.run = run

    def plain_session(self, module):
        watch = self
        self.functions.leave_to_sessions()
        # A program whose workers are on servers may use the session alone.
        if hasattr(module, "LocalReplicas"):
            self._watch_calls(module.LocalReplicas)
        if not hasattr(module, "Session"):
            return
        made = module.Session.__init__

        def opened(self, replicas, *args, **kwargs):
            made(self, replicas, *args, **kwargs)
            watch.begin(replicas)

        module.Session.__init__ = opened
        if hasattr(module.Session, "initialize"):
            initialize = module.Session.initialize

            def initialized(self):
                initialize(self)
                watch.begin(self.replicas, anew=True)

            module.Session.initialize = initialized

    def estimator_loop(self, module):
        if hasattr(module, "Estimator"):
            watch_class(self._recorder, module.Estimator)
        if hasattr(module, "inputs"):
            self.estimator_inputs(module.inputs)

    def estimator_inputs(self, module):
        if not hasattr(module, "numpy_input_fn"):
            return
        told, made = self._told, module.numpy_input_fn

        def numpy_input_fn(*args, **kwargs):
            given = inspect.signature(made).bind(*args, **kwargs).arguments
            if given.get("shuffle"):  # See `tf1.keep_rows_in_order`.
                told["shuffled"] = True
                given["shuffle"] = False
            return made(**given)

        module.numpy_input_fn = numpy_input_fn

    def fit_callbacks(self, module):
        """Keras's loops run, where an Estimator's methods did."""
        import tf_keras

        watch_evaluations(self._recorder, tf_keras.Model)
        if hasattr(module, "predictions"):
            module.predictions = watched_predictions(self._recorder, module.predictions)
        self.functions.name_counter("TFOptimizer/iterations")

    def _watch_calls(self, replicas):
        watch, call = self, getattr(replicas, "call", None)
        if call is None:
            return  # The program calls no step.

        def called(self, step, args):
            return watch.call(call, self, step, args)

        replicas.call = called

    # Initial values.

    def begin(self, replicas, anew=False):
        with self._lock:
            if replicas not in self._replicas:
                self._replicas.append(replicas)
                self._generation[replicas] = 0
            elif anew and self._stepped.get(replicas):
                self._generation[replicas] += 1
            else:
                if self._stepped.get(replicas):
                    return
            self._stepped[replicas] = False
            number = self._replicas.index(replicas)
            values = self._starts.read(number, self._generation[replicas])
            if values is None:
                self._recorder.event("note", text="no start of graph %d" % number)
                return
            missing = {}
            for name, parts in _list_entries(replicas).items():
                if name not in values or not _assign(
                    replicas, name, parts, values.pop(name)
                ):
                    missing[name] = parts
            trained = self._starts.trained(number, self._generation[replicas])
            left = {n: values[n] for n in trained if n in values}
            self._begin_renamed(replicas, missing, left, number)

    def _begin_renamed(self, replicas, missing, left, graph):
        """Initial values of variables that have other names than the original's.

        Where both have as many trained ones of a shape, they are each other's in their
        order.
        """
        mine = {n: parts for n, parts in missing.items() if parts[0].trainable}
        renamed, shapes = {}, {n: _whole_shape(parts) for n, parts in mine.items()}
        for shape in set(shapes.values()):
            news = [n for n in mine if shapes[n] == shape]
            olds = [n for n, value in left.items() if np.shape(value) == shape]
            if len(news) == len(olds):
                renamed.update(zip(news, olds))
        for name, old in renamed.items():
            # What is no draw, zeros or a forget gate's ones, is the program's own.
            if all(map(_is_drawn, (mine[name][0].numpy(), left[old]))):
                _assign(replicas, name, mine[name], left[old])
        lost = sorted(mine.keys() - renamed.keys())
        if renamed or lost:
            self._recorder.event("unmatched", names=lost, renamed=renamed, graph=graph)

    # Steps.

    def call(self, call, replicas, step, args):
        recorder = self._recorder
        if recorder.is_quiet():
            return call(replicas, step, args)
        updates = self._is_update(replicas, step)
        asynchronous = type(replicas).__name__.startswith("Asynchronous")
        if updates and recorder.enough():
            recorder.leave()
        if asynchronous and (updates or step in self._adds):
            recorder.gate.begin(recorder.worker())
        with self._lock:  # One worker's loop at a time, so that a record is of one step.
            before = None
            if updates is None:
                before = self._values(replicas)
            results = call(replicas, step, args)
            after = self._values(replicas) if updates in (True, None) else None
            if updates is None:
                updates = any(
                    name not in before or before[name].tobytes() != value.tobytes()
                    for name, value in after.items()
                )
                if updates and recorder.enough():
                    recorder.leave()
            self._record(replicas, step, args, results, after if updates else None)
            return results

    def call_function(self, variables, function, call, args):
        """A call of a function of the program's own."""
        recorder = self._recorder
        if recorder.is_quiet():
            return call()
        with self._lock:
            entries = variables.entries()
            if self._begun != len(entries):  # Not those that are there already.
                self._begun = len(entries)
                if not self._stepped.get(variables):
                    self.begin(variables)
            before = self._values(variables)
            results = call()
            after = self._values(variables)
            # An update by nothing is a step, too: a gradient may be zero.
            stepped = before.keys() != after.keys() or _trains(function)
            stepped = stepped or any(
                before[name].tobytes() != value.tobytes()
                for name, value in after.items()
            )
            if stepped and recorder.enough():
                recorder.leave()
            told = {"fetches": results}
            self._sets[function] = _only_assigns(function)
            self._record(variables, function, args, told, after if stepped else None)
            return results

    def _is_update(self, replicas, step):
        """Whether a step function writes variables of the program; None: not seen."""
        if step not in self._updates:
            types, nested = _writes(replicas, step)
            sets = graphs.only_sets(types)
            # Of mere assignments it is seen whether they change anything.
            self._updates[step] = None if nested or (types and sets) else bool(types)
            self._sets[step] = bool(types) and not nested and sets
            if any(t.startswith(("AssignAdd", "AssignSub")) for t in types):
                self._adds.add(step)  # As Keras's optimizers update.
        return self._updates[step]

    def _values(self, replicas):
        found = {}
        for name, parts in _list_entries(replicas).items():
            values = [np.asarray(part.numpy()) for part in parts]
            found[name] = values[0] if len(values) == 1 else np.concatenate(values)
        return found

    def _record(self, replicas, step, args, results, after):
        recorder = self._recorder
        observed = results.get("observed") or {}
        event = {
            "at": place(self._settings, 3),
            "by": _defined_at(self._settings, step),
            "fetches": [_told(recorder, v) for v in flatten(results["fetches"])],
            "names": [],
            "feeds": {
                str(i): recorder.array(_numpy(a)) for i, a in enumerate(_leaves(args))
            },
            "probes": {
                n: recorder.array(v)
                for n, v in observed.items()
                if str(n).startswith("gradient:")
            },
        }
        if after is None:
            if event["fetches"]:
                recorder.event(graphs.READ, step=recorder.steps, **event)
            return
        if replicas not in self._replicas:
            self._replicas.append(replicas)
        self._stepped[replicas] = True
        size = sum(v.nbytes for v in after.values())
        whole = recorder.keeps_variables(recorder.steps, size)
        event["variables"] = {n: recorder.array(v, whole) for n, v in after.items()}
        event["graph"] = self._replicas.index(replicas)
        event["sets"] = self._sets.get(step, False)
        self._tell_variables(replicas)
        recorder.event(graphs.STEP, step=recorder.steps, **event)
        recorder.count(trains=not event["sets"])

    def _tell_variables(self, replicas):
        entries = _list_entries(replicas)
        if self._told_variables.get(replicas) == len(entries):
            return
        self._told_variables[replicas] = len(entries)
        self._recorder.event(
            "variables",
            graph=self._replicas.index(replicas),
            variables={
                name: {
                    "trainable": bool(parts[0].trainable),
                    "at": MADE_AT.get(id(parts[0]), ""),
                }
                for name, parts in entries.items()
            },
        )

    # Gradients, for a close look.

    def _watch_gradients(self, replicas_class):
        import tensorflow as tf
        from tensorflow.python.training import optimizer

        watch, trace = self, replicas_class._trace
        apply = optimizer.Optimizer.apply_gradients

        def applied(self, grads_and_vars, *args, **kwargs):
            pairs = list(grads_and_vars)
            kept = getattr(watch._probes, "kept", None)
            if kept is not None:
                for gradient, variable in pairs:
                    if gradient is not None:
                        kept[variable.name.split(":")[0]] = gradient
            return apply(self, pairs, *args, **kwargs)

        def traced(self, function, args):
            watch._probes.kept = {}
            try:
                results = trace(self, function, args)
                graph = tf.compat.v1.get_default_graph()
                for name, gradient in watch._probes.kept.items():
                    value = getattr(gradient, "values", gradient)
                    if getattr(value, "graph", None) is graph:
                        results["observed"]["gradient:" + name] = tf.identity(value)
            finally:
                watch._probes.kept = None
            return results

        optimizer.Optimizer.apply_gradients = applied
        replicas_class._trace = traced


MADE_AT = {}


def _is_of_strategy(frame):
    """Whether a strategy has made a variable, by which it orders what it sends."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").endswith(".cross_device_utils"):
            return True
        frame = frame.f_back
    return False


def watch_variables(settings, add, add_slot):
    """Notes the line that makes each variable.

    Args:
      add: is called with each.
      add_slot: is called with each slot of an optimizer, and the variable it is of.
    """
    from tensorflow.python.ops import resource_variable_ops
    from tensorflow.python.training import slot_creator

    kind = resource_variable_ops.BaseResourceVariable
    made = kind.__init__

    def noted(self, *args, **kwargs):
        made(self, *args, **kwargs)
        MADE_AT[id(self)] = place(settings, 2)
        if not _is_of_strategy(sys._getframe(1)):
            add(self)

    kind.__init__ = noted
    make_slot = slot_creator._create_slot_var

    def made_slot(primary, *args, **kwargs):
        slot = make_slot(primary, *args, **kwargs)
        add_slot(slot, primary)
        return slot

    slot_creator._create_slot_var = made_slot


def _find_thread(module):
    """What the modules know of the thread of each worker; earlier ones had it elsewhere."""
    parts = (module.replicas, getattr(module, "workers", None))
    return next(p.this_thread for p in parts if hasattr(p, "this_thread"))


def _assign(replicas, name, parts, value):
    """Gives a variable a value; False where it has another shape."""
    # The session has it only where the program has parts of variables.
    if name in getattr(replicas, "slices", ()):
        return True  # One part of a whole that TF1 named oddly.
    if _whole_shape(parts) != np.shape(value):
        return False  # It is compared, and differs.
    row = 0
    for part in parts:
        rows = int(part.shape[0]) if len(parts) > 1 else None
        piece = value if rows is None else value[row : row + rows]
        part.assign(piece)
        row += rows or 0
    return True


def _is_drawn(value):
    return len(np.unique(value)) > 2


def _whole_shape(parts):
    shape = tuple(parts[0].shape.as_list())
    if len(parts) > 1:
        shape = (sum(int(part.shape[0]) for part in parts),) + shape[1:]
    return shape


def _writes(replicas, step):
    """(types of operations that write variables, whether some cannot be seen)."""
    if getattr(step, "traced", None) is None:
        return [], True
    graph = step.traced.graph
    handles = {
        id(part.handle)
        for parts in _list_entries(replicas).values()
        for whole in parts
        for part in getattr(whole, "values", None) or [whole]
        if hasattr(part, "handle")
    }
    inside = {
        id(internal) for external, internal in graph.captures if id(external) in handles
    }
    types, nested = [], not handles
    for op in graph.get_operations():
        if graphs.writes(op.type) and op.inputs and id(op.inputs[0]) in inside:
            types.append(op.type)
        nested = nested or _is_nested(op.type)
    return types, nested


def _trains(function):
    """Whether an optimizer's operation is in a function that was called.

    Of mere assignments, and of what stands in a branch, it is seen whether they change
    anything.
    """
    return any(
        graphs.writes(kind) and not kind.startswith("Assign")
        for kind in _list_types(function)
    )


def _only_assigns(function):
    """Whether a function gives variables values, and does nothing else to them.

    Keras's optimizers add to variables, or do it in functions of their own.
    """
    types = _list_types(function)
    written = {kind for kind in types if graphs.writes(kind)}
    return written == {"AssignVariableOp"} and not any(map(_is_nested, types))


def _list_types(function):
    """The types of the operations in the traces of a function."""
    traces = getattr(function, "_list_all_concrete_functions", list)()
    return [op.type for trace in traces for op in trace.graph.get_operations()]


def _is_nested(kind):
    return kind.endswith(("PartitionedCall", "While", "If", "Case"))


def _leaves(args):
    if isinstance(args, dict):
        return [leaf for key in sorted(args, key=str) for leaf in _leaves(args[key])]
    if isinstance(args, (list, tuple)):
        return [leaf for arg in args for leaf in _leaves(arg)]
    return [args]


def _numpy(value):
    try:
        return value.numpy() if hasattr(value, "numpy") else np.asarray(value)
    except Exception:
        return np.zeros(0)


def _told(recorder, value):
    return _described(recorder, _numpy(value) if hasattr(value, "numpy") else value)


def _defined_at(settings, step):
    """The line where a step function is written."""
    written = getattr(step, "written", None) or getattr(step, "python_function", None)
    code = getattr(written, "__code__", None)
    if code is None:
        return ""
    found = own_file(settings, code.co_filename)
    return "%s:%d" % (found, code.co_firstlineno) if found else ""


def watch_evaluations(recorder, model):
    """What `Model.evaluate` gives is what `Estimator.evaluate` gave; no step is a training's."""
    evaluate = model.evaluate

    def evaluated(self, *args, **kwargs):
        with recorder.quiet():
            metrics = evaluate(self, *args, **kwargs)
        if isinstance(metrics, dict) and not recorder.is_quiet():
            values = {k: np.float32(v) for k, v in metrics.items() if np.ndim(v) == 0}
            values["global_step"] = self.optimizer.iterations.numpy()
            recorder.event(
                "metrics",
                step=recorder.steps,
                at=place(recorder.settings, 2),
                values={str(k): recorder.array(v) for k, v in values.items()},
            )
        return metrics

    model.evaluate = evaluated


class AfterImport:
    """Calls something with a module when that has been imported.

    Args:
      actions: the last part of a module's name -> a function of the module.
    """

    def __init__(self, actions):
        self._actions = actions
        self._looking = False

    def find_spec(self, name, path=None, target=None):
        action = self._actions.get(name.rpartition(".")[2])
        if action is None or self._looking:
            return None
        self._looking = True
        try:
            import importlib.util

            spec = importlib.util.find_spec(name)
        finally:
            self._looking = False
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def executed(module):
            execute(module)
            action(module)

        spec.loader.exec_module = executed
        return spec

    def install(self):
        sys.meta_path.insert(0, self)
