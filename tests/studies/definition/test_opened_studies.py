"""A study that was opened: its deliberations, what makes it the one that it is, and what it will take."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.store import Store
from ledger.studies.writing import enter
from parley.call_plans import Range, text_tokens
from parley.errors import RequestError
from parley.estimates import estimate_calls
from parley.options.council import CouncilOptions
from protocols.named_panel import NamedPanel
from protocols.seeds import derived_seed
from protocols.study.input_templates import merged
from protocols.study.model import Budget, RunSettings
from studies.dataset.templates import Template
from studies.definition import files
from studies.definition.estimate import StudyEstimator
from studies.definition.files import Overrides, parse_study, read_study
from studies.definition.fingerprint import differences, has_grown
from studies.definition.inputs import build_input
from studies.definition.load import load_study
from studies.definition.study_file import ArmTable, StudyFile
from studies.runs.start import enter_study
from tests.fakes.study_files import AT_ONCE, QUESTIONS, STUDY, dataset, settings, study

OTHER_PROMPTS = "this version of Parley writes other prompts; "
FIRST_PACK = CouncilOptions.PROMPTS.fingerprint
_REPEATED = STUDY.replace("seed = 7", "seed = 7\nrepeats = 2")


async def test_what_was_opened_can_be_entered_as_it_is(store: Store) -> None:
    """The ledger takes all of it, and knows it again."""
    found = study(_REPEATED)

    first = await enter(store, found.entered(), found.rows(), found.prepared(), found.rejected)
    again = await enter(store, found.entered(), found.rows(), found.prepared(), found.rejected)

    assert (first.is_new, first.rows, first.instances) == (True, 2, 8)
    assert not again.is_new


def test_ids_read_and_arms_take_turns() -> None:
    """Row, arm and repeat are in the id; a study that stops half way has come equally far with every arm."""
    found = [(one.number, one.deliberation_id) for one in study(_REPEATED).prepared()]

    assert found == list(
        enumerate(
            [
                "small/q1.council-lab",
                "small/q1.single-lab",
                "small/q1.council-lab.r2",
                "small/q1.single-lab.r2",
                "small/q2.council-lab",
                "small/q2.single-lab",
                "small/q2.council-lab.r2",
                "small/q2.single-lab.r2",
            ]
        )
    )


def test_template_and_changes_are_what_a_deliberation_begins_with() -> None:
    """Nothing is lost by keeping panel and prompts once; the first of an arm is its template."""
    found = study(_REPEATED)
    templates = {arm.arm: arm.template for arm in found.entered().arms}

    for one in found.prepared():
        arm = next(arm for arm in found.arms if arm.name == one.arm)
        row = (
            found.first
            if one.row_id == "q1"
            else found.first._replace(row_id="q2", question="What is 1 + 2? A) 2 B) 3")
        )
        assert merged(templates[one.arm], one.changes) == build_input(found.study, arm, row, one.repeat, found.means)
    assert [one.changes for one in found.prepared()][:2] == [{}, {}]


def test_a_repeat_is_a_fresh_sample() -> None:
    """Nothing that was answered before is used again, and the seed is one of its own."""
    first, again = (one for one in study(_REPEATED).prepared() if one.row_id == "q1" and one.arm == "council-lab")
    template = study(_REPEATED).entered().arms[0].template
    one, two = merged(template, first.changes), merged(template, again.changes)

    assert (one["salt"], two["salt"]) == ("", "r2")
    own = {"seed": derived_seed(7, "q1", "council-lab", 2)}
    assert two["sampling"] == {**template["sampling"], **own}  # type: ignore[dict-item]  # JSON


def test_what_a_person_may_change_is_no_part_of_a_study() -> None:
    """Name, title, window, budget, priority, and where the dataset lies: the study is the same."""
    first = study().fingerprint
    Path("elsewhere.jsonl").write_text(
        '{"id": "q1", "prompt": "What is 1 + 1? A) 2 B) 3", "answer": "A"}\n'
        '{"id": "q2", "prompt": "What is 1 + 2? A) 2 B) 3", "answer": "b"}\n'
    )
    other = Overrides(dataset="elsewhere.jsonl", name="other", window=3, budget_usd=2.5, priority=5)

    found = study(STUDY.replace("seed = 7", 'seed = 7\ntitle = "Another"'), overrides=other)

    assert found.fingerprint == first
    assert found.study.terms == RunSettings(window=3, cap=Budget(usd=2.5), priority=5)


def test_the_name_of_a_panel_is_no_part_of_a_study() -> None:
    """It is kept; under another name a study is the same, and one that only grew is to be extended."""
    arms = '[[arms]]\nname = "x"\nprotocol = "council"\npanel = "lab"\n'
    first = STUDY.partition("[grid]")[0] + arms
    one, other = study(first), study(first.replace("panels.lab", "panels.other").replace('"lab"', '"other"'))

    assert ['arms.x.panel: "lab" -> "other"'] == differences(one.content, other.content)
    assert has_grown(one.content, {**other.content, "repeats": 2})
    assert one.fingerprint == other.fingerprint


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("seed = 7", "seed = 8", ["seed: 7 -> 8"]),
        ("seed = 7", "", ["seed: 7 -> nothing"]),
        ("seed = 7", "seed = 7\nrepeats = 3", ["repeats: 1 -> 3"]),
        ('"B"]', '"B", "C"]', ['label.choices: ["A", "B"] -> ["A", "B", "C"]']),
        (
            '"rehearsal:one", ',
            "",
            [
                'arms.council-lab.models: ["rehearsal:one", "rehearsal:two", "rehearsal:three"] -> ["rehearsal:two"',
                'arms.council-lab.chair: "rehearsal:one" -> "rehearsal:two"',
                'arms.single-lab.models: ["rehearsal:one"] -> ["rehearsal:two"]',
                "arms.single-lab.chair",
            ],
        ),
        (
            '"single"]',
            '"single", "majority"]',
            ["order", 'arms.majority-lab: nothing -> "majority"'],
        ),
    ],
)
def test_a_difference_is_reported_by_its_key(old: str, new: str, told: list[str]) -> None:
    """A study that is started again with other content is refused with the differences."""
    found = differences(study().content, study(STUDY.replace(old, new)).content)

    assert len(found) == len(told)
    assert all(line.startswith(start) for line, start in zip(found, told, strict=True)), found


@pytest.mark.parametrize(
    ("old", "new", "grown"),
    [
        ('"single"]', '"single", "majority"]', True),
        ("seed = 7", "seed = 7\nrepeats = 3", True),
        ("seed = 7", "seed = 8\nrepeats = 3", False),
        ('"single"]', '"majority"]', False),
        ('["council", "single"]', '["council", "single"]\n[[arms]]\nprotocol = "single"\nname = "more"', True),
        ('"rehearsal:three"]', '"rehearsal:four"]', False),
    ],
)
def test_a_study_has_grown_if_all_that_it_had_is_the_same(old: str, new: str, grown: bool) -> None:
    """Arms and repeats are additions; another seed, a missing arm or another model is a change."""
    before, after = study(STUDY).content, study(STUDY.replace(old, new)).content

    assert has_grown(before, after) is grown
    assert not has_grown(after, before)


def test_an_arm_that_compares_answers_changes_the_questions_of_an_unlabelled_study() -> None:
    """Without labels a vote has every arm asked for a final answer, so it is no mere addition."""
    unlabelled = STUDY.replace('label = "answer"\n', "").replace('[label]\nread = "choice"\nchoices = ["A", "B"]\n', "")
    before, after = (
        study(text).content for text in (unlabelled, unlabelled.replace('"single"]', '"single", "majority"]'))
    )

    assert not has_grown(before, after)
    assert 'answer: nothing -> "free"' in differences(before, after)


def test_what_is_lacking_is_estimated_alone() -> None:
    """An extension costs what its new deliberations cost, by arm; what is in the ledger costs nothing."""
    once = {one.deliberation_id: one for one in study(STUDY).prepared()}
    grown = study(_REPEATED.replace('"single"]', '"single", "majority"]'))
    new = [one for one in grown.prepared() if one.deliberation_id not in once]

    found = grown.lacking(once).estimate

    assert found.deliberations == {"council-lab": 2, "single-lab": 2, "majority-lab": 4}
    assert found.amount.tokens == sum(one.estimate.tokens for one in new)
    assert found.by_arm["majority-lab"] == grown.estimate.by_arm["majority-lab"]
    assert grown.lacking({one.deliberation_id for one in grown.prepared()}).instances == 0


def test_the_first_rows_have_the_hash_of_a_study_of_so_many() -> None:
    """So an extension is compared with all columns of the rows that a study has."""
    once = study(STUDY).digest.sha256
    longer = study(STUDY, f"{QUESTIONS}q3,What is 1 + 3? A) 4 B) 3,A\n")

    assert longer.digest_of(2) == once
    assert longer.digest_of(3) == longer.digest.sha256 != once


def test_an_option_that_is_left_out_differs_as_its_default() -> None:
    """Settings that the file leaves out are shown all the same."""
    arm = '[[arms]]\nname = "c"\nprotocol = "council"\n[grid]'
    plain = study(STUDY.replace("[grid]", arm)).content
    final = study(STUDY.replace("[grid]", arm.replace("[grid]", "options = { final_only = true }\n[grid]"))).content

    assert differences(plain, final) == ["arms.c.options.final_only: false -> true"]
    assert differences(final, plain) == ["arms.c.options.final_only: true -> false"]
    assert differences(plain, plain) == []


async def test_other_prompts_are_another_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study is neither continued by its file nor extended with prompts that it did not begin with."""
    at = settings().model_copy(update={"database_url": f"sqlite:///{tmp_path / 'ledger.db'}"})
    begun = study()
    await enter_study(at, begun)
    changed = {**CouncilOptions.PROMPTS.templates, "opinion": "{{question}} Be brief."}
    pack = CouncilOptions.PROMPTS.model_copy(update={"templates": changed})
    monkeypatch.setattr(CouncilOptions, "PROMPTS", pack)
    upgraded, longer = study(), study(questions=QUESTIONS + "q3,Who?,A\n")

    with pytest.raises(RequestError) as refused:
        await enter_study(at, upgraded)
    assert [
        "the ledger has another study 'small'; give this one another name, or undo what was changed",
        f'arms.council-lab.prompts: "{pack.version}@{FIRST_PACK}" -> "{pack.identity}"',
        OTHER_PROMPTS + "what the study has is run with its own by: parley batch run small",
    ] == [line.strip() for line in str(refused.value).splitlines()]
    assert not has_grown(begun.content, longer.content)


