"""Watches a TF1 program: its sessions' runs, and what its Estimators give."""

import threading
import weakref

import numpy as np

from . import graphs
from .record import Starts, flatten, moved_by_ulps, place


class Watch:
    """Every `run` of every session of this process."""

    def __init__(self, recorder, told):
        self._recorder, self._settings = recorder, recorder.settings
        self._starts = Starts(recorder.settings)
        self._told = told
        self._busy = threading.local()
        self._softened = weakref.WeakKeyDictionary()  # Session -> whether it is changed.
        self._graphs = []  # In the order in which their variables began.
        self._generation = {}  # Graph -> how often they began.
        self._stepped = {}  # Graph -> whether a step came since.
        self._kinds = {}
        self._seeded = {}
        self._variables_told = {}

    def install(self):
        from tensorflow.python.client import session

        watch, original = self, session.BaseSession.run
        self._run = original
        self._handler = session._FetchHandler

        def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
            if getattr(watch._busy, "now", False):
                return original(self, fetches, feed_dict, options, run_metadata)
            watch._busy.now = True
            try:
                return watch.run(self, fetches, feed_dict, options, run_metadata)
            finally:
                watch._busy.now = False

        session.BaseSession.run = run
        self._place_softly(session.BaseSession)

    def _place_softly(self, kind):
        """Places on the CPU what a program places on a GPU that this machine has not."""
        from tensorflow.core.protobuf import config_pb2

        watch, make = self, kind.__init__

        def made(self, target="", graph=None, config=None):
            softly = config_pb2.ConfigProto()
            if config is not None:
                softly.CopyFrom(config)
            watch._softened[self] = not softly.allow_soft_placement
            softly.allow_soft_placement = True
            make(self, target=target, graph=graph, config=softly)

        kind.__init__ = made

    def _tell_placement(self, session):
        """Notes, once, that operations of a program's GPUs are on the CPU."""
        if not self._softened.pop(session, False):
            return
        operations = session.graph.get_operations()
        asked = any("GPU" in op.device.upper() for op in operations)
        if asked and all(d.device_type != "GPU" for d in session.list_devices()):
            self._told["softened"] = True

    def run(self, session, fetches, feed_dict, options, run_metadata):
        graph = session.graph
        self._tell_placement(session)
        try:
            handler = self._handler(graph, fetches, {})
        except Exception:  # The session's own message is the better one.
            return self._run(session, fetches, feed_dict, options, run_metadata)
        ops = [t.op for t in handler.fetches()] + list(handler.targets())
        kind, names, sets = self._kind(graph, ops)
        if not self._seeded.setdefault(graph, set()) or kind == graphs.START:
            graphs.seed_starts(graph, self._seeded[graph], self._settings.seed)
        recorder = self._recorder
        if kind == graphs.STEP and not recorder.is_quiet() and recorder.enough():
            recorder.leave()
        if kind == graphs.STEP and not recorder.is_quiet():
            recorder.gate.begin(recorder.worker())
        before = None
        if sets and not recorder.is_quiet():
            before = self._initialized(session, list(self._variables(graph)))
        probes = self._probes(ops, kind)
        asked = {"own": fetches, "probes": probes} if probes else fetches
        if self._settings.ulps and feed_dict:
            ulps = self._settings.ulps
            feed_dict = {k: _moved(graph, k, v, ulps) for k, v in feed_dict.items()}
        results = self._run(session, asked, feed_dict, options, run_metadata)
        probed = {}
        if probes:
            results, probed = results["own"], results["probes"]
        if before is not None:
            after = self._initialized(session, list(self._variables(graph)))
            if all(_same(value, before.get(name)) for name, value in after.items()):
                kind = graphs.READ  # An assignment of what is there.
        if kind == graphs.START:
            self._begin(session, graph, names)
        elif not recorder.is_quiet() and kind in (graphs.STEP, graphs.READ):
            self._record(
                session, graph, kind, fetches, feed_dict, results, probed, ops, sets
            )
        return results

    def _kind(self, graph, ops):
        key = graph, frozenset(ops)
        if key not in self._kinds:
            names = {op.name for op in self._variables(graph).values()}
            self._kinds[key] = graphs.classify(ops, names)
        return self._kinds[key]

    def _variables(self, graph):
        return {v: v.op for v in graph.get_collection("variables")}

    # Initial values.

    def _begin(self, session, graph, names):
        if graph not in self._graphs:
            self._graphs.append(graph)
            self._generation[graph] = 0
        elif self._stepped.get(graph):
            self._generation[graph] += 1
        self._stepped[graph] = False
        number, generation = self._graphs.index(graph), self._generation[graph]
        chosen = [v for v in self._variables(graph) if v.op.name in names]
        if self._settings.makes_start:
            trained = {_part(v)[0] for v in graph.get_collection("trainable_variables")}
            values = self._values(session, chosen)
            self._starts.write(number, generation, values, trained)
            return
        values = self._starts.read(number, generation)
        if values is None:
            self._recorder.event("note", text="no start of graph %d" % number)
            return
        for variable in chosen:
            name, rows = _part(variable)
            if name in values:
                value = values[name]
                if rows is not None:
                    value = value[rows]
                variable.load(value, session)

    def _values(self, session, variables):
        """Values by checkpoint name; the parts of one variable together."""
        if not variables:
            return {}
        read = self._run(session, {str(i): v for i, v in enumerate(variables)})
        found, parts = {}, {}
        for i, variable in enumerate(variables):
            name, rows = _part(variable)
            if rows is None:
                found[name] = np.asarray(read[str(i)])
            else:
                parts.setdefault(name, []).append((variable, rows, read[str(i)]))
        for name, items in parts.items():
            shape = items[0][0]._save_slice_info.full_shape
            whole = np.zeros(shape, np.asarray(items[0][2]).dtype)
            for _, rows, value in items:
                whole[rows] = value
            found[name] = whole
        return found

    # Steps.

    def _probes(self, ops, kind):
        """What else is asked of a run that is looked at closely."""
        if not self._settings.probe or kind != graphs.STEP:
            return {}
        probes = {"input:" + n: t for n, t in graphs.inputs_of(ops).items() if _fetchable(t)}
        for name, tensor in graphs.gradients_of(ops).items():
            probes["gradient:" + name] = tensor
        return probes

    def _record(self, session, graph, kind, fetches, feed_dict, results, probed, ops, sets):
        recorder = self._recorder
        monitored = isinstance(fetches, dict) and "caller" in fetches
        if monitored:  # What hooks ask for is theirs.
            fetches, results = fetches["caller"], results["caller"]
        names = _names(fetches, results)
        event = {
            "at": place(self._settings, 2),
            "fetches": [_described(recorder, v) for v in flatten(results)],
            "names": names,
            "plain": [graphs.is_variable(graph, name) for name in names],
            "feeds": _feeds(recorder, graph, feed_dict),
            "probes": {n: recorder.array(v) for n, v in probed.items() if hasattr(v, "dtype")},
        }
        if kind == graphs.STEP:
            if graph not in self._graphs:
                self._graphs.append(graph)
            self._stepped[graph] = True
            variables = list(self._variables(graph))
            size = sum(_size(v) for v in variables)
            whole = recorder.keeps_variables(recorder.steps, size)
            values = self._initialized(session, variables)
            event["variables"] = {n: recorder.array(v, whole) for n, v in values.items()}
            self._tell_variables(graph, variables)
            event["graph"], event["sets"] = self._graphs.index(graph), sets
            drawn = graphs.draws(ops)
            if drawn:
                self._told.setdefault("draws", drawn)
            recorder.event(kind, step=recorder.steps, **event)
            if self._settings.ulps and whole and not feed_dict:
                self._move(session, graph, recorder.steps)
            recorder.count(trains=not event["sets"])
        elif event["fetches"] and not graphs.only_saves(ops):
            recorder.event(kind, step=recorder.steps, **event)

    def _move(self, session, graph, step):
        """Moves what is trained, as feeds are moved: this program has its batches elsewhere.

        One step this way and the next that way, as roundings go.
        """
        for variable in graph.get_collection("trainable_variables"):
            value = np.asarray(self._run(session, variable))
            ulps = self._settings.ulps
            moved = moved_by_ulps(value, ulps if step % 2 else -ulps)
            variable.load(moved, session)

    def _initialized(self, session, variables):
        try:
            return self._values(session, variables)
        except Exception:  # One that the program has not begun: each alone then.
            found = {}
            for variable in variables:
                try:
                    found.update(self._values(session, [variable]))
                except Exception:
                    continue
            return found

    def _tell_variables(self, graph, variables):
        if self._variables_told.get(graph) == len(variables):
            return
        self._variables_told[graph] = len(variables)
        trainable = {v.op.name for v in graph.get_collection("trainable_variables")}
        self._recorder.event(
            "variables",
            graph=self._graphs.index(graph),
            variables={
                _part(v)[0]: {
                    "trainable": v.op.name in trainable,
                    "at": _made_at(self._settings, v.op),
                }
                for v in variables
            },
        )


