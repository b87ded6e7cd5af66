"""The seven modes as rows of one table: ``mode`` is the type of a row, ``table`` has all of them, from a TOML file."""
