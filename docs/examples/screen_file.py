"""Screen the prompts of prompts.jsonl; a server, a worker and scripted models are started when none run."""

from parley import evaluate_prompts, read_prompts

prompts = read_prompts("prompts.jsonl").prompts
for found in evaluate_prompts(prompts, mode="single", run="nightly", rehearse=True):
    metrics = found.metrics
    print(found.name, found.outcome, metrics.sources if metrics else found.error)