def keep_order(recorder):
    """Other workers' sessions begin when the chief's makes steps, and end with it.

    A TF1 worker that asks before waits half a minute until it asks again. Closing a
    chief's session can hang once another worker is gone.
    """
    from tensorflow.python.training import monitored_session, session_manager

    if not recorder.gate.holds:
        return
    kind = session_manager.SessionManager
    wait = kind.wait_for_session
    close = monitored_session._MonitoredSession._close_internal

    def waited(self, *args, **kwargs):
        recorder.gate.wait_for_chief(recorder.worker())
        return wait(self, *args, **kwargs)

    def closed(self, *args, **kwargs):
        recorder.gate.end(recorder.worker())
        if self._sess is not None:
            self._sess.close = lambda: None
            _KEPT.append(self._sess)
        return close(self, *args, **kwargs)

    kind.wait_for_session = waited
    monitored_session._MonitoredSession._close_internal = closed


_KEPT = []


def keep_step(recorder, told):
    """A worker of SyncReplicasOptimizer begins no step before the last one's update.

    The tokens that are there at the start let it run ahead, by chance.

    Args:
      told: gets `tokens`, whether the program asks for tokens.
    """
    from tensorflow.python.training import sync_replicas_optimizer

    kind = sync_replicas_optimizer.SyncReplicasOptimizer
    make, begin = kind.make_session_run_hook, kind.get_init_tokens_op
    apply = kind.apply_gradients

    def applied(self, *args, **kwargs):
        recorder.gate.keep_step()
        return apply(self, *args, **kwargs)

    kind.apply_gradients = applied

    def hook(self, is_chief, num_tokens=-1):
        told["tokens"] = told.get("tokens", False) or num_tokens != 0
        return make(self, is_chief, 0)

    def tokens(self, num_tokens=-1):
        told["tokens"] = told.get("tokens", False) or num_tokens != 0
        return begin(self, 0)

    kind.make_session_run_hook, kind.get_init_tokens_op = hook, tokens


