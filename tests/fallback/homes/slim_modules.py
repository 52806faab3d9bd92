"""Modules of slim besides its layers: what each function computes, writes and prints."""

import contextlib
import io
import os
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim, training

tf.flags.DEFINE_string("dir", "/tmp/homes", "Where lines are written.")
FLAGS = tf.flags.FLAGS
summaries = slim.summaries
tfexample_decoder = slim.tfexample_decoder
utils = slim.utils


def checksum(text):
    return zlib.crc32(text.encode())


def analyzed(session, write):
    """What model_analyzer prints of variables and operations."""
    one = tf.get_variable("one", [3, 4], use_resource=False)
    two = tf.get_variable("deep/two", [7], tf.float64, use_resource=False)
    tf.matmul(tf.placeholder(tf.float32, [None, 3], "x"), one, name="product")
    described = slim.model_analyzer.tensor_description(one)
    write("described", checksum(described))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        sizes = slim.model_analyzer.analyze_vars([one, two], print_info=True)
    write("variables", *sizes)
    write("printed", checksum(out.getvalue()))
    with contextlib.redirect_stdout(out):
        write("quiet", *slim.model_analyzer.analyze_vars([two]))
        total = slim.model_analyzer.analyze_ops(session.graph, print_info=True)
    write("operations", total > 20)
    write("product", "product \t->" in out.getvalue())


def summarized(session, write):
    """Summaries: their tags, values and collections."""
    x = tf.constant([[0.0, 2.0], [0.0, 5.0]], name="x")
    y = tf.constant([[1.0, 2.0], [4.0, 0.0]], name="y")
    image = tf.reshape(x, [1, 2, 2, 1], name="image")
    made = [
        summaries.add_scalar_summary(tf.reduce_sum(x, name="sum"), prefix="eval"),
        summaries.add_scalar_summary(
            tf.reduce_sum(y, name="other"), "named", print_summary=True
        ),
        summaries.add_histogram_summary(x, "spread"),
        summaries.add_image_summary(image, prefix="pictures"),
        summaries.add_zero_fraction_summary(x, prefix="zeros"),
        *summaries.add_scalar_summaries([x[0, 1], y[1, 0]], "scalars"),
        *summaries.add_histogram_summaries([x, y], "spreads"),
        *summaries.add_image_summaries([image], "more"),
        *summaries.add_zero_fraction_summaries([x, y], "fractions"),
    ]
    write("listed", len(tf.get_collection(tf.GraphKeys.SUMMARIES)))
    written = tf.Summary.FromString(session.run(tf.summary.merge(made)))
    for value in written.value:
        tag = checksum(value.tag)
        if value.HasField("simple_value"):
            write("scalar", tag, value.simple_value)
        elif value.HasField("histo"):
            histogram = value.histo
            write("histogram", tag, histogram.num, histogram.sum, histogram.max)
        else:
            write("image", tag, value.image.height, value.image.width)


