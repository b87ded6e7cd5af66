"""The benchmark of streams that are read at once."""

from bench.peers.provider import Form
from bench.streams import measure


async def test_the_line_of_a_table_counts_what_was_read() -> None:
    """Three streams of five chunks take their own time and no less; the processor time is by reply and by chunk."""
    cells = [cell.strip() for cell in (await measure(3, Form(100, 5))).strip("| ").split("|")]
    assert cells[:3] == ["3", "5", "0.1"]
    assert float(cells[3].split()[0]) >= 1
    assert float(cells[4]) * 1000 / 5 >= float(cells[5]) * 0.9


async def test_a_stream_that_takes_no_time_has_no_ratio() -> None:
    """Without a time of its own nothing is divided by it."""
    assert (await measure(1, Form(0, 2))).split(" | ")[3] == "–"