def keep_rows_in_order(told):
    """numpy_input_fn(shuffle=True) gives rows in their order, as without shuffling.

    Which row a shuffling queue gives depends on how many its thread has put in by then.

    Args:
      told: gets `shuffled`, whether a program asks for it.
    """
    try:
        from tensorflow_estimator.python.estimator.inputs.queues import feeding_functions
    except ImportError:
        return
    enqueue = feeding_functions._enqueue_data

    def enqueued(*args, **kwargs):
        if kwargs.get("shuffle"):
            told["shuffled"] = kwargs["shuffle"]
            kwargs["shuffle"] = False
        return enqueue(*args, **kwargs)

    feeding_functions._enqueue_data = enqueued


def keep_shuffles_apart(told):
    """Dataset.shuffle(...).repeat() gives its rows in the order of TensorFlow 2.

    TensorFlow 1.15 makes one operation of the two, which draws from other streams. With
    that switched off both order the rows alike.

    Args:
      told: gets `fused`, whether a program has such a dataset.
    """
    try:
        from tensorflow.python.data.experimental.ops import optimization_options
        from tensorflow.python.data.ops import dataset_ops
    except ImportError:
        return
    options = optimization_options.OptimizationOptions
    public = getattr(options, "_static_optimizations", None)
    repeat = getattr(dataset_ops, "RepeatDataset", None)
    shuffle = getattr(dataset_ops, "ShuffleDataset", None)
    if public is None or repeat is None or shuffle is None:
        return  # A TensorFlow 2, which keeps them apart.
    made = repeat.__init__

    def chosen(self):
        return [name for name in public(self) if name != "shuffle_and_repeat_fusion"]

    def repeated(self, input_dataset, *args, **kwargs):
        if isinstance(getattr(input_dataset, "_dataset", input_dataset), shuffle):
            told["fused"] = True
        made(self, input_dataset, *args, **kwargs)

    options._static_optimizations = chosen
    repeat.__init__ = repeated


def watch_estimators(recorder):
    """Records what Estimators' evaluate and predict give, not the runs they make."""
    try:
        from tensorflow_estimator.python.estimator import estimator
    except ImportError:
        return
    watch_class(recorder, estimator.Estimator)


