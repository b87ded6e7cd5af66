"""A collection of what can be wrong with a study: each is refused, and the message says where and what to do."""

from pathlib import Path

import pytest

from parley.errors import RequestError
from studies.definition.files import read_study
from tests.fakes.study_files import AT_ONCE, QUESTIONS, STUDY, dataset, study

_OVER = {
    "unknown key": (("seed = 7", "sed = 7"), r"'sed' is not a key of a study file. Did you mean 'seed'\?"),
    "unknown key of a table": (('question = "prompt"', 'quesion = "prompt"'), r"'dataset.quesion'.*mean 'question'"),
    "unknown key of an arm": (
        ("[grid]", '[[arms]]\nname = "one"\nprotocol = "single"\nmodel = "x"\n[grid]'),
        r"'arms.1.model'.*: name, protocol, panel, options.*options = \{ models = \[…\] \}",
    ),
    "unknown key of a panel": (("[grid]", 'chiar = "x"\n[grid]'), r"'panels.lab.chiar'.*mean 'chair'"),
    "no TOML": (("seed = 7", "seed ="), "is not TOML"),
    "a key twice": (("seed = 7", "seed = 7\nseed = 8"), "is not TOML"),
    "no name": (('name = "small"', ""), "name is missing"),
    "a name in capitals": (('"small"', '"Small"'), "name: 'Small' cannot be used"),
    "a name with a slash": (('"small"', '"../x"'), "name: '../x' cannot be used"),
    "a long name": (('"small"', f'"{"x" * 61}"'), "name: 'xxx"),
    "a number as text": (("seed = 7", 'window = "20"'), "window: '20' cannot be used"),
    "a truth as a number": (("seed = 7", "repeats = true"), "repeats: 'True' cannot be used"),
    "no repeats": (("seed = 7", "repeats = 0"), "repeats: '0' cannot be used"),
    "too large a window": (("seed = 7", "window = 1501"), "window: '1501' cannot be used"),
    "no such priority": (("seed = 7", "priority = 6"), "priority: '6' cannot be used"),
    "no such failure mode": (("seed = 7", 'failure_mode = "lax"'), "failure_mode: 'lax' cannot be used"),
    "a seed below zero": (("seed = 7", "seed = -1"), "seed: '-1' cannot be used"),
    "a budget of nothing": (("[grid]", "[budget]\nusd = 0\n[grid]"), "budget.usd: '0' cannot be used"),
    "a budget without end": (("[grid]", "[budget]\nusd = inf\n[grid]"), "budget.usd: 'inf' cannot be used"),
    "half a token": (("[grid]", "[budget]\ntokens = 1.5\n[grid]"), "budget.tokens: '1.5' cannot be used"),
    "no dataset": (('path = "questions.csv"', ""), "dataset.path is missing"),
    "no such dataset": (('"questions.csv"', '"nothing.csv"'), "there is no dataset '.*nothing.csv'"),
    "a directory": (('path = "questions.csv"', 'path = "."\nformat = "csv"'), "is a directory; name the file in it"),
    "no known format": (('"questions.csv"', '"study.toml"'), "not to be seen from its name"),
    "another format": (('id = "id"', 'format = "xls"'), "dataset.format: 'xls' cannot be used"),
    "a way out": (('"questions.csv"', '"../questions.csv"'), "leads out of"),
    "providers outside": (("seed = 7", 'providers = "../p.toml"'), "providers: '../p.toml' leads out of"),
    "no such column": (('"prompt"', '"promt"'), r"there is no column 'promt'. Did you mean 'prompt'\?"),
    "no such id": (('id = "id"', 'id = "number"'), "dataset.id: there is no column 'number'"),
    "no such label": (('label = "answer"', 'label = "gold"'), "dataset.label: there is no column 'gold'"),
    "no such extra": (('id = "id"', 'extra = ["topic"]'), "dataset.extra: there is no column 'topic'"),
    "question and template": (('id = "id"', 'template = "{prompt}"'), "leave one of them out"),
    "an attribute": (('question = "prompt"', 'template = "{prompt.x}"'), "so it has no prompt.x"),
    "a place in a text": (('question = "prompt"', 'template = "{prompt[0]}"'), r"so it has no prompt\[0\]"),
    "a slice": (('question = "prompt"', 'template = "{prompt[0:2]}"'), "the name of a column in braces"),
    "no such encoding": (('id = "id"', 'encoding = "utf-99"'), "dataset.encoding: 'utf-99' cannot be used"),
    "an encoding of bytes": (('id = "id"', 'encoding = "base64"'), "dataset.encoding: 'base64' cannot be used"),
    "a long delimiter": (('id = "id"', 'delimiter = ";;"'), "dataset.delimiter: ';;' cannot be used"),
    "blank where nothing is asked": (('id = "id"', 'allow_blank = ["answer"]'), "'answer' is part of no question"),
    "a conversion": (('question = "prompt"', 'template = "{prompt!r}"'), "the name of a column in braces"),
    "nothing in braces": (('question = "prompt"', 'template = "{}"'), "the name of a column in braces"),
    "a stray brace": (('question = "prompt"', 'template = "a } b"'), "the '}' at character 3 belongs to no name"),
    "a template's column": (('question = "prompt"', 'template = "{promt}"'), "dataset.template: there is no column"),
    "rows from zero": (('id = "id"', 'rows = "0-5"'), "dataset.rows: '0-5' cannot be used"),
    "rows backwards": (('id = "id"', 'rows = "5-2"'), "dataset.rows: '5-2' cannot be used"),
    "rows beyond the end": (('id = "id"', 'rows = "7-9"'), "no row that can be used"),
    "no choices": (('choices = ["A", "B"]', ""), "choices go with read"),
    "choices for a number": (('"choice"', '"number"'), "choices go with read"),
    "one choice": (('["A", "B"]', '["A"]'), "label: "),
    "a choice with a comma": (('["A", "B"]', '["A", "B, C"]'), "a choice holds no comma"),
    "a threshold of a choice": (('read = "choice"', 'threshold = 0.5\nread = "choice"'), "threshold goes with"),
    "a threshold above one": (('read = "choice"', 'read = "flagged"\nthreshold = 2'), "label.threshold: '2'"),
    "no arms": (('[grid]\nprotocols = ["council", "single"]', ""), "there is nothing to run"),
    "no such protocol": (('"single"]', '"quiz"]'), "grid.protocols.2: 'quiz' cannot be used"),
    "no such panel": (('"single"]', '"single"]\npanels = ["big"]'), "no panel 'big'; known are default, lab"),
    "a panel of nobody": (('["rehearsal:one", "rehearsal:two", "rehearsal:three"]', "[]"), "panels.lab.models"),
    "a model that is no name": (('"rehearsal:two"', '"a b"'), "panels.lab.models: .*model 'a b' is not a name"),
    "a model twice": (('"rehearsal:two"', '"rehearsal:one"'), "arm 'council-lab': .*more than once"),
    "arms in one table": (
        ("[grid]", '[arms.small]\nprotocol = "council"\n[grid]'),
        r"arms: .*own: \[\[arms\]\], and below",
    ),
    "models for a panel": (
        ("[grid]", '[[arms]]\nprotocol = "council"\npanel = ["a/b", "c/d"]\n[grid]'),
        r"arms.1.panel: .*\[panels.small\] with models",
    ),
    "a list for a panel": (
        ("[grid]", '[[arms]]\nprotocol = "council"\npanel = "a/b,c/d"\n[grid]'),
        r"arms.1.panel: 'a/b,c/d' .*\[panels.small\] with models",
    ),
    "two arms of one name": (("[grid]", '[[arms]]\nname = "single-lab"\nprotocol = "council"\n[grid]'), "two arms are"),
    "an arm like a repeat": (("[grid]", '[[arms]]\nname = "r2"\nprotocol = "council"\n[grid]'), "arms.1.name: 'r2'"),
    "an arm with a dot": (("[grid]", '[[arms]]\nname = "a.b"\nprotocol = "council"\n[grid]'), "arms.1.name: 'a.b'"),
    "no such option": (
        ("[grid]", '[[arms]]\nprotocol = "council"\noptions = { final = true }\n[grid]'),
        "arm 'council': 'final' is not an option of a council",
    ),
    "an option out of range": (
        ("[grid]", '[[arms]]\nprotocol = "debate"\noptions = { max_rounds = 0 }\n[grid]'),
        "arm 'debate': max_rounds: '0' cannot be used",
    ),
    "an id for all": (
        ("[grid]", '[[arms]]\nprotocol = "debate"\noptions = { id = "x" }\n[grid]'),
        "arm 'debate': options.id: no arm has it",
    ),
    "samples of a single": (
        ("[grid]", '[[arms]]\nprotocol = "single"\noptions = { samples = 3 }\n[grid]'),
        "arm 'single': single: it has 1 sample of each model, got 3",
    ),
    "a large consensus": (
        (
            '["rehearsal:one", ',
            '["rehearsal:one", "rehearsal:four", ',
            'protocols = ["council"',
            'protocols = ["consensus"',
        ),
        "a consensus has three speakers, and its panel has 4 models",
    ),
    "a parallel of one": (
        ('"rehearsal:one", "rehearsal:two", "rehearsal:three"', '"rehearsal:one"', '"council", "single"', '"parallel"'),
        "arm 'parallel-lab'",
    ),
}

