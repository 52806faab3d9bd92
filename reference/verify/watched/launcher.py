"""Runs a program and records what it does: `python launcher.py program.py arguments`.

The real entry point of every process that `tf1to2 verify` starts. The environment says
what is recorded and where: see `verify_inside.record.Settings`. Runs under Python 3.7
and later, TensorFlow 1.15 and 2.
"""

import builtins
import os
import runpy
import sys
import tempfile
import traceback

_open = builtins.open


def _load():
    """The modules of the record, without what else is beside them on the path."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    try:
        from verify_inside import printed, record, sandbox, seeds, tf1, tf2
    finally:
        sys.path.remove(here)
    return printed, record, sandbox, seeds, tf1, tf2


def main():
    sys.argv = sys.argv[1:]
    program = os.path.abspath(sys.argv[0])
    printed, record, sandbox, seeds, tf1, tf2 = _load()
    settings = record.Settings(os.environ)
    # The program finds the modules beside it, not those beside this file.
    sys.path[0] = os.path.dirname(program)
    # As `python -m package.program` does it, started from the root.
    sys.path.insert(1, os.environ["VERIFY_ROOT"])
    os.chdir(os.environ["VERIFY_CWD"])
    tempfile.tempdir = os.environ["TMPDIR"]  # It may have been looked up before.
    recorder = record.Recorder(settings)
    if settings.side == "compat":
        sys.path.append(os.environ["VERIFY_PROJECT"])
        from reference import as_v1

        as_v1.install()
    lines = os.path.join(settings.out, "printed.jsonl")
    sys.stdout = printed.Tee(sys.stdout, lines, recorder)
    told, asked = {}, []
    redirect = sandbox.Redirect(
        [os.environ["VERIFY_RUN"], settings.start],
        os.environ["VERIFY_ELSEWHERE"],
    )
    import tensorflow  # noqa: F401

    sandbox.keep_files(redirect)
    sandbox.keep_tensorflow_files(redirect)
    sandbox.keep_off_network(asked)
    if settings.side == "tf2":
        watch = tf2.Watch(recorder, told)
        functions = watch.functions
        tf2.watch_variables(settings, functions.add_variable, functions.add_slot)
        watch.functions.install()
        names = ("training_session", "plain_session", "estimator_loop")
        names += ("estimator_inputs", "fit_callbacks")
        tf2.AfterImport({name: getattr(watch, name) for name in names}).install()
    else:
        tf1.Watch(recorder, told).install()
        tf1.watch_estimators(recorder)
        tf1.keep_step(recorder, told)
        tf1.keep_order(recorder)
        tf1.keep_rows_in_order(told)
        tf1.keep_shuffles_apart(told)
    unseeded = seeds.seed_python(settings.seed)
    recorder.at_end = lambda: {
        "told": dict(told, generators=unseeded()),
        "saved": redirect.saved,
    }
    seeds.seed_tensorflow(settings.seed, told)
    if settings.alone:
        seeds.draw_by_step(settings.seed, lambda: recorder.trained)
    code, reason, more = 0, "ended", {}
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as ended:
        code = (
            ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        )
        if code:
            reason, more = "failed", {"error": str(ended.code)}
    except BaseException as error:
        traceback.print_exc()
        code, reason = 1, "failed"
        more = {"error": "%s: %s" % (type(error).__name__, error)}
    more["network"] = asked
    more["moved"] = sorted(redirect.moved)
    recorder.end(reason, **more)
    sys.stdout.flush()
    sys.stderr.flush()
    # What still runs, servers and open sessions, is not waited for.
    os._exit(code)


if __name__ == "__main__":
    main()
