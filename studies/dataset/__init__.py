"""Datasets: records of the file formats a study reads."""
