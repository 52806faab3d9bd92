"""Cases for each part of each row of the table of calls.

`python -m tests.mutation` lists the parts that no case tells from a wrong one.
"""

from __future__ import annotations

CASES = (
    *(
        f"tf.{name}({arguments})"
        for name, data in (
            *(
                (f"reduce_{n}", "x")
                for n in ("sum", "mean", "max", "min", "prod", "logsumexp")
            ),
            *((f"reduce_{n}", "ints > 0") for n in ("any", "all")),
        )
        for arguments in (
            f"{data}, reduction_indices=0, keep_dims=True",
            f"input_tensor={data}, axis=0, keepdims=True",
        )
    ),
    "tf.argmin(x, 1, 'worst')",
    *(f"tf.{name}(-x, dimension=1)" for name in ("argmin", "arg_max", "arg_min")),
    *(f"tf.{n}(input=-x, axis=1, output_type=tf.int32)" for n in ("argmax", "argmin")),
    *(f"tf.{n}(x, dimension=1, output_type=tf.int32)" for n in ("arg_max", "arg_min")),
    *(f"tf.nn.{name}(x, axis=0)" for name in ("softmax", "log_softmax", "crelu")),
    "tf.nn.log_softmax(x, dim=0)",
    "tf.nn.avg_pool(value=image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')",
    "tf.nn.avg_pool2d(value=image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')",
    "tf.nn.avg_pool2d(image, 2, strides=1, padding='VALID')",
    *(
        f"tf.nn.{name}(image, ksize=2, strides=2, padding='SAME', data_format='NHWC')"
        for name in ("max_pool", "avg_pool", "avg_pool2d")
    ),
    *(
        f"tf.cast(tf.to_{name}(ints, 'n'), tf.float32)"
        for name in ("float", "int32", "int64", "bfloat16", "complex64", "complex128")
    ),
    "tf.depth_to_space(tf.concat([image, image], 3), 2, 'd')",
    "tf.constant(1.0, tf.float32, [2], 'c', False)",
    "tf.constant(1, dtype=tf.float32, shape=[2])",
    "tf.ones_like(tensor=x)",
    "tf.squeeze(x[None, :, :1], squeeze_dims=[0])",
    "tf.squeeze(x[None, :, :1], axis=[0])",
    "tf.transpose(x, [1, 0], 't')",
    "tf.transpose(x[None], perm=[1, 0, 2])",
    "tf.transpose(tf.complex(x, x), conjugate=True)",
    "tf.pad(x, [[1, 1], [1, 1]], mode='REFLECT')",
    "tf.gather(volume[0], ints[:, 1:2] // 9, batch_dims=1)",
    "tf.gather_nd(image[0], [[0], [1], [2], [3]], batch_dims=1)",
    "tf.reverse_sequence(x, [1, 2, 2], seq_dim=0, batch_dim=1)",
    "tf.reverse_sequence(x, [1, 2, 2], seq_axis=0, batch_axis=1)",
    "tf.multinomial([[50.0, 0.0]], 3, output_dtype=tf.int32)",
    "tf.norm(x, axis=1, keepdims=True)",
    "tf.count_nonzero(input=ints, axis=0, keepdims=True, dtype=tf.float32)",
    "tf.confusion_matrix([0, 1], [1, 1], num_classes=3, dtype=tf.float32, weights=[.5, 2.])",
    "tf.string_to_number(words, tf.float64, 'n')",
    "tf.string_to_number(words, out_type=tf.float64)",
    "tf.string_to_hash_bucket(string_tensor=words, num_buckets=10)",
    "tf.string_to_hash_bucket(words, 10, 'h')",
    "tf.reduce_join(words[None], reduction_indices=1, keep_dims=True)",
    "tf.substr(['\u00e4b'], 0, 1, unit='UTF8_CHAR')",
    "tf.strings.length(['\u00e4b'], unit='UTF8_CHAR')",
    "tf.decode_raw([b'abcd'], tf.uint8, True, 'r')",
    "tf.decode_raw([b'abcd'], tf.int16, little_endian=False)",
    "tf.stack(tf.decode_csv(rows, [[0.0], [0.0]], ',', True, 'c'))",
    "tf.stack(tf.decode_csv(['1;2'], [[0.0], [0.0]], field_delim=';'))",
    "tf.stack(tf.decode_csv(['\"1,2'], [['a'], ['b']], use_quote_delim=False))",
    "tf.stack(tf.decode_csv(['1,?'], [[5.0]], na_value='?', select_cols=[1]))",
    "tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x, dim=0)",
    "tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x, dim=0)",
    "tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x, axis=0)",
    "tf.stack(tf.nn.moments(tf.constant(x), [1], None, 'm'))",
    "tf.stack(tf.nn.moments(tf.constant(x), [1], keepdims=True))",
    "tf.nn.l2_normalize(x, None, 1e-12, 'l', 1)",
    "tf.nn.l2_normalize(x, axis=1, epsilon=40.0)",
    "tf.nn.conv1d(line, kernel[0], 1, 'SAME', True)",
    "tf.nn.conv1d(input=line, filters=kernel[0], stride=1, padding='SAME', dilations=2)",
    "tf.nn.conv2d(image, kernel, [1, 1, 1, 1], 'SAME', True)",
    "tf.nn.conv2d(image, filters=kernel, strides=1, padding='SAME', dilations=2)",
    "tf.nn.conv2d_transpose(image, kernel, [1, 4, 4, 2], [1, 1, 1, 1], 'SAME', 'NHWC', 't')",
    "tf.nn.conv2d_transpose(input=image, filters=kernel, output_shape=[1, 6, 6, 2], "
    "strides=1, padding='VALID')",
    "tf.nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], 'SAME', dilations=[2, 2])",
    "tf.nn.separable_conv2d(image, kernel, np.ones([1, 1, 4, 2], np.float32), "
    "[1, 1, 1, 1], 'SAME', rate=[2, 2])",
    "tf.nn.separable_conv2d(image, kernel, np.ones([1, 1, 4, 2], np.float32), "
    "[1, 1, 1, 1], 'SAME', dilations=[2, 2])",
    "tf.image.crop_and_resize(image, [[0., 0., 2., 2.]], box_indices=[0], "
    "crop_size=[2, 2], method='nearest', extrapolation_value=7.0)",
    # The type of the result tells.
    *(f"tf.{n}(x, 1, output_type=tf.int32)" for n in ("argmax", "argmin")),
    "tf.convert_to_tensor([1, 2], dtype_hint=tf.float32)",
    # Shapes and attributes of the graph tell: no CPU of TF1 computes these.
    *(
        f"shape_of(lambda: tf.nn.{name}(image, 2, 2, 'VALID', data_format='NCHW'))"
        for name in ("max_pool", "avg_pool", "avg_pool2d")
    ),
    "shape_of(lambda: tf.space_to_depth(image, 2, data_format='NCHW'))",
    "shape_of(lambda: tf.depth_to_space(image, 2, data_format='NCHW'))",
    "shape_of(lambda: tf.nn.conv1d(line, np.ones([1, 4, 3], np.float32), 1, 'SAME', "
    "data_format='NCW'))",
    "shape_of(lambda: tf.nn.conv2d(image, np.ones([1, 1, 4, 3], np.float32), 1, 'SAME', "
    "data_format='NCHW'))",
    "shape_of(lambda: tf.nn.conv3d(volume, np.ones([1, 1, 1, 2, 3], np.float32), "
    "[1] * 5, 'SAME', data_format='NCDHW'))",
    "in_graph(lambda: tf.nn.conv3d(volume, np.ones([1, 2, 1, 1, 1], np.float32), "
    "[1] * 5, 'SAME', dilations=[1, 1, 2, 1, 1]).op.get_attr('dilations'))",
    "in_graph(lambda: tf.nn.conv2d_transpose(image, kernel, [1, 8, 8, 2], 1, 'VALID', "
    "dilations=2).op.get_attr('dilations'))",
    "shape_of(lambda: tf.nn.conv2d_transpose(image, np.ones([1, 1, 3, 4], np.float32), "
    "[1, 3, 4, 2], 1, 'SAME', data_format='NCHW'))",
    "shape_of(lambda: tf.nn.depthwise_conv2d(image, np.ones([1, 1, 4, 3], np.float32), "
    "[1] * 4, 'SAME', data_format='NCHW'))",
    "shape_of(lambda: tf.nn.separable_conv2d(image, np.ones([1, 1, 4, 1], np.float32), "
    "np.ones([1, 1, 4, 3], np.float32), [1] * 4, 'SAME', data_format='NCHW'))",
    "tf.nn.conv3d(volume, filters=np.ones([1, 2, 1, 1, 1], np.float32), "
    "strides=[1] * 5, padding='SAME')",
    "tf.nn.separable_conv2d(image, kernel, np.ones([1, 1, 4, 2], np.float32), "
    "[1, 1, 1, 1], 'SAME', [2, 2])",
    "tf.image.crop_and_resize(image, [[0.1, 0.1, 0.8, 0.7]], box_ind=[0], "
    "crop_size=[3, 3], method='nearest')",
    "tf.transpose(tf.complex(x, x), [1, 0], 't')",
    # Strings and records.
    "tf.string_to_number(input=words)",
    "tf.string_to_hash_bucket(input=words, num_buckets=10)",
    "tf.reduce_join(letters, reduction_indices=1)",
    "tf.reduce_join(letters, axis=1, keepdims=True)",
    "tf.stack(tf.decode_csv(['c,2'], [['a'], ['b']], ',', True, 'c'))",
    # Neural networks.
    "tf.nn.dropout(x, noise_shape=[2, 1], rate=0.5, seed=23)",
    "tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x, dim=None, axis=0)",
    *(
        f"tf.nn.{name}_cross_entropy_with_logits(None, {labels}, logits=x)"
        for name, labels in (
            ("softmax", "labels=labels"),
            ("sparse_softmax", "labels=classes"),
            ("sigmoid", "labels=labels"),
        )
    ),
    "tf.nn.weighted_cross_entropy_with_logits(labels=labels, logits=x, pos_weight=2.0)",
    "tf.stack(tf.nn.moments(tf.constant(x), [1], shift=3.0))",
    "tf.stack(tf.nn.moments(tf.constant(x), [1]))",
    "tf.nn.l2_normalize(x, axis=1)",
    # Files.
    "tf.gfile.Exists(filename=folder + '/deep')",
    "tf.gfile.Glob(filename='/de[v]')",
    "sorted(tf.gfile.ListDirectory(dirname=folder + '/deep'))",
    "[tf.gfile.MakeDirs(dirname=folder + '/one/two'), below(folder)][1]",
    "[tf.gfile.MkDir(dirname=folder + '/one'), below(folder)][1]",
    "[tf.gfile.Remove(filename=folder + '/deep/a'), below(folder)][1]",
    "[tf.gfile.DeleteRecursively(dirname=folder + '/deep'), len(below(folder))][1]",
    "tf.gfile.Stat(filename=folder + '/deep/a').length",
    "[os.path.basename(d) for d, _, _ in tf.gfile.Walk(top=folder, in_order=False)][:-1]",
    "[os.path.basename(d) for d, _, _ in tf.gfile.Walk(folder, False)][:-1]",
    *(
        f"[tf.gfile.{name}(folder + '/deep/a', {arguments}), *below(folder), "
        "open(folder + '/deep/b').read()][1:]"
        for name, new in (("Copy", "newpath"), ("Rename", "newname"))
        for arguments in (
            "folder + '/deep/b', True",
            f"{new}=folder + '/deep/b', overwrite=True",
        )
    ),
    *(
        f"[tf.gfile.{name}({old}=folder + '/deep/a', {new}=folder + '/c'), below(folder)][1]"
        for name, old, new in (
            ("Copy", "oldpath", "newpath"),
            ("Rename", "oldname", "newname"),
        )
    ),
    # Scopes and variables.
    "in_graph(lambda: inside(tf.device('/cpu:0'), lambda: tf.constant(1.0).device))",
    "in_graph(lambda: inside(tf.name_scope('s'), lambda: tf.constant(1.0, name='c').name))",
    "in_graph(lambda: inside(tf.name_scope(None, 's'), "
    "lambda: tf.constant(1.0, name='c').name))",
    "tf.Variable(1, dtype=tf.float32)",
    "tf.Variable(initial_value=1.0, trainable=False).trainable",
    "in_graph(lambda: tf.Variable([1.0], shape=tf.TensorShape([None]))"
    ".shape.is_compatible_with([3]))",
    "in_graph(lambda: [tf.Variable(1.0, True, ['c']), collected('c')][1])",
    "tf.Variable(1.0, False, None, True, None, 'v').name",
    "tf.zeros_initializer(dtype=tf.int32)([2])",
)

