"""Files that a user attaches, good ones and bad ones."""

import hashlib
from pathlib import Path

import pytest

from parley import attached
from parley.attached import AttachedFile, files_of, read_attached, stored
from parley.errors import RequestError
from protocols.attachments import image_tokens
from runtime.attachment_store import AttachmentStore
from tests.fakes.files import KINDS, image, pdf, png, written

BAD = {
    "empty": ("a.txt", b"", "is empty"),
    "blank": ("a.txt", b" \n", "has no text"),
    "a page of a server": ("a.pdf", b"<html>403</html>", "is named as pdf"),
    "an archive": ("a.docx", b"PK\x03\x04\xff", "save it as PDF or text"),
    "bytes": ("a.txt", bytes(range(1, 256)), "is not text in UTF-8"),
    "a NUL": ("a.txt", b"one\0two, three", "holds bytes that are no text"),
    "no page": ("a.pdf", pdf([]), "0 pages"),
    "a scan": ("a.pdf", pdf([""]), "without text"),
    "a password": ("a.pdf", pdf(["Tall."], "secret"), "needs a password"),
    "half a file": ("a.pdf", pdf(["Tall."])[:200], "save it anew"),
    "an unknown compression": (
        "a.pdf",
        pdf(["Tall."]).replace(b"<< /Length", b"<< /Filter /New /Length"),
        "save it anew",
    ),
    "an unknown encryption": (
        "a.pdf",
        pdf(["Tall."]).replace(b"/Root", b"/Encrypt << /Filter /New >> /Root"),
        "save it anew",
    ),
    "a compression of images": (
        "a.pdf",
        pdf(["Tall."]).replace(b"<< /Length", b"<< /Filter /JBIG2Decode /Length"),
        "cannot be read .DependencyError.; save it anew",
    ),
    "no text where text is": ("a.pdf", pdf(["Tall."]).replace(b"(Tall.)", b"1 0 R"), ".AssertionError.; save it anew"),
    "a list for a font": ("a.pdf", pdf(["Tall."]).replace(b"BT /F1", b"BT []"), ".TypeError.; save it anew"),
    "a number for a trailer": ("a.pdf", pdf(["Tall."]).replace(b"trailer <<", b"trailer -1"), "save it anew"),
    "a list for a trailer": ("a.pdf", pdf(["Tall."]).replace(b"trailer <<", b"trailer [1 0 R]"), "save it anew"),
}


