"""Runs a notebook's code cells in order, as a kernel would: `python cells.py NOTEBOOK`.

For a Python without Jupyter; the cells must be plain Python. Their text is where
`inspect` looks for it, as IPython's is: TensorFlow reads the source of what it traces.
Runs under Python 3.7 and later.
"""

import json
import linecache
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    namespace = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        name = "<cell %d>" % number
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        exec(compile(source, name, "exec"), namespace)


if __name__ == "__main__":
    main(sys.argv[1])