# TensorFlow 1.15.5 refuses these too, but they are TensorFlow 2's calls. A program that is
# half migrated has them beside TF1's, and they must keep the value they have.
OF_TF2 = (
    *(
        f"tf.nn.{name}(input=image, ksize=2, strides=2, padding='SAME')"
        for name in ("max_pool", "avg_pool", "avg_pool2d")
    ),
    "tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x, axis=0)",
)

# Case -> a pattern in the message: TensorFlow 1.15.5 refuses these. Without a pattern
# any error will do: TF2's own `compat.v1` raises another type.
FAILURES: dict[str, str | None] = {
    **dict.fromkeys(OF_TF2),
    **{
        f"tf.nn.{name}_cross_entropy_with_logits({given}=x)": None
        for name in ("softmax", "sparse_softmax", "sigmoid")
        for given in ("labels", "logits")
    },
    "tf.nn.weighted_cross_entropy_with_logits(targets=labels, pos_weight=2.0)": "",
    "tf.nn.weighted_cross_entropy_with_logits(targets=labels, logits=x)": "",
    # Names of examples are in messages only, and TF1's of single examples in none.
    **{
        f"tf.parse_{kind}example({data}, {{'a': tf.FixedLenFeature([], tf.int64)}}"
        f"{names})['a']": pattern
        for kind, data, names, pattern in (
            ("", "[b'']", ", 'r'", r"Name: \S+, Feature: a"),
            ("", "[b'']", ", example_names=['first']", r"Name: \S+, Feature: a"),
            ("single_", "b''", ", 'r'", "Feature: a"),
            ("single_", "b''", ", example_names='first'", "Feature: a"),
            ("single_", "b''", "", "Feature: a"),
        )
    },
    **{
        f"tf.assert_{name}({arguments})": pattern
        for name, one, two in (
            ("equal", "[2, 7, 8, 9]", "[1, 4, 5, 6]"),
            ("greater", "[1, 4, 5, 6]", "[2, 7, 8, 9]"),
            ("greater_equal", "[1, 4, 5, 6]", "[2, 7, 8, 9]"),
            ("less", "[2, 7, 8, 9]", "[1, 4, 5, 6]"),
            ("less_equal", "[2, 7, 8, 9]", "[1, 4, 5, 6]"),
        )
        for arguments, pattern in (
            (f"x={one}, y={two}, message='told'", "told"),
            (f"{one}, {two}, ['d'], 2", "Condition|^d$"),
            (f"tf.identity({one}), {two}, summarize=2", r"\[\d \d(?! \d)"),
        )
    },
    "tf.gfile.Copy(folder + '/deep/a', folder + '/deep/b')": "",
    "tf.gfile.Rename(folder + '/deep/a', folder + '/deep/b')": "",
}
