"""The forms of a ranking without numbers, and in tables and objects: what each yields, and when it yields nothing."""

import pytest

from protocols.council.replies import json_rankings
from protocols.council.replies.chains import chained, enumerated, is_rising, listed, mentioned
from protocols.council.replies.labels import Found, Numbered, are_places, by_number, do_rise, in_order
from protocols.council.replies.tables import tabled

CODE = "abc123def4"
ORDERS = [["A", "B", "C"], ["C", "A", "B"]]
"""Of the labels, and of the answers as they were shown."""


def told(found: Found | None) -> str:
    """An order in one line, ``C > A = B``; blank where there is none."""
    return " > ".join(" = ".join(place) for place in found.places) if found else ""


def orders(found: list[Found]) -> list[str]:
    """Those of several."""
    return [told(one) for one in found]


class TestFound:
    """Places and numbers."""

    @pytest.mark.parametrize(
        "numbers",
        [[1], [1, 2, 3], [4, 3, 2, 1], [1, 2, 2, 4], [1, 2, 2, 3], [1, 2.5, 2.5, 4], [1, 1, 3], [1.5, 1.5, 3]],
    )
    def test_numbers_that_are_all_places(self, numbers: list[float]) -> None:
        """Ties are counted in any of the three usual ways."""
        assert are_places(numbers)

    @pytest.mark.parametrize("numbers", [[], [2, 3], [1, 3], [0, 1, 2], [7.5, 8]])
    def test_numbers_that_are_not(self, numbers: list[float]) -> None:
        """A gap, another beginning, and scores."""
        assert not are_places(numbers)

    def test_equal_numbers_are_one_place(self) -> None:
        """Labels are put in order by their numbers, and share a place where these are equal."""
        entries = [Numbered(2, ("A",)), Numbered(1, ("C",)), Numbered(2, ("B", "D"))]
        assert (("C",), ("A", "B", "D")) == by_number(entries)

    def test_an_order_of_letters_has_a_place_for_each(self) -> None:
        """The letters of an order in the order of its places are those that it was made of."""
        assert ["C", "A"] == Found("listed", in_order("CA")).letters

    @pytest.mark.parametrize(("scores", "rises"), [([9, 8, 8], False), ([5, 8], True), ([9, 7, 8], True), ([], False)])
    def test_scores_that_rise(self, scores: list[float], rises: bool) -> None:
        """The best comes first where scores fall, so a score that rises contradicts the order of writing."""
        assert rises == do_rise(scores)


class TestChains:
    """Signs between labels, and labels in the order of writing."""

    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("C > A = D > B", "C > A = D > B"),
            ("Response C > Response A", "C > A"),
            ("My ranking: C > A > B", "C > A > B"),
            ("1. C > 2. A", "C > A"),
            ("C -> A -> B", "C > A > B"),
            ("B &gt; A", "B > A"),
            ("C ≻ A ≈ B", "C > A = B"),
            ("C = A", "C = A"),
        ],
    )
    def test_signs_of_order(self, line: str, expected: str) -> None:
        """Signs of better and equal, as characters or as HTML, numbers before the labels or not."""
        assert [expected] == orders(chained([line]))

    @pytest.mark.parametrize("line", ["C ≥ A", "C >= A", "the price > 3", "C > ", "C > the rest"])
    def test_no_order_is_made_up(self, line: str) -> None:
        """What is not said to be better, and what has no label, is no place of a chain."""
        assert [] == chained([line])

    @pytest.mark.parametrize(
        ("line", "rises"),
        [("B < A < C", True), ("1. B < 2. A", True), ("B < 3", False), ("A", False), ("C > A", False)],
    )
    def test_a_chain_that_begins_with_the_worst_is_seen(self, line: str, rises: bool) -> None:
        """Only labels between signs of "worse" make one."""
        assert rises == is_rising(line)

    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("C, A, B", ["C > A > B"]),
            ("C, then A, then B", ["C > A > B"]),
            ("C, A and B", ["C > A > B"]),
            ("C and A, B", ["C = A > B"]),
            ("Best to worst: C, A, B", ["C > A > B"]),
            ("The ranking is C; A; B.", ["C > A > B"]),
            ("C、A、B", ["C > A > B"]),
            ("We like C, but A is fine", []),
            ("C, A, and B are tied", []),
            ("1. C, A", []),
            ("C", []),
        ],
    )
    def test_an_enumeration(self, line: str, expected: list[str]) -> None:
        """Labels between commas or ``then``; the last ``and`` ends the list, another one ties; sentences are none."""
        assert expected == orders(enumerated([line]))

    @pytest.mark.parametrize(
        ("lines", "expected", "flaw"),
        [
            (["Response C", "Response A", "Response B"], "C > A > B", ""),
            (["- **B**", "- A", "", "I judged B best."], "B > A", ""),
            (["C: 9/10", "A: 8/10", "B: 5/10"], "C > A > B", ""),
            (["C: 5/10", "A: 8/10"], "", "scores in place of places"),
            (["Response B: clear", "Response A: vague", "Response C: wrong"], "B > A > C", ""),
            (
                ["Response A: right", "Response B: vague", "Response C: wrong"],
                "",
                "remarks in the order of the answers",
            ),
            (
                ["Response C: right", "Response A: vague", "Response B: wrong"],
                "",
                "remarks in the order of the answers",
            ),
        ],
    )
    def test_one_label_a_line(self, lines: list[str], expected: str, flaw: str) -> None:
        """A list is a ranking unless its scores say otherwise or it judges the answers as they were shown."""
        (found,) = listed(lines, ORDERS)
        assert (expected, flaw) == (told(found), found.flaw)

    def test_lines_without_labels_are_no_list(self) -> None:
        """There is no order in prose."""
        assert [] == listed(["text", "more"], ORDERS)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("I put Response C before Response A.", ["C > A"]),
            ("Response C leads and Response A follows", ["C > A"]),
            ("Response C is worse than Response A", []),
            ("Response C wins, Response A follows, Response C again", []),
            ("Response C wins", []),
        ],
    )
    def test_labels_in_running_text(self, text: str, expected: list[str]) -> None:
        """Named once each and without a word that turns the order round they are an order; otherwise they are none."""
        assert expected == orders(mentioned(text, ["A", "C"]))


