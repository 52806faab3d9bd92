"""Handlers of slim's decoder of examples that tf_slim 1.1.0 has, but that fail there.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, with graph mode switched on, and tf_slim. tf_slim's own classes
of these names ask TensorFlow for private functions that are gone.
"""

import tensorflow as tf
from tf_slim.data import tfexample_decoder

v1 = tf.compat.v1


class BackupHandler(tfexample_decoder.ItemHandler):
    """Gives what one handler gives, or another's item where that is empty."""

    def __init__(self, handler, backup):
        for role, one in (("Primary", handler), ("Backup", backup)):
            if not isinstance(one, tfexample_decoder.ItemHandler):
                raise ValueError(
                    f"{role} handler is of type {type(one)} instead of ItemHandler"
                )
        self._handler = handler
        self._backup = backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors):
        item = self._handler.tensors_to_item(keys_to_tensors)
        return v1.cond(
            tf.equal(tf.reduce_prod(tf.shape(item)), 0),
            lambda: self._backup.tensors_to_item(keys_to_tensors),
            lambda: item,
        )


class Tensor(tfexample_decoder.Tensor):
    """Gives a parsed tensor, perhaps in a shape that the example has."""

    def tensors_to_item(self, keys_to_tensors):
        tensor = keys_to_tensors[self._tensor_key]
        shape = self._shape
        if self._shape_keys:
            sizes = [_make_dense(keys_to_tensors[key]) for key in self._shape_keys]
            shape = tf.reshape(tf.stack(sizes), [-1])
        if isinstance(tensor, tf.SparseTensor):
            if shape is not None:
                tensor = tf.sparse.reshape(tensor, shape)
            return v1.sparse_tensor_to_dense(tensor, self._default_value)
        return tensor if shape is None else tf.reshape(tensor, shape)


class LookupTensor(Tensor):
    """Gives what a table has for a parsed tensor."""

    def __init__(
        self, tensor_key, table, shape_keys=None, shape=None, default_value=""
    ):
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors):
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class SparseTensor(tfexample_decoder.SparseTensor):
    """Gives a sparse tensor of the positions and the values of an example."""

    def tensors_to_item(self, keys_to_tensors):
        indices = keys_to_tensors[self._indices_key]
        if self._shape_key:
            shape = _make_dense(keys_to_tensors[self._shape_key])
        else:
            shape = self._shape or indices.dense_shape
        before = tf.shape(indices.indices)[1] - 1
        places = tf.concat(
            [
                tf.slice(indices.indices, [0, 0], tf.stack([-1, before])),
                tf.reshape(tf.cast(indices.values, tf.int64), [-1, 1]),
            ],
            1,
        )
        values = keys_to_tensors[self._values_key].values
        tensor = tf.SparseTensor(places, values, shape)
        if self._densify:
            return v1.sparse_tensor_to_dense(tensor, self._default_value)
        return tensor


def _make_dense(tensor):
    if isinstance(tensor, tf.SparseTensor):
        return v1.sparse_tensor_to_dense(tensor)
    return tensor


class Image(tfexample_decoder.ItemHandler):
    """Decodes a picture, or several, by the format that the example names."""

    def __init__(
        self,
        image_key=None,
        format_key=None,
        shape=None,
        channels=3,
        dtype=tf.uint8,
        repeated=False,
        dct_method="",
    ):
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        super().__init__([self._image_key, self._format_key])
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method

    def tensors_to_item(self, keys_to_tensors):
        encoded = keys_to_tensors[self._image_key]
        name = keys_to_tensors[self._format_key]
        if not self._repeated:
            return self._decode(encoded, name)
        return v1.map_fn(lambda x: self._decode(x, name), encoded, dtype=self._dtype)

    def _decode(self, encoded, name):
        """The picture: of `shape`, or of any height and width."""

        def decode_any():
            return tf.cast(
                tf.image.decode_image(encoded, channels=self._channels), self._dtype
            )

        def decode_jpeg():
            decoded = tf.image.decode_jpeg(
                encoded, channels=self._channels, dct_method=self._dct_method
            )
            return tf.cast(decoded, self._dtype)

        def decode_by_header():
            is_jpeg = tf.io.is_jpeg(encoded)
            return v1.cond(is_jpeg, decode_jpeg, decode_any, name="cond_jpeg")

        is_raw = tf.logical_or(tf.equal(name, "raw"), tf.equal(name, "RAW"))
        image = v1.case(
            [(is_raw, lambda: v1.decode_raw(encoded, out_type=self._dtype))],
            default=decode_by_header,
            exclusive=True,
        )
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else tf.reshape(image, self._shape)
