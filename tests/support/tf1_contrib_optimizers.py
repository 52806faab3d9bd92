"""Updates by tf.contrib.opt in TensorFlow 1.15 (Python 3.7), from fed gradients.

Records what `test_contrib_optimizers.py` compares with:

  python tests/support/tf1_contrib_optimizers.py tests/support/contrib_optimizers.npz

`CASES` and `batches` are also what the emitted classes are given; TensorFlow is
imported only where the file is run.
"""

import datetime
import hashlib
import json
import platform
import sys

import numpy as np

STEPS, KEPT = 100, (1, 10, 100)
DTYPES = ("float32", "float64")
ROWS, IDS, COLUMNS, INPUTS = 7, 5, 3, 4
# Of an argument that is an exponential_decay from its value on.
SCHEDULE = {"decay_steps": 10, "decay_rate": 0.9}

# scheduled: which arguments follow a schedule. decayed: decay_var_list of
# apply_gradients, or of minimize where `in_minimize`. extended: the optimizer in
# tf.train that extend_with_decoupled_weight_decay is given.
CASES = {
    "adamax": {"optimizer": "AdaMaxOptimizer", "arguments": {"learning_rate": 0.02}},
    "adamax_schedule": {
        "optimizer": "AdaMaxOptimizer",
        "arguments": {"learning_rate": 0.05, "beta1": 0.8, "beta2": 0.99},
        "scheduled": ["learning_rate"],
    },
    "nadam": {"optimizer": "NadamOptimizer", "arguments": {"learning_rate": 0.02}},
    "nadam_schedule": {
        "optimizer": "NadamOptimizer",
        "arguments": {"learning_rate": 0.05, "beta1": 0.8, "epsilon": 1e-4},
        "scheduled": ["learning_rate"],
    },
    "lazy_adam": {
        "optimizer": "LazyAdamOptimizer",
        "arguments": {"learning_rate": 0.02},
    },
    "lazy_adam_schedule": {
        "optimizer": "LazyAdamOptimizer",
        "arguments": {"learning_rate": 0.05, "beta2": 0.9},
        "scheduled": ["learning_rate"],
    },
    "adamw": {
        "optimizer": "AdamWOptimizer",
        "arguments": {"weight_decay": 0.01, "learning_rate": 0.02},
    },
    "adamw_schedule": {
        "optimizer": "AdamWOptimizer",
        "arguments": {"weight_decay": 0.02, "learning_rate": 0.05},
        "scheduled": ["learning_rate"],
        "decayed": ["w", "table"],
    },
    # TF1 knows a schedule of the decay for float32 variables only.
    "adamw_two_schedules": {
        "optimizer": "AdamWOptimizer",
        "arguments": {"weight_decay": 0.02, "learning_rate": 0.05},
        "scheduled": ["learning_rate", "weight_decay"],
        "dtypes": ["float32"],
    },
    "adamw_in_minimize": {
        "optimizer": "AdamWOptimizer",
        "arguments": {"weight_decay": 0.02, "learning_rate": 0.01},
        "decayed": ["w"],
        "in_minimize": True,
    },
    "momentumw": {
        "optimizer": "MomentumWOptimizer",
        "arguments": {"weight_decay": 0.01, "learning_rate": 0.02, "momentum": 0.9},
        "decayed": ["w"],
    },
    "momentumw_nesterov": {
        "optimizer": "MomentumWOptimizer",
        "arguments": {
            "weight_decay": 0.005,
            "learning_rate": 0.05,
            "momentum": 0.8,
            "use_nesterov": True,
        },
        "scheduled": ["learning_rate"],
    },
    "extended_sgd": {
        "extended": "GradientDescentOptimizer",
        "arguments": {"weight_decay": 0.01, "learning_rate": 0.05},
        "decayed": ["w", "table"],
    },
    "lars": {
        "optimizer": "LARSOptimizer",
        "arguments": {"learning_rate": 1.0, "eeta": 0.05, "skip_list": ["bias"]},
    },
    "lars_nesterov": {
        "optimizer": "LARSOptimizer",
        "arguments": {
            "learning_rate": 0.5,
            "momentum": 0.8,
            "weight_decay": 0.01,
            "eeta": 0.1,
            "epsilon": 1e-3,
            "use_nesterov": True,
        },
    },
    "lars_schedule": {
        "optimizer": "LARSOptimizer",
        "arguments": {"learning_rate": 1.0, "eeta": 0.05},
        "scheduled": ["learning_rate"],
        "dtypes": ["float32"],
    },
}


