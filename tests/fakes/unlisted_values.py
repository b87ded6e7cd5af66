"""A module that is on no list."""

GREETING = "hello"
