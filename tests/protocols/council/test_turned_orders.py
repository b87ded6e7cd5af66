"""Orders that are not what they look like: worst first, scores in columns of a table, taken back behind the list."""

import pytest

from protocols.council.model import Ballot
from tests.protocols.council.test_replies import CODE, read

LIST = "1. D\n2. C\n3. B\n4. A"


def ranked(text: str) -> Ballot:
    """The ballot with ``text`` under the header."""
    return read(f"FINAL RANKING {CODE}:\n{text}", 4, CODE)


def told(text: str) -> str:
    """The order in it, ``C>A=B``; blank for a void ballot."""
    return ">".join("=".join(name[-1] for name in place) for place in ranked(text).places)


def columns(heading: str, cells: str = "2143") -> str:
    """A table with one column beside the labels."""
    rows = [f"| {letter} | {cell} |" for letter, cell in zip("ABCD", cells, strict=True)]
    return "\n".join([f"| Response | {heading} |", "|---|---|", *rows])


@pytest.mark.parametrize(
    "line",
    [
        "Weakest → strongest:",
        "From worst response to best response:",
        "Worst response first:",
        "(best at the bottom)",
        "(starting with the worst)",
        "(starting from the bottom)",
        "(from weakest)",
        "From the worst up:",
        "(bottom up)",
        "(last is best)",
        "(ascending)",
        "From last to first:",
        "In aufsteigender Reihenfolge:",
        "Von der schwächsten zur stärksten Antwort:",
        "De la peor a la mejor:",
        "Orden ascendente:",
        "De la pire à la meilleure :",
        "Do pior para o melhor:",
        "Dalla peggiore alla migliore:",
        "От худшей к лучшей:",
        "从最弱到最强：",
        "升序：",
        "最悪から最良へ:",
        "昇順:",
        "오름차순:",
        "من الأسوأ إلى الأفضل:",
        "Van slechtste naar beste:",
        "(dal peggiore al migliore)",
        "(나쁜 순)",
        "(الأسوأ أولاً)",
    ],
)
def test_an_order_that_begins_with_its_worst_is_void(line: str) -> None:
    """In no language is such an order turned round, or read as if it were best first."""
    assert ranked(f"{line}\n{LIST}").repairs == ("written worst first",)


@pytest.mark.parametrize(
    "text",
    [
        "1. D (bottom)\n2. C\n3. B\n4. A (top)",
        "1. D\n2. C\n3. B\n4. A (best)",
        "ascending: D, C, B, A",
        '{"order": "ascending", "ranking": ["D", "C", "B", "A"]}',
    ],
)
def test_words_within_an_order_mark_its_worst_as_first(text: str) -> None:
    """Marks at its ends, a word before it, and a field of its object."""
    assert not told(text)


def test_an_object_that_begins_with_its_worst_is_void() -> None:
    """A whole reply as well as a value under the header."""
    assert not read(f'{{"code": "{CODE}", "sort": "asc", "ranking": ["D", "C", "B", "A"]}}', 4, CODE).places


@pytest.mark.parametrize(
    "line",
    [
        "From best to worst:",
        "best → worst",
        "(best first)",
        "Vom Besten zum Schlechtesten:",
        "In absteigender Reihenfolge:",
        "Ordre décroissant :",
        "Del mejor al peor:",
        "От лучшей к худшей:",
        "从好到差：",
        "降順:",
        "내림차순:",
        "In ascending order of rank:",
    ],
)
def test_an_order_that_begins_with_its_best_is_read(line: str) -> None:
    """The same words the other way round, and places that rise."""
    assert "D>C>B>A" == told(f"{line}\n{LIST}")


@pytest.mark.parametrize(
    "text",
    [
        "1 (best): D / 2: C / 3: B / 4 (worst): A",
        "1 (best): D\n2: C\n3: B\n4 (worst): A",
        "1st [best]: Response D\n2nd: Response C\n3rd: Response B\n4th [worst]: Response A",
        "1. (beste) Antwort D\n2. Antwort C\n3. Antwort B\n4. (schlechteste) Antwort A",
    ],
)
def test_words_in_brackets_behind_the_numbers_name_the_ends(text: str) -> None:
    """The best at 1 and the worst at the last place are where they are in any list."""
    assert "D>C>B>A" == told(text)


