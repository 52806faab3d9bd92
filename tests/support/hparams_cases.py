"""Uses of HParams, evaluated with TensorFlow 1.15.5's class and with the emitted one.

    python -m tests.support.hparams_cases PYTHON_WITH_TF1

records TF1's values in `hparams_values.json`. Runs under Python 3.7, too.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any

RECORDED = pathlib.Path(__file__).with_name("hparams_values.json")

CASES = (
    "H().values()",
    "H().parse('rate=0.5,n=7')",
    "H().parse('rate=1')",
    "H().parse('n=1.5')",
    "H().parse('flag=false,name=x y')",
    "H().parse('flag=0')",
    "H().parse('flag=maybe')",
    "H().parse('layers=[4,5,6]')",
    "H().parse('layers=4')",
    "H().parse('layers=[]')",
    "H().parse('n=[1]')",
    "H().parse('nope=1')",
    "H().parse('n=1,n=2')",
    "H().parse('n')",
    "H().parse('')",
    "H().parse('layers[1]=9')",
    "H().parse('rate = 2e-3 , n = 4')",
    "H().parse('rate=.2,')",
    "H().override_from_dict({'rate': 1, 'layers': [7]})",
    "H().override_from_dict({'n': 1.0})",
    "H().override_from_dict({'n': True})",
    "H().override_from_dict({'flag': 1})",
    "H().override_from_dict({'name': 1})",
    "H().override_from_dict({'zzz': 1})",
    "H().override_from_dict({'none': 1})",
    'H().parse_json(\'{"rate": 0.25, "fs": [3.0]}\')',
    "H().to_json(sort_keys=True)",
    "'rate' in H()",
    "'x' in H()",
    "H().get('rate')",
    "H().get('x', 4)",
    "H().get('n', 2)",
    "H().get('n', 's')",
    "H().get('layers', [3])",
    "H().get('layers', 3)",
    "H().get('n', 2.5)",
    "H().get('layers')",
    "str(H())",
    "repr(HParams(a=1))",
    "H().add_hparam('rate', 2)",
    "HParams(e=[])",
    "H().add_hparam('values', 2)",
    "H().del_hparam('no')",
    "H().parse('fs=[1,2]')",
    "H().parse('name=')",
    "H().parse('none=3')",
    "H().parse('rate=a')",
    "H().parse('layers=[1, 2 ,3]')",
    "H().to_json()",
    "HParams(f=len, a=1).to_json()",
    "H().parse('n=-3,rate=-1e5')",
    "changed(H())",
)


def evaluate(HParams: Any) -> dict[str, Any]:
    """Computes each case's values, or the class of its error."""

    def made() -> Any:
        return HParams(
            rate=0.1,
            n=3,
            name="a b",
            flag=True,
            layers=[1, 2],
            none=None,
            fs=(1.5, 2.0),
        )

    def changed(hparams: Any) -> Any:
        hparams.del_hparam("n")
        hparams.rate = 5
        hparams.add_hparam("new", [1.0])
        hparams.set_hparam("new", [2, 3])
        return hparams

    names = {"H": made, "HParams": HParams, "changed": changed}
    found: dict[str, Any] = {}
    for case in CASES:
        try:
            value = eval(case, dict(names))
            if isinstance(value, HParams):
                value = value.values()
            found[case] = json.loads(json.dumps(value))
        except Exception as error:
            found[case] = "raises " + type(error).__name__
    return found


def record(python: str) -> dict[str, Any]:
    """Computes the cases with TensorFlow 1.15.5's class."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith("TF2_BEHAVIOR")
    }
    done = subprocess.run(
        [python, "-W", "ignore", str(pathlib.Path(__file__).resolve()), "--evaluate"],
        stdout=subprocess.PIPE,
        env=environment,
        timeout=300,
        check=True,
    )
    values: dict[str, Any] = json.loads(done.stdout.decode().splitlines()[-1])
    return values


def main(arguments: list[str]) -> int:
    if arguments == ["--evaluate"]:
        import tensorflow as tf

        print(json.dumps(evaluate(tf.contrib.training.HParams)))
        return 0
    (python,) = arguments
    text = json.dumps(record(python), indent=1)
    RECORDED.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
