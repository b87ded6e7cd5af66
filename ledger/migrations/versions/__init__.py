"""One file per revision of the books, oldest first."""
