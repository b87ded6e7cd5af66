import logging
import tomllib
from collections.abc import Iterator

import pytest

from tests.repository.planting import PlantedGraph, linted, linting
from tests.repository.sources import ROOT

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
CONTRACTS: dict[str, str] = {contract["id"]: contract["name"] for contract in CONFIG["contracts"]}

PLANTED: dict[str, tuple[str, str, str | None]] = {
    "the ledger imports a workflow": ("layers", "ledger.journal", "workflows.search_attributes"),
    "a protocol imports the ledger": ("layers", "protocols.panel", "ledger.journal"),
    "a workflow imports the API": ("layers", "workflows.progress_board", "parley.ids"),
    "the API imports a command": ("layers", "parley.ids", "starter.terminal"),
    "a view imports a handler": ("starter-layers", "starter.views.lists", "starter.handlers.show_result"),
    "a handler imports a command": (
        "starter-layers",
        "starter.handlers.show_result",
        "starter.commands.steering",
    ),
    "a plot imports the page it is part of": ("report-layers", "report.plots.bars", "report.study"),
    "the values of a report import a plot": ("report-layers", "report.figures", "report.plots.frame"),
    "a module of the report has no layer": ("report-layers", "report.planted", None),
    "a definition imports a run": ("studies-layers", "studies.definition.grid", "studies.runs.status"),
    "a dataset imports a definition": (
        "studies-layers",
        "studies.dataset.cells",
        "studies.definition.labels",
    ),
    "a comparison imports a dataset": ("studies-layers", "studies.comparison.notes", "studies.dataset.cells"),
    "a run imports a schedule": ("studies-layers", "studies.runs.status", "studies.schedules"),
    "a question imports the options of a protocol": (
        "parley-layers",
        "parley.questions",
        "parley.options.ask",
    ),
    "a specification imports the registry": ("parley-layers", "parley.specs.phrases", "parley.registry"),
    "a module of the API has no layer": ("parley-layers", "parley.planted", None),
    "the deliberation imports the workflow of a vote": (
        "workflow-layers",
        "workflows.deliberation",
        "workflows.vote",
    ),
    "the seats import the deliberation": ("workflow-layers", "workflows.seats", "workflows.deliberation"),
    "a module of the workflows has no layer": ("workflow-layers", "workflows.planted", None),
    "the lowest layer of studies.comparison imports the highest": (
        "comparison-layers",
        "studies.comparison.agreement",
        "studies.comparison.study",
    ),
    "the lowest layer of studies.dataset imports the highest": (
        "dataset-layers",
        "studies.dataset.records",
        "studies.dataset.dataset",
    ),
    "the lowest layer of studies.definition imports the highest": (
        "definition-layers",
        "studies.definition.arm_protocols",
        "studies.definition.first_row",
    ),
    "the lowest layer of studies.runs imports the highest": (
        "runs-layers",
        "studies.runs.status",
        "studies.runs.start",
    ),
    "the lowest layer of studies.scores imports the highest": (
        "scores-layers",
        "studies.scores.calibration",
        "studies.scores.computed",
    ),
    "the lowest layer of studies.screening imports the highest": (
        "screening-layers",
        "studies.screening.reciprocity",
        "studies.screening.counts",
    ),
    "the lowest layer of studies.validation imports the highest": (
        "validation-layers",
        "studies.validation.cases",
        "studies.validation.opening",
    ),
    "the lowest layer of parley.options imports the highest": (
        "options-layers",
        "parley.options.written",
        "parley.options.debate",
    ),
    "the lowest layer of parley.specs imports the highest": (
        "specs-layers",
        "parley.specs.phrases",
        "parley.specs.fire_circle",
    ),
    "the lowest layer of ledger.studies imports the highest": (
        "ledger-studies-layers",
        "ledger.studies.records",
        "ledger.studies.exports",
    ),
    "the lowest layer of report.plots imports the highest": ("plots-layers", "report.plots.frame", "report.plots.bars"),
    "the lowest layer of starter.handlers imports the highest": (
        "handlers-layers",
        "starter.handlers.check_models",
        "starter.handlers.estimate_cost",
    ),
    "the lowest layer of starter.views imports the highest": (
        "views-layers",
        "starter.views.escalations",
        "starter.views.batches",
    ),
    "the lowest layer of rehearsal.api imports the highest": (
        "rehearsal-api-layers",
        "rehearsal.api.billing",
        "rehearsal.api.server",
    ),
    "the lowest layer of rehearsal.faults imports the highest": (
        "faults-layers",
        "rehearsal.faults.fault",
        "rehearsal.faults.script",
    ),
    "the lowest layer of rehearsal.dialects imports the highest": (
        "dialects-layers",
        "rehearsal.dialects.completions",
        "rehearsal.dialects.exchange",
    ),
    "the lowest layer of protocols.debate.rules imports the highest": (
        "debate-rules-layers",
        "protocols.debate.rules.named_sources",
        "protocols.debate.rules.round_steps",
    ),
    "the lowest layer of protocols.debate.replies imports the highest": (
        "debate-replies-layers",
        "protocols.debate.replies.field_names",
        "protocols.debate.replies.closing",
    ),
    "the lowest layer of protocols.debate.prompts imports the highest": (
        "debate-prompts-layers",
        "protocols.debate.prompts.call_context",
        "protocols.debate.prompts.calls",
    ),
    "the lowest layer of protocols.debate.model imports the highest": (
        "debate-model-layers",
        "protocols.debate.model.context",
        "protocols.debate.model.io",
    ),
    "the lowest layer of protocols.council.replies imports the highest": (
        "council-replies-layers",
        "protocols.council.replies.labels",
        "protocols.council.replies.scores",
    ),
    "the lowest layer of protocols.consensus.replies imports the highest": (
        "consensus-replies-layers",
        "protocols.consensus.replies.sentences",
        "protocols.consensus.replies.passages",
    ),
    "a provider imports an attempt": (
        "activity-layers",
        "activities.providers.errors",
        "activities.attempts",
    ),
    "a module of the activities has no layer": ("activity-layers", "activities.planted", None),
    "the store imports the journal": ("ledger-layers", "ledger.store", "ledger.journal"),
    "the tables import the store": ("ledger-layers", "ledger.tables", "ledger.store"),
    "the records of studies import the journal": (
        "ledger-layers",
        "ledger.studies.records",
        "ledger.journal",
    ),
    "the settings import the connection": ("runtime-layers", "runtime.settings", "runtime.connect"),
    "a module of the runtime has no layer": ("runtime-layers", "runtime.planted", None),
    "a scripted model imports the faults": (
        "rehearsal-layers",
        "rehearsal.models.seeded",
        "rehearsal.faults.fault",
    ),
    "a dialect imports the faults": (
        "rehearsal-layers",
        "rehearsal.dialects.shape",
        "rehearsal.faults.fault",
    ),
    "a fault imports the API of the rehearsal server": (
        "rehearsal-layers",
        "rehearsal.faults.fault",
        "rehearsal.api.state",
    ),
    "a scripted problem imports the answers to it": (
        "rehearsal-models-layers",
        "rehearsal.models.problems",
        "rehearsal.models.final_answers",
    ),
    "a scripted model has no layer": ("rehearsal-models-layers", "rehearsal.models.planted", None),
    "the messages of a study import its budget": (
        "study-layers",
        "protocols.study.messages",
        "protocols.study.budget",
    ),
    "the usage of a call imports the catalogue": (
        "provider-layers",
        "activities.providers.usage",
        "activities.providers.catalogue",
    ),
    "the panel imports an answer": ("protocol-layers", "protocols.panel", "protocols.number_answers"),
    "the refusals import a protocol": ("protocol-layers", "protocols.refusals", "protocols.vote.model"),
    "a module of the protocols has no layer": ("protocol-layers", "protocols.planted", None),
    "the rules of a protocol draw at random": ("pure", "protocols.council.rules", "random"),
    "a protocol imports Temporal": ("pure", "protocols.panel", "temporalio.workflow"),
    "a protocol logs": ("pure", "protocols.transcript", "structlog"),
    "a model imports its rules": ("module-order", "protocols.council.model", "protocols.council.rules"),
    "a protocol has a module of another name": ("module-order", "protocols.council.utils", None),
    "the reply reader of a fire circle imports its rules": (
        "module-order",
        "protocols.fire_circle.replies",
        "protocols.fire_circle.rules",
    ),
    "the reply reader of a debate imports its rules": (
        "module-order",
        "protocols.debate.replies.turn",
        "protocols.debate.rules.round_steps",
    ),
    "a consensus imports a council": ("one-protocol", "protocols.consensus.rules", "protocols.council.rules"),
    "a council imports a fire circle": (
        "one-protocol",
        "protocols.council.results",
        "protocols.fire_circle.model",
    ),
    "a vote imports a mixture": ("one-protocol", "protocols.vote.results", "protocols.mixture.model"),
    "a workflow imports the workflow of another protocol": (
        "one-protocol",
        "workflows.consensus",
        "workflows.council",
    ),
    "the workflow of a council imports another protocol": (
        "one-protocol",
        "workflows.council",
        "protocols.consensus.rules",
    ),
    "the workflow of a baseline imports another protocol": (
        "one-protocol",
        "workflows.fire_circle_baseline",
        "protocols.council.rules",
    ),
    "the rounds of a debate import another protocol": (
        "one-protocol",
        "workflows.debate_rounds",
        "protocols.council.rules",
    ),
    "the workflow of a study imports a protocol": (
        "one-protocol",
        "workflows.shard",
        "protocols.council.model",
    ),
    "the progress board imports a protocol": (
        "one-protocol",
        "workflows.progress_board",
        "protocols.consensus.model",
    ),
    "a shard imports a batch": ("study-workflows", "workflows.shard", "workflows.batch"),
    "a workflow imports an HTTP client": ("deterministic", "workflows.council", "httpx"),
    "a council reads model text": ("model-text", "workflows.council", "protocols.council.replies"),
    "the progress board reads model text": (
        "model-text",
        "workflows.progress_board",
        "protocols.fire_circle.replies",
    ),
    "a debate reads model text": ("model-text", "workflows.debate_rounds", "protocols.debate.replies.turn"),
    "a vote reads an answer": ("model-text", "workflows.vote", "protocols.answers"),
    "a workflow imports the ledger": ("ledger", "workflows.council", "ledger.journal"),
    "a workflow calls an activity by itself": ("activity-calls", "workflows.council", "activities.ledger"),
    "the API imports an activity": ("activity-calls", "parley.ids", "activities.ledger"),
    "the ledger sets up a process": ("runtime", "ledger.journal", "runtime.settings"),
    "a workflow sets up a process": ("runtime", "workflows.progress_board", "runtime.settings"),
    "the runtime imports a protocol": ("runtime-below", "runtime.logs", "protocols.panel"),
    "the rehearsal server imports a protocol": (
        "rehearsal-apart",
        "rehearsal.faults.script",
        "protocols.panel",
    ),
    "the ledger falls back to the rehearsal server": (
        "rehearsal-unused",
        "ledger.journal",
        "rehearsal.api.server",
    ),
    "the API falls back to the rehearsal server": ("rehearsal-unused", "parley.ids", "rehearsal.api.server"),
    "the API imports the entry point": ("entry-point", "parley.ids", "worker"),
    "two modules import each other": ("cycles", "protocols.model_call", "protocols.panel"),
}
"""Each violation by its description: the contract that forbids it, the module, and what it imports (None: nothing)."""


