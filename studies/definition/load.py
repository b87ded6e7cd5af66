"""Loading of a study: everything is read and checked before anything is written or started."""

from collections.abc import Container, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from pydantic import JsonValue

from ledger.studies.records import EnteredArm, EnteredInstance, EnteredRow, EnteredStudy, RejectedRow
from parley.catalogue import Providers
from parley.errors import RequestError
from parley.specs.protocol_spec import Means
from protocols.deliberation import DeliberationInput
from protocols.study.input_templates import differences
from protocols.study.model import ArmUse
from runtime.attachment_store import AttachmentStore
from runtime.settings import Settings
from studies.dataset.dataset import Dataset
from studies.definition.column_mapping import ColumnMapping, StudyRow
from studies.definition.doubts import Doubts
from studies.definition.equal_samples import Decided, decide_samples, with_samples
from studies.definition.estimate import StudyEstimate, StudyEstimator
from studies.definition.files import Overrides, read_study
from studies.definition.fingerprint import Content, content_of, fingerprint_of
from studies.definition.grid import Arm, arms_of
from studies.definition.inputs import (
    HeaviestRows,
    InstanceId,
    KeptFiles,
    build_input,
    instance_id,
    shown_row,
    why_refused,
)
from studies.definition.rows import RowDigest, RowSource, changed_message, rejected_message
from studies.definition.study_file import StudyFile

MOST_INSTANCES = 2_000_000
"""Of one study: beyond that a ledger on one machine is no pleasure."""

_PROBE = "What is asked?"


class LoadedStudy(NamedTuple):
    """A study that can be entered into the ledger and started."""

    study: StudyFile
    arms: tuple[Arm, ...]
    settings: Settings
    """Those given, with the study's own providers file when it names one."""
    source: RowSource
    digest: RowDigest
    """Of the rows that can be used."""
    first: StudyRow
    rejected: tuple[RejectedRow, ...]
    """Lines that cannot be used, skipped because the study says so."""
    estimate: StudyEstimate
    """What all of it will take."""
    doubts: tuple[str, ...]
    """Why its figures may say less than its writer thinks, a sentence each."""
    content: Content
    fingerprint: str
    means: Means
    outlook: StudyEstimator
    files: KeptFiles
    heaviest: tuple[StudyRow, ...]
    """The first row with an image, and the row with most tokens of files, where there are any."""
    samples: tuple[Decided, ...] = ()
    """The decided numbers of samples of equal cost."""

    def with_samples(self, recorded: Mapping[str, Any], learned: Mapping[str, ArmUse]) -> "LoadedStudy":
        """Return the study with the samples of equal cost decided; see ``equal_samples``."""
        decided = decide_samples(self.arms, self.outlook, recorded, learned)
        if not decided:
            return self
        arms = with_samples(self.arms, decided)
        outlook, content = self.outlook.with_arms(arms), content_of(self.study, arms, self.digest)
        return self._replace(
            arms=arms,
            outlook=outlook,
            estimate=outlook.total(self.study.repeats),
            content=content,
            fingerprint=fingerprint_of(content),
            samples=decided,
        )

    @property
    def instances(self) -> int:
        """The number of deliberations."""
        return sum(self.estimate.deliberations.values())

    @property
    def is_rehearsal(self) -> bool:
        """True if scripted models take part."""
        return any(arm.panel.is_rehearsal for arm in self.arms)

    def entered(self) -> EnteredStudy:
        """Return the study as the ledger takes it, without its rows."""
        arms = tuple(
            EnteredArm(arm.name, arm.protocol, arm.kind.spec.workflow_type, arm.models, template)
            for arm, template in zip(self.arms, self._templates(), strict=True)
        )
        about: Content = {"title": self.study.title, "dataset": self.study.dataset.path.name}
        return EnteredStudy(self.study.name, self.fingerprint, self.content, self.is_rehearsal, arms, about)

    def rows(self) -> Iterator[EnteredRow]:
        """Yield the rows as the ledger takes them, read anew."""
        for row in self._again():
            kept: dict[str, JsonValue] = {**row.extra, **row.layers}
            yield EnteredRow(row.row_id, row.number, row.line, row.question, row.expected, kept)

    def prepared(self) -> Iterator[EnteredInstance]:
        """Yield all deliberations in their order, with the differences to their arm's template."""
        templates = self._templates()
        for row, where, at in self._places():
            arm = self.arms[at]
            shown = shown_row(self.study, row, where.repeat)
            whole = self.files.keep(build_input(self.study, arm, shown.row, where.repeat, self.means), arm, row)
            yield EnteredInstance(
                **where._asdict(),
                row_id=row.row_id,
                arm=arm.name,
                title=str(whole["title"]),
                changes=differences(templates[at], whole),
                estimate=self.outlook.of(arm, row),
                shown_options=shown.shown_options,
            )

    def lacking(self, there: Container[str]) -> "LoadedStudy":
        """Return the study with the estimate of the deliberations alone whose ids are not in ``there``."""
        new = ((self.arms[at].name, row) for row, where, at in self._places() if where.deliberation_id not in there)
        return self._replace(estimate=self.outlook.total_of(new))

    def _places(self) -> Iterator[tuple[StudyRow, InstanceId, int]]:
        """Yield every deliberation in its order: its row, its id, and the place of its arm."""
        for row in self._again():
            for repeat in range(1, self.study.repeats + 1):
                for at, arm in enumerate(self.arms):
                    yield row, instance_id(self.study, len(self.arms), row, (at, arm.name), repeat), at

    def _templates(self) -> list[dict[str, Any]]:
        first = shown_row(self.study, self.first, 1).row
        built = ((build_input(self.study, arm, first, 1, self.means), arm) for arm in self.arms)
        return [self.files.keep(whole, arm, self.first) for whole, arm in built]

    def examples(self) -> Iterator[tuple[Arm, DeliberationInput]]:
        """Yield for every arm the inputs of the first row, and of the rows whose files ask most of a model."""
        for arm in self.arms:
            for row in (self.first, *self.heaviest):
                whole = build_input(self.study, arm, row, 1, self.means)
                yield arm, arm.kind.spec.input.model_validate(whole)

    def digest_of(self, rows: int) -> str:
        """Return the hash of the first ``rows`` rows, as the content of a study of so many has it."""
        digest = RowDigest()
        for row in islice(self._again(), rows):
            digest.add(row)
        return digest.sha256

    def _again(self) -> Iterator[StudyRow]:
        seen = RowDigest()
        for row in self.source.again({one.line for one in self.rejected}):
            seen.add(row)
            yield row
        if seen.sha256 != self.digest.sha256:
            raise RequestError(changed_message(self.source.dataset))


