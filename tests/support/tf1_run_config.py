"""Prints, as JSON, what TensorFlow 1.15.5's RunConfig answers in each task of a cluster."""

import json
import os
import sys

import tensorflow as tf

cluster, names = json.loads(sys.argv[1])
told = []
for job, index in [("chief", 0), ("worker", 0), ("worker", 1)]:
    os.environ["TF_CONFIG"] = json.dumps(
        {"cluster": cluster, "task": {"type": job, "index": index}}
    )
    config = tf.estimator.RunConfig()
    told.append({name: getattr(config, name) for name in names})
print(json.dumps(told))
