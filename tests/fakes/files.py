"""Small real files: a PNG image of one colour, and PDF files with a line of text on each page."""

import io
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

from pypdf import PdfReader, PdfWriter


def png(side: int = 4) -> bytes:
    """Return a red square of ``side`` pixels."""
    rows = (b"\0" + b"\xff\0\0" * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    parts = (struct.pack(">I", len(data)) + kind + data + _sum(kind + data) for kind, data in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def pdf(pages: Sequence[str], password: str | None = None) -> bytes:
    """Return a PDF file with these lines, one on each page."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    bodies = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    bodies.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for at, line in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({line}) Tj ET"
        box = "/MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
        bodies.append(f"<< /Type /Page /Parent 2 0 R {box} /Contents {5 + 2 * at} 0 R >>")
        bodies.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    whole, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(whole))
        whole += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"trailer << /Size {len(bodies) + 1} /Root 1 0 R >>\nstartxref\n{len(whole)}\n%%EOF\n"
    plain = whole + f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{table}{end}".encode()
    return plain if password is None else _locked(plain, password)


KINDS = ("png", "jpeg", "gif", "webp")


def image(kind: str, width: int, height: int) -> bytes:
    """Return the beginning of an image of that kind and size, as far as its header goes."""
    if kind == "png":
        return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    if kind == "gif":
        return b"GIF89a" + struct.pack("<HH", width, height)
    if kind == "webp":
        return b"RIFF" + struct.pack("<I4s4sI", 30, b"WEBP", b"VP8 ", 10) + bytes(6) + struct.pack("<HH", width, height)
    application, table = b"\xff\xe0\x00\x04ab", b"\xff\xff\xdb\x00\x05abc"
    return b"\xff\xd8" + application + table + b"\xff\xc2\x00\x0b\x08" + struct.pack(">HH", height, width)


def written(folder: Path, name: str, content: bytes) -> Path:
    """Write ``content`` into a new file of ``folder`` and return its path."""
    path = folder / name
    path.write_bytes(content)
    return path


def _locked(plain: bytes, password: str) -> bytes:
    writer, kept = PdfWriter(clone_from=PdfReader(io.BytesIO(plain))), io.BytesIO()
    writer.encrypt(password)
    writer.write(kept)
    return kept.getvalue()


def _sum(data: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(data))