_QUESTIONS = {
    "too few fields": ("q1,What?", "line 2: has 2 fields, and the heading has 3"),
    "too many fields": ("q1,What?,A,B", "line 2: has 4 fields"),
    "a blank question": ("q1, ,A", "line 2: the question is blank"),
    "a blank label": ("q1,What?,", "line 2: 'answer' is blank"),
    "no such choice": ("q1,What?,C", "line 2: 'answer' is 'C', which is none of: A, B"),
    "an id that cannot be seen": ("a\u200bb,What?,A", "line 2: the id 'a.u200bb' has a character that cannot be shown"),
    "a blank id": (",What?,A", "line 2: the id is blank; fill it in, or leave dataset.id out"),
    "a long id": (f"{'x' * 1_001},What?,A", "line 2: the id 'xxx.*is this the column of ids"),
    "a rounded id": ("1.23457E+18,What?,A", "line 2: the id '1.23457E.18' is a number that a spreadsheet has rounded"),
    "a blank cell as a program writes it": ("q1,nan,A", "line 2: 'prompt' is 'nan', which a program wrote"),
    "a spreadsheet's error": ("q1,#NAME?,A", "line 2: 'prompt' is '#NAME.', the error of a spreadsheet"),
    "a list": ('q1,"[""What?"", ""Why?""]",A', r"line 2: 'prompt' is a list of 2 in JSON.*'prompt\[0\]'"),
    "a list as Python prints it": ("q1,\"['What?', 'Why?']\",A", "line 2: 'prompt' is a list of 2"),
    "an object": ('q1,"{""text"": ""What?""}",A', "line 2: 'prompt' is an object in JSON.*'prompt.text'"),
    "a label in words": ("q1,What?,Paris", "'answer' is 'Paris', which is none of: A, B; name the choices in"),
    "two labels": ("q1,What?,A or B", "line 2: 'answer' is 'A or B', which is none of: A, B"),
    "a blank label as a program writes it": ("q1,What?,NaN", "line 2: 'answer' is 'NaN', which a program wrote"),
    "an id twice": ("q1,What?,A\nq1,Who?,B", "line 3: the id 'q1' is that of line 2 too"),
    "a NUL": ("q1,What\0?,A", "line 2: 'prompt' holds a NUL"),
    "a quote inside": ('q1,"What"?,A', "line 2: is no CSV"),
    "a long question": (f"q1,{'x' * 200_001},A", "line 2: the question has 200,001 characters, more than 200,000"),
    "an endless field": (f'q1,"{"x" * 1_100_000},A', "in line 2 begins a field"),
    "no rows": ("", "no row that can be used"),
}

