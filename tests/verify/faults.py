"""Lists what `tf1to2 verify` must name first for each fault planted in the pairs.

A rule of the update that is wrong for all weights may show in any of them first. A
fault in what is read, placed or evaluated shows in names of its own.
"""

from __future__ import annotations

_MNIST = "hid_[wb]|sm_[wb]"
_LAYERS = r"layer\d/weights"
_WEIGHTS = r".*(?<!moving_)(weights|biases|kernel|bias|beta|gamma|embedding_weights)"
_PAIR = "w1|w2"
_AVERAGES = ".*moving_(mean|variance)"

# Scenario -> fault -> a regular expression of what differs first.
FIRST: dict[str, dict[str, str]] = {
    "async_parameter_server": {
        "epsilon": _MNIST,
        "batches": _MNIST,
        "rate": _MNIST,
        "momentum": _MNIST,
    },
    "checkpoint_resume": {
        "slots not restored": r"beta\d_power|.*/Adadelta(_1)?",
        "one kind of slot not restored": "rmsprop/.*/RMSProp_2",
        "step not restored": "global_step",
        "another variable of that shape": "adagrad/w",
        "rows of another shard": ".*/table",
    },
    "device_pinning": {
        "all layers on one worker": "computed_by",
        "all weights on one server": "stored_by",
        "all gradients on one worker": "gradients_by",
        "mean over all elements": _LAYERS,
        "a layer's gradient lost": "layer0/weights",
        "momentum": _LAYERS,
    },
    "estimator_canned": {
        "rate of a linear model": "linear/linear_model/.*weights",
        "rate of a network": f"dnn/{_WEIGHTS}",
        # Adagrad divides by what it has added up: a factor shows there.
        "mean of a batch, not its sum": f"dnn/{_WEIGHTS}(/t_0/Adagrad)?",
        "weights of examples left out": "linear/linear_model/.*weights",
        "averages too fast": f"dnn/{_AVERAGES}",
    },
    "estimator_classifier": {
        "rate decays a step early": _WEIGHTS,
        "batch normalisation in training mode": (
            "accuracy|cross_entropy|loss|per_class|recall_0"
        ),
        "regulariser halved": "dense/kernel",
        "another mask": _WEIGHTS,
        "penalties left out": "dense/kernel",
        "masks begin anew after an evaluation": _WEIGHTS,
        "averages too slow": _AVERAGES,
        "epsilon": _WEIGHTS,
    },
    "estimator_layers": {
        "rate": _WEIGHTS,
        "a tower reads the other's features": _WEIGHTS,
        "penalty left out": ".*/kernel",
        # These move weights by so little that a slot may be beyond rounding first.
        "the rate does not follow the step": f"{_WEIGHTS}(/Adam(_1)?)?",
        "an area of nothing": "auc",
        "epsilon": f"{_WEIGHTS}(/Adam(_1)?)?",
    },
    "estimator_params_builder": {
        "not from the pretrained encoder": f"bert/{_WEIGHTS}",
        "biases decay too": ".*bias",
    },
    "estimator_train_and_evaluate": {
        "rate": "(hidden|output)/[wb]",
        "evaluates an older checkpoint": "global_step|loss|mae|rmse",
        "evaluates one batch": "loss|mae|rmse",
        "predicts with initial weights": "y",
        "slots not restored": "(hidden|output)/[wb]",
        "the copy keeps an older checkpoint's values": "global_step|loss|mae|rmse",
        "the copy evaluates one batch": "loss|mae|rmse",
        "fit begins with other slots": "(hidden|output)/[wb]",
    },
    "estimator_wide_deep": {
        "parts in another order": f"(dnn|linear)/{_WEIGHTS}",
        "the linear model's rate without a bound": "linear/linear_model/.*weights",
        "one optimizer trains both": f"(dnn|linear)/{_WEIGHTS}",
    },
    "faults": {
        "batches": f"trained|{_PAIR}",
        "step size": f"trained|{_PAIR}",
    },
    "half_migrated": {
        "every worker has the chief's shard": r"Variable(_\d)?",
        "the loss of the first example": r"Variable(_\d)?",
        "another rate": r"Variable(_\d)?",
    },
    "in_graph_towers": {
        "sum instead of mean": _WEIGHTS,
        "towers swapped": r"tower_\d/total_loss",
        "one part for all": _WEIGHTS,
        "weights' loss counted once": "local1/weights",
        "steps not counted": "global_step",
        "schedule off by one": _WEIGHTS,
    },
    "losses_metrics_layers": {
        "mean over the batch, not over the weights that are not zero": "squared/[wb]",
        # The forward computation normalises with them.
        "moving statistics not updated": f"{_WEIGHTS}|bn/moving_.*",
        "Keras's momentum of batch normalisation": "normal/moving_(mean|variance)",
        "another seed of dropout": "(hidden|normal|logits)/.*",
        "layers in the dtype of Keras": "(hidden|normal|logits)/.*",
    },
    "metrics_cells_regularisers": {
        "order of the LSTM's gates": "logits/(kernel|bias)",
        "order of the GRU's gates": "logits/(kernel|bias)",
        "forget bias": "logits/(kernel|bias)",
        "bias of the GRU's gates": "logits/(kernel|bias)",
        "Keras's l2 of the same scale": "logits/kernel",
        "penalty left out": "logits/kernel",
        "metrics of one batch": "metric/.*",
        "thresholds of auc": "metric/auc",
    },
    "optimizers": {
        "epsilon": "adam/(table|w)",
        "off by one": "ExponentialDecay_1",
    },
    "pinned_client": {
        "all weights on one server": "stored_by",
        "momentum": _LAYERS,
        # Nothing is trained of it, so it has no slot.
        "a layer's weights taken for another's": "layer2/weights/Momentum",
    },
    "queue_input": {
        "order of files": "[wb]",
        "files as they are named": "[wb]",
        "header": "[wb]",
        "order of slices": "[wb]",
        "drawn anew": "[wb]",
    },
    "ring_versus_parameter_server": {
        "sum instead of mean": _PAIR,
        "one worker's gradients": _PAIR,
        "every worker the same examples": _PAIR,
    },
    "sparse_sync": {
        "average over all workers": "table",
        "sum over the workers": "table",
        "dense average left out": "w",
    },
    "staleness": {
        "fresh": "global_step",
        "averaged": _PAIR,
        "sum instead of mean": _PAIR,
    },
    "supervisor": {
        "rate": _MNIST,
        "momentum": _MNIST,
        "a sum over the batch": _MNIST,
        "another worker's data": _MNIST,
    },
    "sync_replicas": {
        "sum instead of mean": _MNIST,
        "workers swapped": "Mean",
    },
    "towers_of_workers": {
        "the last tower alone": _WEIGHTS,
        "sum over towers": _WEIGHTS,
        "the first part for all towers": _WEIGHTS,
        "clipped in every tower": _WEIGHTS,
        "one worker alone": _WEIGHTS,
        "towers in another order": "model(_1)?/Mean",
    },
    "towers_on_tasks": {
        "sum instead of mean": _WEIGHTS,
        "towers swapped": "model(_1)?/Mean",
        "one part for all": _WEIGHTS,
        "clipped before the mean": _WEIGHTS,
        "all variables on one server": "stored_by",
        "steps not counted": "global_step",
    },
    "variable_partitioners": {
        "div for mod": "fixed/mod",
        "mod for div": "axis/div",
        "number of shards": "fixed/mod",
        "most shards": "axis/mod",
        "least bytes": "min_max/mod",
    },
}
