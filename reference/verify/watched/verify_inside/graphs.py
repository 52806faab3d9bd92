"""What a run of a graph writes: nothing, initial values, what a checkpoint has, or a step."""

READ, START, RESTORE, STEP = "read", "start", "restore", "step"

_HOLDS = ("VariableV2", "Variable", "VarHandleOp", "TemporaryVariable")
_BEGINNINGS = (
    *("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply", "Scatter"),
    *("ResourceScatter", "Assign", "StridedSliceAssign", "ResourceStridedSliceAssign"),
)
_ACCUMULATES = (
    *("AccumulatorApplyGradient", "ResourceAccumulatorApplyGradient"),
    "SparseAccumulatorApplyGradient",
)
_INPUTS = (
    *("IteratorGetNext", "IteratorGetNextSync", "QueueDequeueV2", "QueueDequeueManyV2"),
    "QueueDequeueUpToV2",
)
_RANDOM = (
    *("RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt"),
    *("RandomShuffle", "Multinomial", "RandomGammaV2", "ParameterizedTruncatedNormal"),
)


def writes(op_type):
    return op_type.startswith(_BEGINNINGS)


def only_sets(types):
    """Whether operations of these types, which write, give values and train nothing."""
    return all(t.startswith("Assign") for t in types)


def closure(ops):
    """All operations that must run for these, themselves included."""
    found, work = set(), list(ops)
    while work:
        op = work.pop()
        if op in found:
            continue
        found.add(op)
        work.extend(tensor.op for tensor in op.inputs)
        work.extend(op.control_inputs)
    return found


def only_saves(ops):
    """Whether a run writes a checkpoint, and gives its name."""
    return any(
        op.type.startswith(("Save", "MergeV2Checkpoints")) for op in closure(ops)
    )


def is_variable(graph, name):
    """Whether a fetched value is a variable's: that is compared in any case."""
    try:
        op = graph.as_graph_element(name, allow_tensor=True, allow_operation=True)
    except Exception:
        return False
    op = getattr(op, "op", op)
    if op.type == "Identity" and op.inputs:
        op = op.inputs[0].op
    return op.type in _HOLDS + ("ReadVariableOp",)


def variable_op(op):
    """The operation that holds what an operation writes; None where that is not seen."""
    for tensor in op.inputs:
        source = tensor.op
        while source.type in (
            "Enter",
            "RefEnter",
            "Identity",
            "RefIdentity",
            "Switch",
            "RefSwitch",
        ):
            source = source.inputs[0].op
        if source.type in _HOLDS:
            return source
        break
    return None


def is_start(op):
    """Whether an operation gives a variable its initial value."""
    holder = variable_op(op)
    return (
        holder is not None
        and op.type in ("Assign", "AssignVariableOp")
        and op.name == holder.name + "/Assign"
    )


def classify(ops, global_names):
    """(kind, names of the variables that are given initial values, sets) of a run.

    `sets` says that a step writes without an optimizer: a migrated program may do that
    with no run at all.

    Args:
      ops: the operations that are fetched.
      global_names: of the variables that checkpoints hold; others do not count.
    """
    needed = closure(ops)
    written = [op for op in needed if writes(op.type)]
    starts, restores, steps = [], False, []
    for op in written:
        holder = variable_op(op)
        if holder is None or holder.name not in global_names:
            continue
        if is_start(op):
            starts.append(holder.name)
        elif any(o.type.startswith("Restore") for o in closure([op])):
            restores = True
        else:
            steps.append(op.type)
    if any(op.type in _ACCUMULATES for op in needed):
        steps.append("Apply")  # The chief's thread applies what workers accumulate.
    if steps:
        return STEP, [], only_sets(steps)
    if restores:
        return RESTORE, starts, False
    return (START, starts, False) if starts else (READ, [], False)


def inputs_of(ops):
    """Tensors that a run takes from a dataset or a queue, by name."""
    found = {}
    for op in closure(ops):
        if op.type in _INPUTS:
            for tensor in op.outputs:
                found[tensor.name] = tensor
    return found


def gradients_of(ops):
    """Tensors that optimizers apply, by the variable's name."""
    found = {}
    for op in closure(ops):
        if not op.type.startswith(_BEGINNINGS[:4]):
            continue
        holder = variable_op(op)
        names = [arg.name for arg in op.op_def.input_arg]
        given = [name for name in ("grad", "delta") if name in names]
        if holder is None or not given or len(names) != len(op.inputs):
            continue
        found[holder.name] = op.inputs[names.index(given[0])]
    return found


def draws(ops):
    """Whether random numbers are drawn."""
    return sorted({op.type for op in closure(ops) if op.type in _RANDOM})


def seed_starts(graph, done, seed):
    """Gives unseeded draws of initial values numbers of their own.

    One seed for all would begin all weights of one shape alike.
    """
    chosen = [
        op for op in graph.get_operations() if op.type in _RANDOM and op not in done
    ]
    if not chosen:
        return
    of_starts = closure([op for op in graph.get_operations() if is_start(op)])
    from tensorflow.core.framework import attr_value_pb2

    for op in chosen:
        done.add(op)
        if op in of_starts and op.get_attr("seed") == op.get_attr("seed2") == seed:
            op._set_attr("seed2", attr_value_pb2.AttrValue(i=seed + len(done)))
