"""Studies: many deliberations over the rows of a dataset."""
