"""Functions of tf.contrib.framework and slim that give variables values.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, in graph mode.
"""

import tensorflow as tf

v1 = tf.compat.v1


def assign_from_values(var_names_to_values):
    """An operation that assigns variables, found by name, and what to feed it."""
    updates, feed_dict = [], {}
    for name, value in var_names_to_values.items():
        found = [v for v in v1.global_variables() if v.op.name == name]
        if not found:
            raise ValueError(f"Variable {name} is not found")
        variable = found[0]
        placeholder = v1.placeholder(variable.dtype.base_dtype, variable.shape)
        feed_dict[placeholder] = value.reshape(variable.shape.as_list())
        updates.append(v1.assign(variable, placeholder))
    return tf.group(*updates), feed_dict


def assign_from_values_fn(var_names_to_values):
    """A function of a session that assigns variables, found by name."""
    update, feed_dict = assign_from_values(var_names_to_values)
    return lambda session: session.run(update, feed_dict)


def assign_from_checkpoint_fn(
    model_path, var_list, ignore_missing_vars=False, reshape_variables=False
):
    """A function of a session that restores variables, or None where none is to be.

    Args:
      model_path: of the checkpoint.
      var_list: variables, or a dict from names in the checkpoint to variables.
      ignore_missing_vars: whether to leave those that the checkpoint does not have.
      reshape_variables: whether a value of as many elements fits.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = tf.train.load_checkpoint(model_path)
        if not isinstance(var_list, dict):
            var_list = {v.op.name: v for v in var_list}
        missing = [name for name in var_list if not reader.has_tensor(name)]
        for name in missing:
            v1.logging.warning("Variable %s missing in checkpoint %s", name, model_path)
        var_list = {n: v for n, v in var_list.items() if n not in missing}
    if not var_list:
        v1.logging.warning("No Variables to restore")
        return None
    saver = v1.train.Saver(
        var_list, reshape=reshape_variables, write_version=v1.train.SaverDef.V1
    )
    return lambda session: saver.restore(session, model_path)