def test_other_rows_are_another_dataset() -> None:
    """A row that states something else, or one more, is seen; the order of its columns is not."""
    first = study().content

    longer = study(questions=QUESTIONS + "q3,Who?,A\n").content
    turned = study(questions="answer,id,prompt\nA,q1,What is 1 + 1? A) 2 B) 3\nb,q2,What is 1 + 2? A) 2 B) 3\n").content

    assert [line.split(":")[0] for line in differences(first, longer)] == ["dataset.rows", "dataset.sha256"]
    assert differences(first, turned) == []


def test_estimated_is_the_middle_of_the_estimate() -> None:
    """What is reserved lies half way between the least and the most, for tokens and for dollars."""
    found = dataset("q.csv", "question\n" + "x" * 256 + "\n")
    arm = found.arms[0]
    calls = arm.kind.spec.plan(arm.options, arm.panel, text_tokens("x" * 256))
    told = estimate_calls(arm.protocol, calls, lambda *_: 0.01, clarify=arm.options.clarify)
    outlook = StudyEstimator(found.arms, lambda *_: 0.01)

    amount = outlook.of(arm, found.first)

    assert told.total.usd is not None
    assert told.total.usd.high is not None
    assert amount.usd == pytest.approx((told.total.usd.low + told.total.usd.high) / 2)
    spans = (told.total.prompt_tokens, told.total.completion_tokens)
    assert amount.tokens == sum(span.low + span.high for span in spans) // 2