def initial():
    """Values of the variables, by name, float64."""
    rng = np.random.RandomState(1)
    return {
        "w": rng.randn(INPUTS, COLUMNS),
        "bias": rng.randn(COLUMNS),
        "table": rng.randn(ROWS, COLUMNS),
    }


def batches():
    """Gradients of every step: of `w`, of `bias`, rows of `table`, and their ids.

    Ids repeat within a step, and a row is left out for many steps.
    """
    rng = np.random.RandomState(2)
    for step in range(STEPS):
        ids = rng.randint(ROWS if step % 20 == 0 else ROWS - 1, size=IDS)
        ids[-1] = ids[0]
        yield (
            rng.randn(INPUTS, COLUMNS),
            rng.randn(COLUMNS),
            rng.randn(IDS, COLUMNS),
            ids,
        )


def each():
    """(key, case, dtype) of every run."""
    for name in sorted(CASES):
        for dtype in CASES[name].get("dtypes", DTYPES):
            yield "%s/%s" % (name, dtype), CASES[name], dtype


def run(tf, case, dtype):
    """Variables by name, all but `global_step`: their values [step] of the steps kept."""
    step = tf.train.get_or_create_global_step()
    variables = {
        name: tf.get_variable(name, initializer=value.astype(dtype))
        for name, value in initial().items()
    }
    arguments = dict(case["arguments"])
    for argument in case.get("scheduled", ()):
        arguments[argument] = tf.train.exponential_decay(
            arguments[argument], step, **SCHEDULE
        )
    if "extended" in case:
        base = getattr(tf.train, case["extended"])
        make = tf.contrib.opt.extend_with_decoupled_weight_decay(base)
    else:
        make = getattr(tf.contrib.opt, case["optimizer"])
    optimizer = make(**arguments)
    w, bias, rows = [
        tf.placeholder(dtype, shape)
        for shape in ([INPUTS, COLUMNS], [COLUMNS], [IDS, COLUMNS])
    ]
    ids = tf.placeholder(tf.int32, [IDS])
    options = {}
    if "decayed" in case:
        options["decay_var_list"] = [variables[name] for name in case["decayed"]]
    if case.get("in_minimize"):
        loss = (
            tf.reduce_sum(w * variables["w"])
            + tf.reduce_sum(bias * variables["bias"])
            + tf.reduce_sum(rows * tf.nn.embedding_lookup(variables["table"], ids))
        )
        update = optimizer.minimize(loss, global_step=step, **options)
    else:
        pairs = [
            (w, variables["w"]),
            (bias, variables["bias"]),
            (tf.IndexedSlices(rows, ids, [ROWS, COLUMNS]), variables["table"]),
        ]
        update = optimizer.apply_gradients(pairs, global_step=step, **options)
    kept = {v.op.name: v for v in tf.global_variables() if v is not step}
    found = {name: [] for name in kept}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for number, (dw, dbias, drows, which) in enumerate(batches(), 1):
            session.run(update, {w: dw, bias: dbias, rows: drows, ids: which})
            if number in KEPT:
                for name, value in session.run(kept).items():
                    found[name].append(value)
    return {name: np.stack(values) for name, values in found.items()}


def digest():
    """Of this file: a recording of other cases is none of these."""
    with open(__file__, "rb") as source:
        return hashlib.sha256(source.read()).hexdigest()


def save(path, runs, provenance):
    """Writes runs, each as one array of bytes (an archive's member costs more)."""
    header = {
        "provenance": provenance,
        "runs": {
            key: [[n, str(v.dtype), list(v.shape)] for n, v in sorted(values.items())]
            for key, values in runs.items()
        },
    }
    flat = {
        key: np.frombuffer(
            b"".join(v.tobytes() for _, v in sorted(values.items())), "u1"
        )
        for key, values in runs.items()
    }
    np.savez_compressed(path, header=np.array(json.dumps(header)), **flat)


def load(path):
    """(runs, provenance) that `save` wrote."""
    runs = {}
    with np.load(path) as archive:
        header = json.loads(str(archive["header"]))
        for key, members in header["runs"].items():
            data, runs[key] = archive[key].tobytes(), {}
            for name, dtype, shape in members:
                values = np.frombuffer(data, dtype, int(np.prod(shape))).reshape(shape)
                runs[key][name], data = values, data[values.nbytes :]
    return runs, header["provenance"]


if __name__ == "__main__":
    import tensorflow

    found = {}
    for key, case, dtype in each():
        with tensorflow.Graph().as_default():
            found[key] = run(tensorflow, case, dtype)
    made = {
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "tensorflow": tensorflow.__version__,
        "machine": platform.machine(),
        "source": digest(),
    }
    save(sys.argv[1], found, made)