def make_example(index):
    """A record with a picture, boxes, and sparse entries."""
    pixels = (np.arange(48).reshape(4, 4, 3) * 5 + index).astype("uint8")
    with tf.Graph().as_default(), tf.Session() as session:
        png = session.run(tf.image.encode_png(pixels))
        jpeg = session.run(tf.image.encode_jpeg(pixels, quality=100))

    def text(*values):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))

    def whole(*values):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    def real(*values):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))

    features = {
        "image/encoded": text([png, jpeg][index % 2]),
        "image/format": text([b"png", b"jpeg"][index % 2]),
        "raw": text(pixels.tobytes()),
        "raw/format": text(b"raw"),
        "several": text(png, png),
        "several/format": text(b"png"),
        "label": whole(index),
        "raw numbers": whole(*range(16)),
        "sides": whole(1, 3),
        "size": whole(4),
        "word": text([b"one", b"two"][index % 2]),
        "indices": whole(0, 2, 3),
        "values": real(index + 0.5, 1.5, 2.5),
        **{side: real(0.1 * index, 0.2) for side in ("ymin", "xmin", "ymax", "xmax")},
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def make_decoder():
    """Returns a decoder with a handler of each kind."""
    fixed = {
        name: tf.FixedLenFeature((), tf.string, "")
        for name in ("image/encoded", "image/format", "raw", "raw/format", "word")
    }
    fixed["several"] = tf.FixedLenFeature((2,), tf.string)
    fixed["several/format"] = tf.FixedLenFeature((), tf.string)
    fixed["label"] = tf.FixedLenFeature([1], tf.int64)
    fixed["indices"] = tf.VarLenFeature(tf.int64)
    fixed["values"] = tf.VarLenFeature(tf.float32)
    fixed["missing"] = tf.VarLenFeature(tf.float32)
    for side in ("ymin", "xmin", "ymax", "xmax"):
        fixed[side] = tf.VarLenFeature(tf.float32)
    fixed["sides"] = tf.VarLenFeature(tf.int64)
    fixed["raw numbers"] = tf.VarLenFeature(tf.int64)
    fixed["size"] = tf.FixedLenFeature([1], tf.int64)
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(
            ["one", "two"], tf.constant([1, 2], tf.int64)
        ),
        -1,
    )
    handlers = {
        "image": tfexample_decoder.Image(shape=[4, 4, 3]),
        "grey": tfexample_decoder.Image(channels=1, dct_method="INTEGER_ACCURATE"),
        "raw": tfexample_decoder.Image("raw", "raw/format", shape=[4, 4, 3]),
        "several": tfexample_decoder.Image("several", "several/format", repeated=True),
        "box": tfexample_decoder.BoundingBox(["ymin", "xmin", "ymax", "xmax"]),
        "label": tfexample_decoder.Tensor("label", shape=[]),
        "word": tfexample_decoder.LookupTensor("word", table),
        "sparse": tfexample_decoder.SparseTensor(shape=[5], densify=True),
        "backup": tfexample_decoder.BackupHandler(
            tfexample_decoder.Tensor("missing"), tfexample_decoder.Tensor("values")
        ),
        "kept": tfexample_decoder.BackupHandler(
            tfexample_decoder.Tensor("values"), tfexample_decoder.Tensor("missing")
        ),
        "shaped": tfexample_decoder.Tensor("raw numbers", shape_keys=["size", "size"]),
        "reshaped": tfexample_decoder.Tensor("values", shape_keys="sides"),
        "filled": tfexample_decoder.Tensor("values", default_value=-1),
        "sized": tfexample_decoder.SparseTensor(shape_key="size", densify=True),
        "half": tfexample_decoder.ItemHandlerCallback(
            "label", lambda found: found["label"] / 2
        ),
    }
    return tfexample_decoder.TFExampleDecoder(fixed, handlers), handlers


def decoded(session, write):
    """Each handler's items of two records."""
    decoder, handlers = make_decoder()
    write("decoder", isinstance(decoder, slim.data_decoder.DataDecoder))
    write("items", checksum(" ".join(decoder.list_items())))
    serialized = tf.placeholder(tf.string, [])
    items = decoder.decode(serialized, list(handlers))
    session.run(tf.tables_initializer())
    for index in range(2):
        record = make_example(index).SerializeToString()
        for name, item in zip(handlers, session.run(items, {serialized: record})):
            write(name, np.shape(item), item)


def write_records():
    """Three files with four records each."""
    for part in range(3):
        path = os.path.join(FLAGS.dir, f"part-{part}")
        with tf.python_io.TFRecordWriter(path) as writer:
            for index in range(4):
                writer.write(make_example(part * 4 + index).SerializeToString())


def provided(session, write):
    """A data set's items, through queues: batches, in order and shuffled."""
    pattern = os.path.join(FLAGS.dir, "part-*")
    files = slim.parallel_reader.get_data_files([pattern])
    write("files", len(files))
    decoder, _ = make_decoder()
    described = {"label": "A number.", "image": "A picture."}
    dataset = slim.dataset.Dataset(
        pattern, tf.TFRecordReader, decoder, 12, described, num_classes=12
    )
    write("dataset", dataset.num_samples, dataset.num_classes)
    write("isinstance", isinstance(dataset, slim.dataset.Dataset))
    ordered = slim.dataset_data_provider.DatasetDataProvider(
        dataset,
        num_readers=1,
        shuffle=False,
        common_queue_capacity=20,
        common_queue_min=2,
        num_epochs=2,
    )
    provider = slim.data_provider.DataProvider
    write("provider", isinstance(ordered, provider), ordered.num_samples())
    write("provides", checksum(" ".join(sorted(ordered.list_items()))))
    label, image = ordered.get(["label", "image"])
    labels, images = tf.train.batch([label, image], 4)
    queue = slim.prefetch_queue.prefetch_queue([labels, images], capacity=3)
    labels, images = queue.dequeue()
    shuffled = slim.dataset_data_provider.DatasetDataProvider(
        dataset, num_readers=2, seed=3, num_epochs=1
    )
    (other,) = shuffled.get(["label"])
    _, single = slim.parallel_reader.single_pass_read(pattern, tf.TFRecordReader)
    _, parallel = slim.parallel_reader.parallel_read(
        pattern, tf.TFRecordReader, num_epochs=1, num_readers=2, shuffle=False
    )
    queue = tf.FIFOQueue(20, [tf.string, tf.string], shapes=[[], []])
    reader = slim.parallel_reader.ParallelReader(tf.TFRecordReader, queue, 2)
    _, read = reader.read(tf.train.string_input_producer(files, num_epochs=1))
    numbers = [
        tf.parse_single_example(r, {"label": tf.FixedLenFeature([], tf.int64)})["label"]
        for r in (single, parallel, read)
    ]
    session.run(
        [
            tf.global_variables_initializer(),
            tf.local_variables_initializer(),
            tf.tables_initializer(),
        ]
    )
    with slim.queues.QueueRunners(session):
        for _ in range(6):
            write("batch", *session.run([labels, images]))
        for name, number in zip(("single", "parallel", "read"), numbers):
            found = []
            with contextlib.suppress(tf.errors.OutOfRangeError):
                while True:
                    found.append(session.run(number))
            write(name, found if name == "single" else sorted(found))
        found = []
        with contextlib.suppress(tf.errors.OutOfRangeError):
            while True:
                found.append(session.run(other))
        write("shuffled", sorted(found))
    write("error", issubclass(slim.queues.NestedQueueRunnerError, Exception))


