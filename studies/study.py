"""A study from Python: load its file, start it, follow it, compare its arms."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from parley.client import Parley
from parley.errors import RequestError, require
from protocols.constraints import quoted
from studies.comparison.model import StudyComparison
from studies.comparison.study import compare_study
from studies.definition.files import Overrides
from studies.definition.load import load_study
from studies.runs.start import StartedRun, StudyRuns
from studies.runs.status import StudyStatus, follow, running_studies


class Study:
    """A study of one installation, from its study file.

    Args:
        parley: The installation.
        path: The study file.

    Raises:
        RequestError: there is no connection, or the file or its dataset cannot be used.
    """

    def __init__(self, parley: Parley, path: str | Path) -> None:
        require(parley, Parley, "a study is of a connection, await Parley.connect()")
        require(path, str | Path, "a study file is named by its path, as in 'study.toml'")
        self._parley = parley
        try:
            self._study = load_study(str(path), Overrides(), parley.settings)
        except OSError as error:
            raise RequestError(f"{quoted(path)} cannot be read: {error.strerror}") from None

    @property
    def name(self) -> str:
        """The name under which the ledger has it."""
        return self._study.study.name

    async def start(self) -> StartedRun:
        """Start every open deliberation; a repeated call continues the study."""
        return await StudyRuns(self._parley.client, self._parley.settings).begin(self._study)

    async def extend(self) -> StartedRun:
        """Add the rows, arms and repeats that the study file has got since, and start them."""
        studies = StudyRuns(self._parley.client, self._parley.settings)
        await studies.extend(self._study)
        return await studies.go_on(self.name)

    def follow(self, *, every: float = 2.0) -> AsyncIterator[StudyStatus]:
        """Yield the status each ``every`` seconds until the study has ended."""
        require(every, int | float, "every is a number of seconds", least=0)
        return follow(self._parley.client, self._parley.settings, self.name, every=every)

    async def compare(
        self,
        *,
        baseline: str | None = None,
        metric: str | None = None,
        score: str | None = None,
        over_repeats: str | None = None,
    ) -> StudyComparison:
        """Return the comparison of its arms; see ``compare_study``."""
        for given in (baseline, metric, score, over_repeats):
            require(given, str | None, "what is compared, and how, is a name each")
        chosen: dict[str, Any] = {"baseline": baseline, "metric": metric, "score": score, "over_repeats": over_repeats}
        running = await running_studies(self._parley.settings, self.name, client=self._parley.client)
        return await compare_study(self._parley.settings, self.name, running=running, **chosen)
