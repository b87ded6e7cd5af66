"""A model's text in characters that can be stored."""


def storable(text: str) -> str:
    """Return ``text`` without half characters and NULs, which no table can store, and blanks around it."""
    return text.encode("utf-8", "replace").decode().replace("\0", "").strip()
