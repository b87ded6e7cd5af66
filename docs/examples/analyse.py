"""Read the exported results of a study with pandas: `parley export night-one -o night-one.parquet` writes them."""

import json

import pandas as pd

rows = pd.read_parquet("night-one.parquet")
print(rows.groupby("arm")[["tokens", "cost_usd", "seconds"]].mean().round(4))
print(json.loads(rows.votes.dropna().iloc[0]))  # votes, quorum and extra are JSON
print(dict(rows[rows.protocol == "council"].scores.iloc[0])["kendall_w"])  # a list of name and value