@pytest.mark.parametrize(
    "text",
    ["1 (worst): D\n2: C\n3: B\n4 (best): A", "1: D\n2: C\n3: B\n4 (best): A", "1. (worst) D\n2. C\n3. B\n4. A"],
)
def test_the_worst_at_the_first_number_makes_an_order_void(text: str) -> None:
    """Numbers that count from the worst are not read as places."""
    assert ranked(text).repairs == ("written worst first",)


@pytest.mark.parametrize(
    "remark",
    [
        "sorts in ascending order",
        "the best sources",
        "goes from last to first",
        "was the worst, now the best",
        "a bottom-up view (from the weakest link on)",
        "suffers from the weakest argument",
    ],
)
def test_words_of_order_in_a_remark_on_an_answer_turn_nothing(remark: str) -> None:
    """They are said of what the answer says."""
    assert "D>C>B>A" == told(LIST.replace("C", f"C - {remark}"))


@pytest.mark.parametrize(
    "heading", ["Quality", "Accuracy", "Stars (4 best)", "Helpfulness (1-4)", "Gesamt", "质量", "Rank score", "Wins"]
)
def test_numbers_under_another_heading_than_places_are_none(heading: str) -> None:
    """Scores from 1 to the number of answers look like places, and their best would come last."""
    assert not told(columns(heading))


@pytest.mark.parametrize("heading", ["Rank", "**Place**", "#", "", "No.", "Overall rank", "Reihenfolge", "排名"])
def test_numbers_under_a_heading_of_places_or_none_are_places(heading: str) -> None:
    """They put the rows in order."""
    assert "B>A>D>C" == told(columns(heading))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("| Response | Verdict |\n|---|---|\n| A | 2nd |\n| B | 1st |\n| C | 4th |\n| D | 3rd |", "B>A>D>C"),
        ("| No. | Response | Rank |\n|-|-|-|\n| 1 | A | 2 |\n| 2 | B | 1 |\n| 3 | C | 3 |\n| 4 | D | 4 |", "B>A>C>D"),
        ("| # | Response | Score |\n|-|-|-|\n| 1 | A | 7 |\n| 2 | B | 9 |\n| 3 | C | 5 |\n| 4 | D | 4 |", ""),
        ("| Criterion | A | B | C | D |\n|-|-|-|-|-|\n| Accuracy | 2 | 1 | 4 | 3 |", ""),
        ("| Criterion | A | B | C | D |\n|-|-|-|-|-|\n| Accuracy | 7 | 6 | 9 | 8 |", ""),
        (
            "| Criterion | A | B | C | D |\n|-|-|-|-|-|\n| Accuracy | 2 | 1 | 4 | 3 |\n| Rank | 3 | 4 | 1 | 2 |",
            "C>D>A>B",
        ),
        ("| Rank | 1 | 2 | 3 | 4 |\n|-|-|-|-|-|\n| Response | C | A | B | D |", "C>A>B>D"),
    ],
)
def test_what_numbers_of_a_table_are_is_said_beside_them(table: str, expected: str) -> None:
    """Ordinals are places anywhere, bare numbers under a heading of places or in a row of them."""
    assert expected == told(table)


@pytest.mark.parametrize(
    "remark",
    [
        "Edit: B and C should be swapped.",
        "Revised: A first.",
        "I would put A first after all.",
        "Hmm, I think B is actually stronger than A.",
        "Sorry, I meant C before D.",
        "B and C are tied.",
        "Response A should be first.",
        "This ranking is arbitrary; all are equal.",
        "Disregard the above; I cannot decide.",
        "(This is just the format, not my ranking.)",
        "(placeholder; I did not see the responses)",
    ],
)
def test_a_remark_behind_the_list_takes_it_back(remark: str) -> None:
    """Neither the list nor what the remark makes of it is counted."""
    assert ranked(f"{LIST}\n\n{remark}").repairs[-1:] == ("taken back behind it",)


