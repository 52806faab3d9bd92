"""docs/command.md, the hook, and the schema say what the command does."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
from typing import Any

import click.testing
import jsonschema
import pytest
import yaml

from migrate import cli, config, options

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = pathlib.Path(cli.__file__).parents[1]
PAGE = (ROOT / "docs" / "command.md").read_text()
SCHEMA = json.loads((ROOT / "migrate" / "config_schema.json").read_text())


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)


def test_every_command_is_named() -> None:
    context = cli.main.make_context("tf1to2", ["demo"])
    for name in cli.main.list_commands(context):
        assert f"`tf1to2 {name}" in PAGE, name


def test_every_option_that_it_names_is_there() -> None:
    named = set(re.findall(r"`(?:\w+ )*(--[a-z-]+)", PAGE))
    known = {
        option
        for name in ("migrate", "check", "packages")
        for parameter in cli.main.commands[name].params
        for option in parameter.opts
    }
    assert len(named) > 5 and named <= known | {"--help"}, named - known


def test_the_schema_is_what_the_configuration_takes(tmp_path: pathlib.Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    properties = SCHEMA["properties"]
    assert properties["strategy"]["enum"] == list(options.STRATEGIES)
    assert properties["estimators"]["enum"] == list(options.ESTIMATORS)
    (example,) = _blocks("toml")
    tables: list[dict[str, Any]] = [
        {**tomllib.loads(example)["tool"]["tf1to2"]},
        {"jobs": "2"},
        {"jobs": -1},
        {"strateg": "auto"},
        {"select": "S"},
        {"strategy": "tpu"},
        {key: row["default"] for key, row in properties.items() if "default" in row},
    ]
    for table in tables:
        try:
            config._read_config(table, tmp_path)
            taken = True
        except config.ConfigError:
            taken = False
        valid = jsonschema.Draft202012Validator(SCHEMA).is_valid(table)
        assert valid is taken, table


def test_the_examples_run_options_that_there_are() -> None:
    known = set(cli.main.commands["check"].params[i].opts[0] for i in range(3))
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["entry"] for hook in hooks] == ["tf1to2 check"]
    workflow, hook = (yaml.safe_load(block) for block in _blocks("yaml"))
    assert hook["repos"][0]["hooks"][0]["id"] == hooks[0]["id"]
    steps = workflow["jobs"]["tf1to2"]["steps"]
    assert any("upload-sarif" in step.get("uses", "") for step in steps)
    assert known


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_there(shell: str) -> None:
    if shell == "bash":
        pytest.importorskip("click.shell_completion")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from migrate.cli import main; main(prog_name='tf1to2')",
        ],
        cwd=ROOT,
        env={"_TF1TO2_COMPLETE": f"{shell}_source", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert "_TF1TO2_COMPLETE" in done.stdout, done.stderr


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    runner = click.testing.CliRunner()
    colourful = runner.invoke(cli.main, ["demo"], color=True).output
    assert "\x1b[" in colourful
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in runner.invoke(cli.main, ["demo"]).output