def test_no_more_is_reserved_than_a_deliberation_may_spend() -> None:
    """The budget of an arm bounds its estimate."""
    found = dataset("q.csv", "question\n" + "x" * 256 + "\n")
    arm = found.arms[0]
    limited = arm._replace(options=arm.options.model_copy(update={"budget_usd": 0.001, "budget_tokens": 5}))

    amount = StudyEstimator([limited], lambda *_: 0.01).of(limited, found.first)

    assert (0.001, 5) == (amount.usd, amount.tokens)


def test_all_of_a_study_is_the_sum_of_its_deliberations() -> None:
    """The estimate before anything is spent is what will be reserved, one by one."""
    found = study(_REPEATED)

    each = [one.estimate for one in found.prepared()]

    assert found.instances == len(each) == 8
    assert found.estimate.amount.tokens == sum(one.tokens for one in each)
    assert found.estimate.amount.usd == pytest.approx(sum(one.usd for one in each))


def test_a_model_without_a_price_is_named_and_counts_no_dollars() -> None:
    """An unknown price is never taken for nothing without a word."""
    found = study(STUDY.replace("rehearsal:one", "rehearsal:openai/gpt-5-mini"))

    assert set(found.estimate.unpriced) == {"rehearsal:two", "rehearsal:three"}
    assert found.estimate.by_arm["single-lab"].usd > 0
    assert found.estimate.range.usd is not None
    assert (None, 2) == (found.estimate.range.usd.high, found.estimate.range.unpriced)
    assert (None, 3) == (study().estimate.range.usd, study().estimate.range.unpriced)
    assert study().estimate.amount.usd == 0
    assert study().estimate.amount.tokens > 0