def make_model():
    """A weight that is trained, and a metric of it."""
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = tf.square(w - 1.0)
    return w, loss


def read_events(logdir):
    """Tags and values of the events of a directory, by step."""
    for name in sorted(os.listdir(logdir)):
        if "tfevents" in name:
            for event in tf.train.summary_iterator(os.path.join(logdir, name)):
                for value in event.summary.value:
                    yield event.step, checksum(value.tag), value.simple_value


def evaluated(write):
    """Evaluation of checkpoints: once, of each, and of those that come."""
    checkpoints = os.path.join(FLAGS.dir, "checkpoints")
    os.makedirs(checkpoints)
    with tf.Graph().as_default(), tf.Session() as session:
        w, loss = make_model()
        step = tf.train.get_or_create_global_step()
        train_op = training.create_train_op(
            loss, tf.train.GradientDescentOptimizer(0.25), summarize_gradients=True
        )
        for made in tf.get_collection(tf.GraphKeys.SUMMARIES):
            write("gradients", checksum(made.op.name))
        gradients = tf.train.GradientDescentOptimizer(0.1).compute_gradients(loss)
        made = slim.learning.add_gradients_summaries(gradients)
        again = training.add_gradients_summaries(gradients)
        write("summaries", len(made), *[checksum(s.op.name) for s in made + again])
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        first = None
        for _ in range(2):
            session.run(train_op)
            path = saver.save(session, os.path.join(checkpoints, "model"), step)
            first = first or path
    found = training.wait_for_new_checkpoint(checkpoints, first, 0.1)
    write("waited", checksum(os.path.basename(found)))
    found = slim.evaluation.wait_for_new_checkpoint(
        checkpoints, path, seconds_to_sleep=0.01, timeout=0.05
    )
    write("nothing", found is None)
    for iterate in (
        training.checkpoints_iterator,
        slim.evaluation.checkpoints_iterator,
    ):
        there = list(iterate(checkpoints, timeout=0))
        write("iterated", *[checksum(os.path.basename(p)) for p in there])
    for part in ("once", "loop", "repeated", "plain"):
        logdir = os.path.join(FLAGS.dir, part)
        with tf.Graph().as_default():
            w, loss = make_model()
            step = tf.train.get_or_create_global_step()
            total, update = slim.metrics.streaming_mean(loss)
            tf.summary.scalar("total", total)
            given = dict(eval_op=update, final_op=[total, w], num_evals=3)
            if part == "once":
                values = slim.evaluation.evaluate_once("", first, logdir, **given)
            elif part == "loop":
                values = slim.evaluation.evaluation_loop(
                    "",
                    checkpoints,
                    logdir,
                    eval_interval_secs=0,
                    max_number_of_evaluations=1,
                    variables_to_restore=[w, step],
                    **given,
                )
            else:
                counted = training.get_or_create_eval_step()
                hooks = [
                    training.StopAfterNEvalsHook(2),
                    training.SummaryAtEndHook(logdir),
                ]
                given = dict(
                    eval_ops=update, final_ops=[total, w, counted], hooks=hooks
                )
                if part == "plain":
                    values = training.evaluate_once(path, **given)
                else:
                    values = training.evaluate_repeatedly(
                        checkpoints,
                        eval_interval_secs=0,
                        max_number_of_evaluations=1,
                        **given,
                    )
            write(part, *values)
            write("hidden", len(tf.get_collection(tf.GraphKeys.EVAL_STEP)))
        for step, tag, value in read_events(logdir):
            write(part, step, tag, value)