_LINES = {
    "no JSON": (b"{", "line 1: is no JSON: .* at column 2"),
    "a list": (b"[1]", "line 1: is no object"),
    "a key twice": (b'{"question": "a", "question": "b"}', "line 1: names 'question' twice"),
    "no number": (b'{"question": "a", "n": NaN}', "line 1: has NaN, which is no number in JSON"),
    "too large a number": (b'{"question": "a", "n": 1e999}', "line 1: has 1e999"),
    "no question": (b'{"question": "a"}\n{"prompt": "b"}', "line 2: has no 'question'"),
    "no text": (b'{"question": "\xff"}', "line 1: is not UTF-8 text"),
    "half a character": (b'{"question": "\\ud800"}', "line 1: 'question' is not UTF-8 text"),
    "a deep nest": (b'{"question": ' + b"[" * 100_000, "line 1: is nested too deeply"),
    "an empty question": (b'{"question": null}', "line 1: the question is blank"),
    "no columns": (b'{"x": 1}', r"no column says what is asked: .*columns are 'x'"),
}


def _changed(pairs: tuple[str, ...]) -> str:
    text = STUDY
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(("change", "told"), _OVER.values(), ids=list(_OVER))
def test_a_bad_study_file_is_refused_by_key_and_value(change: tuple[str, ...], told: str) -> None:
    """Nothing of a study runs before all of it can be; the message names what is wrong."""
    with pytest.raises(RequestError, match=told):
        study(_changed(change))