@pytest.fixture(scope="module")
def graph() -> Iterator[PlantedGraph]:
    """The imports of the packages, which the linter checks as long as these tests run."""
    read = PlantedGraph(CONFIG["root_packages"])
    with linting(read):
        yield read


def _broken(linted: tuple[int, str]) -> set[str]:
    code, output = linted
    verdicts = {name: f"{name} BROKEN" in output for name in CONTRACTS.values()}
    assert any(verdicts.values()) == bool(code), output
    return {name for name, is_broken in verdicts.items() if is_broken}


def test_the_packages_keep_the_contracts(graph: PlantedGraph) -> None:
    """Every import of the packages as they are is allowed."""
    graph.plant("protocols", None)

    assert set() == _broken(linted())


def test_the_check_leaves_the_loggers_of_others_as_they_are(graph: PlantedGraph) -> None:
    """Tests that follow in this process still find the lines of every logger that exists."""
    logger = logging.getLogger("existing.logger")
    linted("pure")

    assert not logger.disabled


def test_every_contract_has_a_planted_violation() -> None:
    """A contract without a violation would not be noticed when it no longer forbids anything."""
    assert set(CONTRACTS) == {contract for contract, _, _ in PLANTED.values()}


@pytest.mark.parametrize("violation", PLANTED)
def test_a_planted_violation_is_reported(graph: PlantedGraph, violation: str) -> None:
    """An import that a contract forbids breaks that contract by name."""
    contract, importer, imported = PLANTED[violation]
    graph.plant(importer, imported)

    assert {CONTRACTS[contract]} == _broken(linted(contract))


def test_a_violation_with_a_module_that_is_gone_is_refused(graph: PlantedGraph) -> None:
    """A violation cannot import a module that was renamed: it would break a contract for no reason that can occur."""
    with pytest.raises(ValueError, match=r"there is no module protocols\.gone"):
        graph.plant("protocols.panel", "protocols.gone")
