"""Reports: a deliberation or a study as one HTML file."""