@pytest.mark.parametrize(("name", "content", "said"), BAD.values(), ids=BAD)
def test_a_file_that_cannot_be_sent_is_refused(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    """One sentence names the file and the reason."""
    path = written(tmp_path, name, content)

    with pytest.raises(RequestError, match=said) as refused:
        read_attached(path)
    assert repr(str(path)) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A directory, a path without a file, a name that no file can have, and a blank one."""
    for path, said in (
        (tmp_path, "is a directory"),
        (tmp_path / "no.txt", "there is no file"),
        ("a\0b", "cannot be"),
        ("", "is blank"),
        (" ", "is blank"),
    ):
        with pytest.raises(RequestError, match=said):
            read_attached(path)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    """Its size is looked at first: 500 MB do not come into memory."""
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(500_000_000)

    with pytest.raises(RequestError, match="500,000,000 bytes, and at most 20,000,000"):
        read_attached(path)


def test_a_text_is_recognised_by_its_content(tmp_path: Path) -> None:
    """Any name does; the hash is that of the file, and UTF-16 is sent as UTF-8."""
    whole = "Größe: 324 m\n".encode("utf-16")
    read = read_attached(written(tmp_path, "notes.data", whole))

    assert ("notes.data", "text/plain", len(whole)) == (read.ref.name, read.ref.media_type, read.ref.size)
    assert hashlib.sha256(whole).hexdigest() == read.ref.sha256
    assert "Größe: 324 m\n" == read.content.decode()


def test_a_pdf_is_sent_as_the_text_of_its_pages(tmp_path: Path) -> None:
    """Each page has its number, so that it can be cited."""
    read = read_attached(written(tmp_path, "paper.pdf", pdf(["It is 324 m tall.", "Opened in 1889."])))

    assert (2, "application/pdf") == (read.ref.pages, read.ref.media_type)
    assert "[page 1]\nIt is 324 m tall.\n\n[page 2]\nOpened in 1889." == read.content.decode()


def test_a_page_without_text_is_named_among_others(tmp_path: Path) -> None:
    """A scanned page between pages with text is no blank page, and its text says that it was not read."""
    read = read_attached(written(tmp_path, "paper.pdf", pdf(["It is 324 m tall.", ""])))

    assert "\n\n[page 2]\n(no text could be read on this page)" in read.content.decode()


def test_an_image_is_sent_as_it_is(tmp_path: Path) -> None:
    """Its kind is what its bytes say, whatever its name says; it counts by its size."""
    read = read_attached(written(tmp_path, "chart.jpg", png()))

    assert ("image/png", 258, png()) == (read.ref.media_type, read.ref.tokens, read.content)


@pytest.mark.parametrize("kind", KINDS)
def test_the_images_that_providers_take_are_known(tmp_path: Path, kind: str) -> None:
    """By their first bytes; width and height are in the header, and decide what the image counts as."""
    read = read_attached(written(tmp_path, "a", image(kind, 3000, 500)))

    assert (f"image/{kind}", image_tokens(3000, 500)) == (read.ref.media_type, read.ref.tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_an_image_with_a_broken_header_is_refused(tmp_path: Path, kind: str) -> None:
    """Nothing is estimated of it, and a provider would refuse it after the start."""
    for broken in (image(kind, 3000, 500)[:-1], image(kind, 0, 500)):
        with pytest.raises(RequestError, match="is an image whose width and height cannot be read; save it anew"):
            read_attached(written(tmp_path, "a", broken))


def test_files_of_one_name_are_numbered(tmp_path: Path) -> None:
    """A model knows a file by its name, so two of the same name in different folders get different ones."""
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    files = files_of([written(folder, "notes.txt", f"Of {folder.name}.".encode()) for folder in folders])

    names = ["notes.txt", "notes.txt (2)", "notes.txt (3)"]
    assert [names, names] == [[one.ref.name for one in read] for read in (files, files_of(files))]


def test_files_are_refused_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many, one content twice, images that are too large one by one or together."""
    one, same = written(tmp_path, "one.png", png()), written(tmp_path, "same.png", png())
    other = written(tmp_path, "other.png", png(5))

    with pytest.raises(RequestError, match=r"'same.png' has the content of 'one.png'; attach it once"):
        files_of([one, same])
    with pytest.raises(RequestError, match=r"'one.png' is attached twice, with the same content; attach it once"):
        files_of([one, one])
    with pytest.raises(RequestError, match="21 files are attached, and at most 20"):
        files_of([one] * 21)
    monkeypatch.setattr(attached, "LARGEST_FILE", 100)
    with pytest.raises(RequestError, match="bytes together, and at most 100"):
        files_of([one, other])
    monkeypatch.setattr(attached, "LARGEST_IMAGE", 10)
    with pytest.raises(RequestError, match="an image may have 10; scale it down"):
        read_attached(one)


def test_a_name_cannot_leave_its_line(tmp_path: Path) -> None:
    """What would end a line or a mark in a request is a blank in the name that is shown."""
    assert "a b c.txt" == read_attached(written(tmp_path, 'a"\nb>c.txt', b"text")).ref.name


def test_the_contents_are_no_part_of_what_is_written_as_json(tmp_path: Path) -> None:
    """The identity of a study has hashes, not megabytes."""
    read = read_attached(written(tmp_path, "chart.png", png()))

    assert "" == read.model_dump(mode="json")["content"]
    assert read == AttachedFile.model_validate(read.model_dump())


def test_a_reference_gets_the_blob_of_its_content(tmp_path: Path) -> None:
    """What is sent is stored once under its digest, and comes back as it was."""
    read, store = read_attached(written(tmp_path, "notes.txt", b"Our notes.")), AttachmentStore(tmp_path / "blobs")

    (ref,) = stored([read.ref], [read], store.put)

    assert b"Our notes." == store.get(ref.blob)
    assert (ref,) == stored([read.ref], [read], store.put)