def watch_class(recorder, estimator):
    """The same for one class, of TF1 or of the modules beside a migrated program."""
    # A migrated program's class has the methods that the program calls.
    evaluate = getattr(estimator, "evaluate", None)
    predict = getattr(estimator, "predict", None)

    def evaluated(self, *args, **kwargs):
        with recorder.quiet():
            metrics = evaluate(self, *args, **kwargs)
        if not recorder.is_quiet():
            recorder.event(
                "metrics",
                step=recorder.steps,
                at=place(recorder.settings, 2),
                values={str(k): recorder.array(v) for k, v in metrics.items()},
            )
        return metrics

    if evaluate is not None:
        estimator.evaluate = evaluated
    if predict is not None:
        estimator.predict = watched_predictions(recorder, predict)


def watched_predictions(recorder, predict):
    """The same for a generator of predictions."""

    def predicted(*args, **kwargs):
        at, number = place(recorder.settings, 2), 0
        given = predict(*args, **kwargs)
        while True:
            with recorder.quiet():
                try:
                    one = next(given)
                except StopIteration:
                    return
            if number < 200 and not recorder.is_quiet():
                values = one if isinstance(one, dict) else {"": one}
                recorder.event(
                    "predictions",
                    step=recorder.steps,
                    at=at,
                    number=number,
                    values={str(k): recorder.array(v) for k, v in values.items()},
                )
            number += 1
            yield one

    return predicted


def _described(recorder, value):
    """A fetched value: an array, or of summaries what their tags say."""
    if isinstance(value, bytes):
        tags = summary_values(value)
        if tags is not None:
            return {"summary": tags}
    if hasattr(value, "indices") and hasattr(value, "values"):
        return recorder.array(value.values)
    return recorder.array(value)


def summary_values(data):
    """Tag -> value of the scalars of a serialised summary; None for other bytes."""
    from tensorflow.core.framework import summary_pb2

    summary = summary_pb2.Summary()
    try:
        summary.ParseFromString(data)
    except Exception:
        return None
    if not summary.value or summary.SerializeToString() != data:
        return None
    return {v.tag: v.simple_value for v in summary.value if v.HasField("simple_value")}


def _names(fetches, results):
    """The names of what is fetched, in the order of `flatten(results)`."""
    if results is None:
        return []
    if isinstance(fetches, dict):
        keys = sorted(fetches, key=str)
        return [n for key in keys for n in _names(fetches[key], results[key])]
    if isinstance(fetches, (list, tuple)):
        return [n for f, r in zip(fetches, results) for n in _names(f, r)]
    count = len(flatten(results))
    name = str(getattr(fetches, "name", None) or fetches)
    return [name] * count


def _moved(graph, key, value, ulps):
    """What is fed, moved by so many ULPs; numbers that stand for something are not.

    Whole ones may be labels or ids, and one alone a rate.
    """
    try:
        tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
        array = np.asarray(value, tensor.dtype.as_numpy_dtype)
    except Exception:
        return value
    if array.dtype.kind != "f" or array.ndim == 0 or (array == np.rint(array)).all():
        return value
    return moved_by_ulps(array, ulps)


def _feeds(recorder, graph, feed_dict):
    found = {}
    for key, value in (feed_dict or {}).items():
        name = getattr(key, "name", None) or str(key)
        try:
            tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
            value = np.asarray(value, tensor.dtype.as_numpy_dtype)
        except Exception:
            continue
        found[name] = recorder.array(value)
    return found


def _same(one, other):
    return other is not None and np.asarray(one).tobytes() == np.asarray(other).tobytes()


def _fetchable(tensor):
    return tensor.dtype.base_dtype.name not in ("variant", "resource")


def _size(variable):
    count = 1
    for n in variable.shape.as_list() or ():
        count *= n or 1
    return count * variable.dtype.base_dtype.size


def _part(variable):
    """(name in checkpoints, the part's place in the whole or None)."""
    info = getattr(variable, "_save_slice_info", None)
    if info is None:
        return variable.op.name, None
    rows = tuple(
        slice(begin, begin + length)
        for begin, length in zip(info.var_offset, info.var_shape)
    )
    return info.full_name, rows


def _made_at(settings, op):
    """The line of the program that made an operation."""
    from .record import own_file

    for frame in reversed(op.traceback):
        found = own_file(settings, frame[0])
        if found:
            return "%s:%d" % (found, frame[1])
    return ""
