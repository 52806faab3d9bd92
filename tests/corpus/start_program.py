"""Starts a program of the corpus as `python -m` would, and asks it for help.

    python start_program.py TREE[:TREE...] DEPENDENCIES MODULE

Everything that the program imports is loaded, and its flags are defined; then it prints
how it is used, and ends. The last line of the output says how: `ended: code` or
`ended: kind of error|module that is not there|message`. Runs under Python 3.7, too.
"""

from __future__ import annotations

import os
import runpy
import sys
import traceback


def main() -> None:
    sys.path[0:1] = sys.argv[1].split(
        os.pathsep
    )  # In place of this script's directory.
    sys.path.extend(path for path in sys.argv[2].split(os.pathsep) if path)
    name = sys.argv[3]
    sys.argv = [name, "--help"]
    try:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
        told = "0"
    except SystemExit as ended:
        told = str(ended.code or 0)
    except BaseException as error:
        traceback.print_exc()
        missing = isinstance(error, ModuleNotFoundError) and error.name or ""
        first = (str(error).splitlines() or [""])[0]
        told = f"{type(error).__name__}|{missing}|{first}"
    sys.stderr.flush()
    print(f"\nended: {told}", flush=True)
    os._exit(0)  # Whatever threads and handlers the modules have left.


if __name__ == "__main__":
    main()
