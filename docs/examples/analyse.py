"""Read the exported results of a study with pandas: `parley export night-one -o night-one.parquet` writes them."""

import json

import pandas as pd

rows = pd.read_parquet("night-one.parquet").set_index("arm")
print(rows.groupby("arm")[["tokens", "cost_usd", "seconds"]].mean().round(4))
votes = rows.votes.dropna().map(json.loads)  # votes, quorum and extra are JSON
print(votes.map(lambda one: one.get("counts")).dropna().groupby("arm").first().to_dict())
scores = rows.scores.explode().dropna()  # a list of name and value
print(scores.str[1].astype(float).groupby([scores.index, scores.str[0]]).mean().round(3).to_string())
