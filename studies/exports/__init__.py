"""Exports: tables of a study's deliberations, calls and scores, as files, as Arrow tables and as Inspect logs."""