DEBATES = """
[[arms]]
name = "collab"
protocol = "debate"
panel = "small"
options = { max_rounds = 3 }

[[arms]]
name = "adv"
protocol = "debate"
panel = "small"
options = { mode = "adversarial" }
"""
REHEARSED, CHARGED = 927_619, 3.0507
"""Tokens and dollars that the example with these arms took when scripted models held it."""


def test_a_rehearsal_of_the_example_with_debates_lies_within_its_range() -> None:
    """Its tokens and dollars lie between the ends, and what is reserved is less than three times what it took."""
    found = study(files.EXAMPLE.read_text("utf-8") + DEBATES, files.EXAMPLE_QUESTIONS.read_text("utf-8")).estimate

    assert found.range.tokens.low < REHEARSED < found.range.tokens.high
    assert found.amount.tokens < 3 * REHEARSED
    assert found.range.usd is not None
    assert found.range.usd.high is not None
    assert found.range.usd.low < CHARGED < found.range.usd.high


def test_a_range_is_the_sum_of_its_arms_with_further_calls_at_its_high_end() -> None:
    """Rows and repeats multiply both ends; without further calls the low end is the same and the high end less."""
    found = study(_REPEATED).estimate
    once = study(STUDY).estimate
    times = found.deliberations["single-lab"] // once.deliberations["single-lab"]
    bare = study(STUDY + "\n", QUESTIONS).estimate.range

    assert found.range.tokens.high == sum(one.tokens.high for one in found.ranges.values())
    assert found.range.tokens.low == sum(one.tokens.low for one in found.ranges.values())
    assert found.range.tokens.low == times * once.range.tokens.low
    assert bare.tokens.low <= once.amount.tokens <= bare.tokens.high


def test_longer_questions_are_estimated_to_take_more() -> None:
    """Length counts, in steps."""
    found = dataset("q.csv", f"question\n{'x' * 10}\n{'x' * 100_000}\n")

    short, long = (one.estimate.tokens for one in found.prepared())

    assert short < long


def test_the_example_can_be_held() -> None:
    """What ``parley batch init`` writes is a study over the dataset that it writes beside it."""
    found = study(files.EXAMPLE.read_text("utf-8"), files.EXAMPLE_QUESTIONS.read_text("utf-8"))

    assert found.instances == 4 * 8
    assert found.is_rehearsal


def test_the_example_names_every_key() -> None:
    """Every key is in the example."""
    keys = {
        key.strip("# ").split(" = ")[0].strip() for key in files.EXAMPLE.read_text("utf-8").splitlines() if " = " in key
    }
    tables = ("dataset", "label", "grid", "budget")
    several = set(NamedPanel.model_fields) | set(ArmTable.model_fields)

    missing = several | {key for name in tables for key in _table(name)} | (set(StudyFile.model_fields) - set(tables))

    assert missing - keys == {"arms"}


def test_the_comments_of_the_example_are_keys_too() -> None:
    """What is commented out can be taken in: the file is still TOML that a study understands."""
    uncommented = (
        files.EXAMPLE.read_text("utf-8").replace('# rows = "1-80"', 'rows = "1-80"').replace("# format", "format")
    )

    assert parse_study(tomllib.loads(uncommented)).dataset.span == (1, 80)