@pytest.mark.parametrize(("rows", "told"), _QUESTIONS.values(), ids=list(_QUESTIONS))
def test_a_bad_row_is_refused_by_line_and_reason(rows: str, told: str) -> None:
    """A row that cannot be asked, or whose answer cannot be compared, says where it is."""
    with pytest.raises(RequestError, match=told):
        study(questions=f"id,prompt,answer\n{rows}\n")


@pytest.mark.parametrize(("content", "told"), _LINES.values(), ids=list(_LINES))
def test_a_bad_line_is_refused_by_number_and_reason(content: bytes, told: str) -> None:
    """The same for lines of JSON."""
    with pytest.raises(RequestError, match=told):
        dataset("q.jsonl", content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty; its first line names the columns"),
        (b"question,question\nWhy?,How?\n", "names 'question' twice"),
        (b"text;answer\nWhy?;A\n", "no column says what is asked"),
        (b"id;question,answer\n", "the heading has comma and semicolon.*dataset.delimiter"),
        (b"question\nWh\xffy?\n", "line 2: 'question' is not UTF-8 text"),
    ],
)
def test_a_bad_table_is_refused(content: bytes, told: str) -> None:
    """A heading that names nothing, or something twice, is no heading."""
    with pytest.raises(RequestError, match=told):
        dataset("q.csv", content)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"question\nWhy?\n"])
def test_what_is_no_parquet_is_refused(content: bytes) -> None:
    """The name of a file is no proof of what it is."""
    with pytest.raises(RequestError, match="is no Parquet file that can be read"):
        dataset("q.parquet", content)


def test_the_good_study_is_good() -> None:
    """What the bad ones are made of can run."""
    assert study(STUDY, QUESTIONS).instances == 4


def test_a_question_that_one_arm_refuses_is_a_bad_row() -> None:
    """A debate takes shorter topics than others; the check says so before anything runs."""
    with pytest.raises(RequestError, match=r"line 2: arm 'debate': the topic has about"):
        dataset("q.csv", f"question\n{'word ' * 30_000}\n", AT_ONCE._replace(protocols=("debate",)))


def test_a_dataset_alone_needs_a_protocol() -> None:
    """Without a study file one must say what runs."""
    with pytest.raises(RequestError, match="it names no protocol: add --protocol"):
        dataset("q.csv", "question\nWhy?\n", AT_ONCE._replace(protocols=()))


def test_a_name_of_no_file_is_no_dataset() -> None:
    """A misspelt study file is a missing file, whatever its name ends with."""
    with pytest.raises(RequestError, match="there is no file 'nothing'; name a study file"):
        read_study("nothing")


@pytest.mark.parametrize("protocols", [(), ("council",)])
@pytest.mark.parametrize("name", ["questions.csv", "folder", "study.toml"])
def test_a_directory_is_no_study_and_no_dataset(tmp_path: Path, name: str, protocols: tuple[str, ...]) -> None:
    """A directory is called one, whatever its name ends with; the message names it and says what to name."""
    (tmp_path / name).mkdir()
    with pytest.raises(RequestError, match=rf"'.*{name}' is a directory; name (?:the study|a) file") as refused:
        read_study(str(tmp_path / name), AT_ONCE._replace(protocols=protocols, models=(), chair=None))
    assert str(tmp_path / name) in str(refused.value)
