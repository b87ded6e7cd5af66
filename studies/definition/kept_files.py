"""The attached files of a study: stored when it is entered, and checked by the rows that have most of them."""

from typing import Any

from parley.attached import AttachedFile
from protocols.attachments import attached_tokens
from runtime.attachment_store import AttachmentStore
from studies.definition.column_mapping import StudyRow
from studies.definition.grid import Arm


class KeptFiles:
    """The contents of attached files, those of an arm stored once."""

    def __init__(self, store: AttachmentStore) -> None:
        self._store = store
        self._of_arms: dict[str, str] = {}

    def keep(self, whole: dict[str, Any], arm: Arm, row: StudyRow) -> dict[str, Any]:
        """Return the argument ``whole`` with the blobs of its attached files, stored now."""
        if not whole["attachments"]:
            return whole
        blobs = {file.ref.sha256: self._store.put(file.content) for file in row.files}
        blobs |= {file.ref.sha256: self._of_arm(file) for file in arm.options.attach}
        return {**whole, "attachments": [{**ref, "blob": blobs[ref["sha256"]]} for ref in whole["attachments"]]}

    def _of_arm(self, file: AttachedFile) -> str:
        if file.ref.sha256 not in self._of_arms:
            self._of_arms[file.ref.sha256] = self._store.put(file.content)
        return self._of_arms[file.ref.sha256]


class HeaviestRows:
    """The rows whose files ask most of a model, found while all rows are read."""

    def __init__(self) -> None:
        self._image: StudyRow | None = None
        self._longest: StudyRow | None = None

    def count(self, row: StudyRow) -> None:
        """Look at ``row``."""
        if self._image is None and any(file.ref.is_image for file in row.files):
            self._image = row
        if row.files and (self._longest is None or _tokens(row) > _tokens(self._longest)):
            self._longest = row

    @property
    def rows(self) -> tuple[StudyRow, ...]:
        """The first row with an image, and the one with most tokens of files."""
        return tuple(row for row in (self._image, self._longest) if row is not None)


def _tokens(row: StudyRow) -> int:
    return attached_tokens(file.ref for file in row.files)