@pytest.mark.parametrize(
    "line",
    ["I cannot provide a ranking, but the format would be:", "As an example of the format:", "Example ranking:"],
)
def test_a_list_that_shows_the_form_alone_is_void(line: str) -> None:
    """Its writer ranked nothing."""
    assert not told(f"{line}\n{LIST}")


@pytest.mark.parametrize(
    "remark",
    [
        "A is the worst and D the best.",
        "I would rank D first because it is right.",
        "I cannot rank B higher because it lacks sources.",
        "C should be more concise.",
        "A and B share an approach, but B is wrong.",
        "All responses are equally accurate, so clarity decided.",
        "As an example of clear writing, Response D names its sources.",
        "The random seed in B is missing, and the placeholder text in A is odd.",
        "Response B doesn't have the answers to part two.",
    ],
)
def test_other_remarks_behind_the_list_leave_it(remark: str) -> None:
    """They give reasons for the order."""
    assert "D>C>B>A" == told(f"{LIST}\n\n{remark}")


@pytest.mark.parametrize("ranking", ["1. D\n2. B\n2. C\n4. A", "D > B = C > A"])
def test_a_tie_may_be_said_once_more(ranking: str) -> None:
    """The remark repeats what the list says."""
    assert "D>B=C>A" == told(f"{ranking}\n\nB and C are tied.")


def test_several_places_on_one_line_leave_the_order_open() -> None:
    """Whether its answers share them or are in order is not said."""
    assert "places on one line" in ranked("1-2. Response C, Response A\n3-4. Response B, Response D").repairs


@pytest.mark.parametrize(
    "remark",
    [
        *("A y C deberían intercambiarse.", "A et C devraient être inversées.", "A e C devem trocar de lugar."),
        *("A и C следует поменять местами.", "يجب تبديل A وC.", "La respuesta A debería ser la primera."),
        *("Antwort A gehört auf Platz 1.", "La réponse A devrait être première.", "A resposta A deveria vir primeiro."),
        *("回答A应排第一。", "回答Aを1位にすべきです。", "응답 A가 1위여야 합니다.", "Ответ A должен быть первым."),
        *("Besser: A, C, D, B", "Plutôt : A, C, D, B", "Corrected ranking: A, C, D, B", "我现在会把A排在C前面。"),
        *("Ich würde A nun vor C setzen.", "Pondría A por delante de C.", "Je placerais plutôt A devant C."),
        *("Ich habe mich vertan.", "Me equivoqué en el orden.", "Je me suis trompé d'ordre.", "顺序反了。"),
        *("順位が逆です。", "순서가 반대입니다.", "El orden está invertido.", "Die Reihenfolge ist falsch."),
    ],
)
def test_a_remark_in_another_language_takes_the_order_back(remark: str) -> None:
    """A reviewer that gives another order below the list, or calls it wrong, is asked once more."""
    assert not ranked(f"{LIST}\n\n{remark}").places


@pytest.mark.parametrize(
    "remark",
    [
        *("A debería leerse con cuidado; la primera frase es oscura.", "Die Reihenfolge ist richtig."),
        *(
            "Besser wäre ein Beispiel gewesen.",
            "回答A应补充来源。",
            "Aを2位にした理由は簡潔さです。",
            "A와 C는 비슷합니다.",
        ),
        *("C debería citar su fuente.", "La réponse C doit sa place à sa clarté.", "Antwort C gehört zu den klarsten."),
        *("C должен указать источник.", "顺序由质量决定。", "Je placerais volontiers une source dans B."),
    ],
)
def test_a_remark_in_another_language_on_an_answer_leaves_the_order(remark: str) -> None:
    """What an answer should have had, or why it has its place, changes no place."""
    assert "D>C>B>A" == told(f"{LIST}\n\n{remark}")