def load_study(path: str, overrides: Overrides, settings: Settings) -> LoadedStudy:
    """Read and check the study file at ``path``, or the study that ``overrides`` hold over the dataset there.

    Nothing is written and nothing is asked.
    """
    return check_study(read_study(path, overrides), settings)


def check_study(study: StudyFile, settings: Settings) -> LoadedStudy:
    """Check ``study``, whose paths are absolute, and read its dataset once."""
    if study.providers is not None:
        settings = settings.with_providers_of_a_study(study.providers)
    providers = Providers.of(settings)
    is_private, price = settings.encryption_keys is not None, providers.token_price
    means = Means(queues=providers.queues, private=is_private, salt="", token_price=price)
    return _checked(study, settings, means, providers)


def _checked(study: StudyFile, settings: Settings, means: Means, providers: Providers) -> LoadedStudy:
    arms = arms_of(study, providers.panels)
    _try(study, arms, means)
    source = _source(study)
    digest, outlook, doubts = RowDigest(), StudyEstimator(arms, providers.price), Doubts(study, arms)
    heaviest, first, rejected = HeaviestRows(), None, []
    for row in source.read(lambda row: why_refused(study, arms, row, means)):
        if isinstance(row, RejectedRow):
            rejected.append(row)
            continue
        first = first or row
        digest.add(row)
        outlook.count(row)
        doubts.count(row)
        heaviest.count(row)
    if rejected and not study.dataset.skip_bad:
        raise RequestError(rejected_message(source.dataset, rejected))
    if first is None:
        raise RequestError(f"{str(source.dataset.path)!r} has no row that can be used, so there is nothing to run")
    _refuse_too_many(digest.rows, study, arms)
    content, estimate = content_of(study, arms, digest), outlook.total(study.repeats)
    return LoadedStudy(
        study=study,
        arms=arms,
        settings=settings,
        source=source,
        digest=digest,
        first=first,
        rejected=tuple(rejected),
        estimate=estimate,
        doubts=doubts.sentences(estimate.unpriced),
        content=content,
        fingerprint=fingerprint_of(content),
        means=means,
        outlook=outlook,
        files=KeptFiles(AttachmentStore.of(settings)),
        heaviest=heaviest.rows,
    ).with_samples({}, {})


def _source(study: StudyFile) -> RowSource:
    dataset = Dataset.at(study.dataset.path, study.dataset.format, study.dataset.layout)
    return RowSource(dataset, ColumnMapping(study.dataset, study.reading, dataset.columns()), study.dataset.span)


def _try(study: StudyFile, arms: tuple[Arm, ...], means: Means) -> None:
    """Refuse options that fit no row, once and not row by row."""
    probe = StudyRow(0, 1, "1", _PROBE, None, {}, dict.fromkeys(study.dataset.layers, _PROBE))
    for arm in arms:
        try:
            build_input(study, arm, probe, 1, means)
        except RequestError as error:
            raise RequestError(f"arm {arm.name!r}: {error}") from None


def _refuse_too_many(rows: int, study: StudyFile, arms: tuple[Arm, ...]) -> None:
    number = rows * study.repeats * len(arms)
    if number > MOST_INSTANCES:
        raise RequestError(
            f"{rows:,} rows x {len(arms)} arms x {study.repeats} repeats are {number:,} deliberations, more than "
            f"{MOST_INSTANCES:,}; hold the dataset in parts: --limit A-B with another --name"
        )
