"""Every row of the migration's tables has a proof, and every proof is about its row."""

from __future__ import annotations

import ast
import pathlib

import pytest

from migrate import emitted
from migrate.tables import contrib, contrib_graph
from migrate.tables.optimizers import OPTIMIZERS
from migrate.tables.symbols import exists_in_target
from reference.registry import SCENARIOS
from tests.reference import proofs

ROOT = pathlib.Path(__file__).parents[2]
ROWS = list(proofs.list_rows())
PROVED = {
    (row, scenario.name) for scenario in SCENARIOS.values() for row in scenario.proves
}
NAMED = {
    (row, name)
    for row in ROWS
    if (proof := proofs.find_proof(row))
    for name in proof.scenarios
}


def test_every_row_has_a_proof() -> None:
    assert len(ROWS) > 400 and len(set(ROWS)) == len(ROWS)
    assert not [row for row in ROWS if proofs.find_proof(row) is None]


def test_a_proof_is_of_one_kind_and_used() -> None:
    used = {proof for row in ROWS if (proof := proofs.find_proof(row))}
    for proof in proofs.PROOFS:
        kinds = [proof.scenarios, proof.tests, proof.reason]
        assert sum(map(bool, kinds)) == 1, proof
        assert proof in used, proof
        assert not proof.reason or len(proof.reason.split()) > 5, proof


def test_a_scenario_that_is_named_says_that_it_proves_the_row() -> None:
    assert NAMED <= PROVED


def test_what_a_scenario_proves_is_a_row_which_names_a_scenario() -> None:
    """Others than the one that is named may prove it too."""
    assert {row for row, _ in PROVED} == {row for row, _ in NAMED}


def test_a_scenarios_program_names_what_it_proves() -> None:
    for row, name in sorted(PROVED):
        symbol = row.partition(":")[2]
        text = SCENARIOS[name].program.read_text()
        assert symbol.removeprefix("tf.") in text, (row, name)


@pytest.mark.parametrize(
    "proof", [p for p in proofs.PROOFS if p.tests], ids=lambda p: p.rows
)
def test_a_test_that_is_named_is_there_and_about_the_rows(proof: proofs.Proof) -> None:
    texts = []
    for pattern in proof.tests:
        pattern, _, function = pattern.partition("::")
        files = sorted(ROOT.glob(pattern))
        assert files, pattern
        if function:
            tree = ast.parse(files[0].read_text())
            assert function in {
                n.name for n in tree.body if isinstance(n, ast.FunctionDef)
            }
        else:
            texts += [f.read_text() for f in files if f.suffix == ".py"]
    if texts:
        whole = "\n".join(texts)
        missing = [
            row
            for row in ROWS
            if proofs.find_proof(row) is proof and row.rpartition(".")[2] not in whole
        ]
        assert not missing


def test_an_optimizers_row_says_the_same() -> None:
    for symbol, row in OPTIMIZERS.items():
        named = {name for r, name in NAMED if r == f"optimizers:{symbol}"}
        assert ({row.scenario} - {""}) == named


def test_contribs_homes_exist() -> None:
    homes = [
        *contrib.HOMES.values(),
        *(row.target for row in contrib.CONTRIB_CALLS),
    ]
    names = {home.partition("(")[0] for home in homes} - {"iter"}
    ours = {name for name in names if name.startswith(("contrib_", "mnist_"))}
    assert not [name for name in names - ours if not exists_in_target(name)]
    ours |= {".".join(home) for home in contrib.SUPPORT.values()}
    ours |= {h for h in contrib_graph.GRAPH.values() if h.startswith("contrib_")}
    for module, _, name in (home.partition(".") for home in sorted(ours)):
        # A package's own module takes them from its parts.
        (first,) = {f"{module}.py", f"{module}/__init__.py"} & emitted.list_names()
        tree = ast.parse(emitted.read_source(first))
        defined = {getattr(n, "name", "") for n in tree.body} | {
            t.id
            for n in tree.body
            if isinstance(n, ast.Assign)
            for t in n.targets
            if isinstance(t, ast.Name)
        }
        defined |= {
            a.name for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names
        }
        defined |= {
            f"{n.name}.{method.name}"
            for n in tree.body
            if isinstance(n, ast.ClassDef)
            for method in n.body
            if isinstance(method, ast.FunctionDef)
        }
        assert name in defined, (module, name)