class TestTables:
    """Rows and columns."""

    @pytest.mark.parametrize(
        ("table", "expected", "flaw"),
        [
            ("| Rank | Response |\n|-|-|\n| 1 | C |\n| 2 | A |", "C > A", ""),
            ("| Response | Rank |\n|-|-|\n| A | 2 |\n| C | 1 |", "C > A", ""),
            ("| A | C | B |\n|---|---|---|\n| 2 | 1 | 3 |", "C > A > B", ""),
            ("C\t1\nA\t2", "C > A", ""),
            ("| 1 | A = B |\n| 3 | C |", "A = B > C", ""),
            ("| Response | Verdict |\n|-|-|\n| C | good |\n| A | bad |", "C > A", ""),
            ("| Response | Score |\n|-|-|\n| A | 9 |\n| C | 6 |", "A > C", ""),
            ("| Response | Score |\n|-|-|\n| A | 6 |\n| C | 9 |", "", "scores in place of places"),
            ("| Rank | Response |\n| 1 | C |\n| 2 | C |", "", "a label in two rows"),
            (
                "| Rank | Place | Response |\n|-|-|-|\n| 1 | 2 | A |\n| 2 | 1 | C |",
                "",
                "its columns contradict each other",
            ),
        ],
    )
    def test_a_table(self, table: str, expected: str, flaw: str) -> None:
        """Places are in any column or row; scores that rise, a label twice and contradictions are reported as flaws."""
        (found,), rest = tabled(table.split("\n"))
        assert (expected, flaw) == (told(found), found.flaw)
        assert {""} == {*rest}

    def test_text_is_no_table(self) -> None:
        """Lines that are no rows are handed on as they are."""
        assert ([], ["C is best", "then A"]) == tabled(["C is best", "then A"])


class TestObjects:
    """Rankings in JSON."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('{"ranking": ["Response C", "Response A"]}', "C > A"),
            ('```json\n{"ranking": ["C", "A"]}\n```', "C > A"),
            ('{"ranking": [["C", "B"], "A"]}', "C = B > A"),
            ('{"ranking": ["1. Response C", "2. Response A"]}', "C > A"),
            ('{"ranking": [{"label": "A", "rank": 2}, {"label": "C", "rank": 1}]}', "C > A"),
            ('{"ranking": "C > A > B"}', "C > A > B"),
            ('{"Response C": 1, "Response A": 2}', "C > A"),
            ('{"1": "C", "2": "A"}', "C > A"),
        ],
    )
    def test_an_object(self, text: str, expected: str) -> None:
        """Lists, places by name or by number, chains, and objects of labels with their places."""
        whole = json_rankings.whole_object(text)
        assert whole is not None
        assert expected == told(json_rankings.of_object(whole.value))

    @pytest.mark.parametrize(
        "text",
        [
            '{"answer": "C"}',
            "[1]",
            '{"ranking": []}',
            '{"ranking": [{"label": "A", "rank": 2}, {"label": "C"}]}',
            "C > A",
        ],
    )
    def test_what_holds_no_ranking(self, text: str) -> None:
        """An object about something else, an empty list, and places that some entries lack."""
        assert json_rankings.whole_object(text) is None

    def test_what_it_states_of_the_answers_is_kept_as_text(self) -> None:
        """The judgements beside the ranking become a text, whatever their shape."""
        said = json_rankings.whole_object('{"review": {"A": "good", "B": "bad"}, "order": ["A", "B"]}')
        assert "A: good\n\nB: bad" == (said and said.evaluation)

    def test_values_in_running_text_are_taken_out(self) -> None:
        """The rest of the text is read on without them."""
        found, rest = json_rankings.in_region('Here:\n["C", "A"]\nand text')
        assert (["C > A"], "Here:\n\nand text") == (orders(found), rest)

    def test_only_an_object_with_the_code_counts_among_others(self) -> None:
        """A peer's object, copied below the reviewer's own, is passed over."""
        text = f'{{"code": "{CODE}", "ranking": ["C", "A"]}} and {{"ranking": ["A", "C"]}}'
        assert "C > A" == told(json_rankings.object_with_code(text, CODE))

    @pytest.mark.parametrize(
        ("value", "carries"), [({"code": "abc 123 def 4"}, True), ({CODE: 1}, True), ({"x": "abc"}, False), ({}, False)]
    )
    def test_the_code_is_found_in_keys_and_values(self, value: dict[str, str | int], carries: bool) -> None:
        """Blanks within it change nothing; its beginning alone is not the code."""
        assert carries == json_rankings.has_code(value, CODE)
