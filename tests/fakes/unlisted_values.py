"""A module that stands on no list."""

GREETING = "hello"