def trained(write):
    """contrib.training's own loop."""
    with tf.Graph().as_default():
        w, loss = make_model()
        train_op = training.create_train_op(
            loss, tf.train.GradientDescentOptimizer(0.25)
        )
        logdir = os.path.join(FLAGS.dir, "trained")
        last = training.train(
            train_op,
            logdir,
            hooks=[tf.train.StopAtStepHook(num_steps=3)],
            save_summaries_steps=None,
        )
    write("trained", last, tf.train.load_checkpoint(logdir).get_tensor("w"))


def helped(session, write):
    """What slim.utils computes of shapes, values and names."""
    x = tf.placeholder(tf.float32, [None, 5, 7], "x")
    write(
        "last", utils.last_dimension(x.shape), utils.last_dimension(x.shape, min_rank=3)
    )
    write("channels", utils.channel_dimension(x.shape, "channels_first"))
    write("channels", utils.channel_dimension(x.shape, "channels_last", 2))
    for shape, rank in ((tf.TensorShape(None), 1), (x.shape[:1], 1), (x.shape, 4)):
        try:
            utils.last_dimension(shape, rank)
        except ValueError as error:
            write("refused", checksum(str(error)))
    write("two", *utils.two_element_tuple(3), *utils.two_element_tuple([1, 2]))
    write("two", *map(int, utils.two_element_tuple(tf.TensorShape([4, 5]))))
    write(
        "positive",
        *utils.n_positive_integers(2, 3),
        *utils.n_positive_integers(2, (1, 2)),
    )
    write("positive", *utils.n_positive_integers(2, tf.TensorShape([4, 5])))
    for n, value in ((2, 0), (2, (1, 0)), (2, (1, 2, 3)), (0, 1), (1, ["a"])):
        try:
            utils.n_positive_integers(n, value)
        except ValueError as error:
            write("refused", checksum(str(error)))
    write("chosen", utils.static_cond(True, lambda: 1, lambda: 2))
    write("chosen", utils.smart_cond(tf.constant(False), lambda: 1, lambda: 2))
    write("chosen", utils.smart_cond(True, lambda: 1, lambda: 2))
    fed = tf.placeholder(tf.bool, [])
    open_ = utils.smart_cond(
        fed, lambda: tf.constant(1), lambda: tf.constant(2), "which"
    )
    write("chosen", session.run(open_, {fed: False}), checksum(open_.op.name))
    write(
        "constant", utils.constant_value(4), utils.constant_value(tf.constant([1, 2]))
    )
    w = tf.get_variable("w", [], use_resource=False)
    write("constant", utils.constant_value(w) is None, utils.constant_value(x) is None)
    for value, dtype in ((None, None), (w, tf.int32), (x, tf.int32)):
        try:
            utils.constant_value(value, dtype)
        except ValueError as error:
            write("refused", checksum(str(error).split("<")[0]))
    collections = {"weights": ["a", "b"]}
    write("listed", len(utils.get_variable_collections(collections, "weights")))
    write("listed", utils.get_variable_collections(collections, "biases") is None)
    write("listed", len(utils.get_variable_collections(["all"], "biases")))
    utils.append_tensor_alias(x, "first/")
    utils.collect_named_outputs("points", "second", x)
    utils.collect_named_outputs("points", "third", w)
    names = [utils.get_tensor_aliases(x), utils.gather_tensors_aliases([x, w, fed])]
    write("aliases", *[checksum(name) for found in names for name in found])
    points = utils.convert_collection_to_dict("points")
    write("points", *[checksum(name) for name in points])
    write("named", utils.NamedOutputs("n", 3).outputs)


def main(_):
    with open(os.path.join(FLAGS.dir, "loss"), "w") as log:

        def write(name, *values):
            numbers = np.concatenate([np.ravel(v).astype("float64") for v in values])
            log.write(" ".join([name, *map(repr, map(float, numbers))]) + "\n")

        write_records()
        for part in (analyzed, summarized, decoded, helped, provided):
            with tf.Graph().as_default(), tf.Session() as session:
                part(session, write)
        evaluated(write)
        trained(write)


if __name__ == "__main__":
    tf.app.run()