def test_a_study_over_a_dataset_alone_is_named_after_both() -> None:
    """Two quick runs with different protocols do not be in each other's way."""
    Path("My Questions.csv").write_text("question\nWhy?\n")

    found = load_study("My Questions.csv", AT_ONCE._replace(models=("rehearsal:a", "rehearsal:b")), settings())

    assert found.study.name == "my-questions-council"
    assert [(arm.name, arm.models, arm.panel.chair.model) for arm in found.arms] == [
        ("council", ("rehearsal:a", "rehearsal:b"), "rehearsal:a")
    ]


def test_models_of_a_study_file_stand_in_the_file() -> None:
    """With several panels the seats would not be clear."""
    with pytest.raises(RequestError, match="are in its file"):
        study(overrides=Overrides(models=("rehearsal:a",)))


def test_a_dataset_named_in_full_may_lie_anywhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Only what is named relatively stays below the study file."""
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "q.csv"
    elsewhere.write_text(QUESTIONS)

    found = study(STUDY.replace('"questions.csv"', f'"{elsewhere}"'))

    assert found.study.dataset.path == elsewhere


def test_a_tilde_is_the_home_directory(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path from Python, or in quotes, may begin with ~: what the file names is seen from the file's own folder."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    (home / "study.toml").write_text(STUDY)
    (home / "questions.csv").write_text(QUESTIONS)

    assert home / "questions.csv" == read_study("~/study.toml").dataset.path
    assert home / "questions.csv" == read_study("~/questions.csv", Overrides(protocols=("single",))).dataset.path


@pytest.mark.parametrize("path", ["~nobody-is-called-so/study.toml", "~nobody-is-called-so/q.csv"])
def test_a_home_that_there_is_not_is_refused(path: str) -> None:
    """The home directory of a user who is not there is no defect."""
    with pytest.raises(RequestError, match="~nobody-is-called-so"):
        load_study(path, Overrides(protocols=("single",)), settings())


def test_a_link_does_not_lead_out(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Links are resolved before it is looked where a file lies."""
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "q.csv"
    elsewhere.write_text(QUESTIONS)
    Path("link.csv").symlink_to(elsewhere)

    with pytest.raises(RequestError, match="leads out of"):
        study(STUDY.replace('"questions.csv"', '"link.csv"'))


def test_a_providers_file_of_the_study_is_the_one_that_is_read() -> None:
    """Its models can be named, and commands find it in the settings."""
    Path("lab.toml").write_text('[providers.lab]\nbase_url = "http://127.0.0.1:1/v1"\ndialect = "generic"\n')

    found = study(STUDY.replace("seed = 7", 'providers = "lab.toml"').replace("rehearsal:one", "lab:one"))

    assert found.settings.providers_file == Path("lab.toml").resolve()


def test_the_command_line_wins_over_the_file() -> None:
    """Everything that it can say."""
    told = Overrides(repeats=3, rows="2", window=2, priority=1, budget_tokens=9, seed=1, question="answer", label="id")
    Path("study.toml").write_text(STUDY)

    found = read_study("study.toml", told)

    assert (found.repeats, found.window, found.priority, found.seed) == (3, 2, 1, 1)
    assert (found.dataset.span, found.dataset.question, found.dataset.label) == ((1, 2), "answer", "id")
    assert found.terms.cap == Budget(tokens=9)


@given(st.dictionaries(st.sampled_from(["a", "b c", "d-e"]), st.text(max_size=9), min_size=3))
def test_what_a_row_states_is_never_a_template(fields: dict[str, str]) -> None:
    """Braces in the data stay what they are."""
    template = Template.of("{{{a}}} {b c}\n{d-e}")

    assert template.filled(fields) == "{" + fields["a"] + "} " + fields["b c"] + "\n" + fields["d-e"]


def test_spans_of_tokens_do_not_depend_on_the_question_itself() -> None:
    """Rows of nearly the same length are estimated alike, so a large study is estimated quickly."""
    found = dataset("q.csv", "question\nWhy is it so?\nWho was it?\n")

    first, second = (one.estimate for one in found.prepared())

    assert first == second
    assert text_tokens("x" * 256) == Range(low=43, high=86)


def _table(name: str) -> set[str]:
    field = StudyFile.model_fields[name].annotation
    table = next((one for one in getattr(field, "__args__", (field,)) if one is not type(None)), field)
    return set(table.model_fields) if table is not None else set()
