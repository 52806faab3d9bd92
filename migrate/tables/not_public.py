"""Gives recipes for names that TensorFlow 2 does not have, or that were never public.

Reviewed by hand: each recipe names what TensorFlow 2.21 has (or another package) for the
purpose that programs used the name for.
"""

from __future__ import annotations

from migrate.tables import before_one, symbols

_NO_SESSION = (
    "If the session only sets Keras up, remove it. TensorFlow 2's Keras computes "
    "without a session."
)
# Symbol, or a module with all below it -> what to do instead. The longest match counts.
INSTEAD: dict[str, str] = {
    "tf.python.client.device_lib": "Use tf.config.list_physical_devices.",
    "tf.python.client.timeline": "Use tf.profiler.experimental and TensorBoard.",
    "tf.keras.backend.get_session": _NO_SESSION,
    "tf.keras.backend.set_session": _NO_SESSION,
    "tf.python.client.session": "Call the functions directly.",
    "tf.python.debug": "Use tf.debugging.experimental.enable_dump_debug_info.",
    "tf.python.framework.function": "Use tf.function.",
    "tf.python.framework.graph_util": "Use tf.compat.v1.graph_util.",
    "tf.python.framework.test_util": "Use tf.test.TestCase.",
    "tf.python.framework.ops.colocate_with": "Use tf.device.",
    "tf.python.framework.smart_cond": "Use `if` for a condition that Python knows, and tf.cond for a tensor.",
    "tf.python.layers": "Derive the layer from tf_keras.layers.Layer.",
    "tf.python.lib.io.file_io": "Use tf.io.gfile.",
    "tf.python.lib.io.tf_record": "Use tf.io and tf.data.TFRecordDataset.",
    "tf.python.ops.control_flow_util": "Remove the test. TensorFlow 2 has only one kind of loop.",
    "tf.python.ops.gen_array_ops": "Use tf.raw_ops.",
    "tf.python.ops.gen_math_ops": "Use tf.raw_ops.",
    "tf.python.ops.inplace_ops": "Use tf.tensor_scatter_nd_update.",
    "tf.python.ops.metrics_impl": "Use a metric of tf_keras.metrics.",
    "tf.python.ops.rnn_cell_impl": "Derive the cell from tf_keras.layers.Layer.",
    "tf.python.ops.variables.PartitionedVariable": "Use the parts as a list.",
    "tf.python.platform.resource_loader": "Use importlib.resources.",
    "tf.python.saved_model": "Use tf.saved_model.",
    "tf.python.tools": "Use the program of that name that TensorFlow installs.",
    "tf.python.tpu": "Use tf.tpu and tf.distribute.TPUStrategy.",
    "tf.python.training.checkpoint_utils": "Use tf.train.list_variables and "
    "load_variable.",
    "tf.python.training.moving_averages": "Write the update with assign_sub.",
    "tf.python.training.slot_creator": "Make a tf.Variable with zeros_like.",
    "tf.python.training.tracking": "Derive from tf.Module.",
    "tf.python.util.deprecation": "Warn with warnings.warn.",
    "tf.python.util.nest": "Use tf.nest; its assert_shallow_structure and the functions "
    "up to a structure are those of the package dm-tree.",
    "tf.python.util.tf_decorator": "Use functools.wraps.",
    "tf.python.util.tf_export": "Remove the decorator.",
    "tf.python.util.tf_inspect": "Use inspect.",
    "tf.python.util.tf_contextlib": "Use contextlib.",
    "tf.examples": "Copy the file from TensorFlow's source of version 1.15.",
    "tf.pywrap_tensorflow": "Use tf.train.load_checkpoint.",
    "tf.keras.utils.multi_gpu_model": "Build and compile the model in the scope of "
    "tf.distribute.MirroredStrategy.",
    "tf.keras.experimental.export_saved_model": "Use tf.saved_model.save.",
    "tf.keras.experimental.load_from_saved_model": "Use tf_keras.models.load_model.",
}
_ANY = "Look for a public function that does the same."
# Public by accident: TensorFlow 1.15 has them, and no page of its reference does.
_UNLISTED = frozenset({"tf.test.mock", "tf.tools", "tf.tpu.core"})
_UNLISTED_IN = ("tf.app.", "tf.flags.")


def explain_absence(symbol: str) -> tuple[str, str]:
    """Returns the reason why TensorFlow 2 lacks a name, and what to do instead."""
    private = symbol.startswith("tf.python.") or ".python." in symbol
    if private:
        reason = "a private name of TensorFlow without a public counterpart"
    elif _is_in_neither(symbol):
        reason = f"TensorFlow 1.15 has no `{symbol}` either"
    else:
        reason = "not a public name of TensorFlow 2"
    name = symbol
    while name:
        if name in before_one.RENAMED:
            new = before_one.RENAMED[name]
            recipe = (
                f"TensorFlow removed it with version 1.0. It is called `{new}` "
                "since: write that first."
            )
            return reason, recipe
        if name in INSTEAD:
            return reason, INSTEAD[name]
        name = name.rpartition(".")[0]
    return reason, _ANY


def is_mistake(symbol: str) -> bool:
    """Whether a line that reads a name ends with an AttributeError on both versions.

    Names from before TensorFlow 1.0 are none: their programs ran once.
    """
    return (
        _is_in_neither(symbol)
        and symbol not in symbols.list_modules()
        and symbol not in INSTEAD
        and symbol not in before_one.RENAMED
        and symbol not in _UNLISTED
        and not symbol.startswith(_UNLISTED_IN)
    )


def _is_in_neither(symbol: str) -> bool:
    """Whether no version that is read or written has a name in a module of TensorFlow's."""
    module = symbol.rpartition(".")[0]
    if module != "tf" and module not in symbols.list_modules():
        return False
    return symbols.look_up(symbol) is None and not symbols.exists_in_target(symbol)
