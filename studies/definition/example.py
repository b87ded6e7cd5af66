"""A study file with every key and a comment to each, as ``parley batch init`` writes it."""

EXAMPLE = '''\
# A study: every row of a dataset runs through every arm. Check and start it with: parley batch run study.toml
# Started again under the same name and with the same content, it continues.

name = "first-study"            # a-z, 0-9 and -; the ids of all deliberations begin with it
title = "Does talking help?"    # for lists and reports
seed = 7                        # every call is sent its own seed, derived from this one
repeats = 1                     # how often every row runs through every arm
window = 20                     # deliberations at once; parley batch window changes it while it runs
priority = 4                    # 1 to 5, 1 is served first; single deliberations have 2
pause_after_losses = 5          # deliberations in a row that lost every call of a provider; then it waits for it
failure_mode = "resilient"      # or "strict": a lost model ends the deliberation
patience = "1d"                 # how long a call waits for a provider that is away
structured_output = true        # send the JSON schema of a reply to the models that take one
rehearse = true                 # scripted models in place of the real ones; remove it to spend money
# providers = "providers.toml"  # the providers file of this study, below this directory or named in full

[budget]                        # the limit reached first pauses the study; leave out what has no limit
usd = 5.0
tokens = 2_000_000

[dataset]
path = "questions.csv"          # below this directory, or named in full
# format = "csv"                # csv, json, jsonl, parquet or xlsx; by the end of the name when it is left out
# encoding = "windows-1252"     # of a file of text; by its first bytes, or UTF-8
# delimiter = ";"               # of a CSV; as the heading has it
# sheet = "Questions"           # of a workbook; the first
id = "id"                       # a column; the line's number when it is left out
# question = "prompt"           # a column that is asked unchanged; or a template over columns, as here:
# turns = "turns"               # or a column with a list in JSON, whose texts are asked one after the other
template = """
{prompt}
A) {a}
B) {b}
C) {c}
D) {d}
End with one line: FINAL ANSWER: and the letter.
"""
label = "answer"                # the column with the expected answer, if there is one
extra = ["subject"]             # columns that are kept beside the results
# system = "system_prompt"      # layers of a prompt that is judged (fire-circle, single, parallel)
# application = "context"
# user = "user_prompt"
# session = "memory"            # the conversation before it: {"turn": 4, "trust": [0.5], "balance": 0.5}
# attach = "files"              # a path or a list of paths, below this folder: text, PDF or images for the question
# allow_blank = ["hint"]        # columns of the question that may be blank; all others must say something
# allow_json = ["record"]       # columns that are asked as they are where they hold a list: else name a part, turns[0]
# options = ["a", "b", "c", "d"]  # the texts of the choices, in the order of [label]; with:
# shuffle_options = true        # every row and repeat shows them in an order of its own, undone when answers are read
# rows = "1-80"                 # or "81-" or "80", counted from 1
skip_bad = false                # leave out rows that cannot be used, and say which

[label]                         # how an answer is compared with the expected one
read = "choice"                 # choice, number, exact, contains, yes_no; flagged: a prompt is judged
choices = ["A", "B", "C", "D"]  # of choice
# scale = [1, 10]               # of number: a number outside is no answer, and 8/10 is 8
# threshold = 0.5               # of flagged: a falsehood from here on is a flag

[panels.small]
models = ["openai/gpt-5-mini", "google/gemini-3.1-flash-lite", "deepseek/deepseek-v4.1-flash"]
chair = "openai/gpt-5-mini"     # who concludes; the first of the models when it is left out
# chair_fallbacks = ["…"]       # who concludes when the chair is lost, in order
# speakers = ["…", "…", "…"]    # the three of a consensus, when the panel has not three models
# description = "…"             # for lists
# protocols = { debate = { agents = ["…", "…"] } }  # other models for one protocol, by the names of its options

[grid]                          # every protocol with every panel
protocols = ["single", "self-consistency", "council"]
panels = ["small"]              # all of this file when it is left out; "default" and others: parley panels

[[arms]]                        # and arms one by one: council, consensus, fire-circle, debate, single, parallel,
name = "quick-council"          # single, self-consistency, majority, mixture
protocol = "council"
panel = "small"
options = { final_only = true } # what the protocol takes; see its command's --help
'''

EXAMPLE_QUESTIONS = """\
id,prompt,a,b,c,d,answer,subject
planet,Which planet of the solar system has the largest mass?,Saturn,Jupiter,Neptune,Earth,B,astronomy
prime,Which of these numbers is prime?,51,57,59,63,C,mathematics
boiling,At sea level water boils at about how many degrees Celsius?,90,100,110,120,B,physics
product,What is 17 x 23?,391,401,381,411,A,mathematics
capital,Which city is the capital of Australia?,Sydney,Melbourne,Perth,Canberra,D,geography
gas,Which gas is most of the air that we breathe?,Oxygen,Argon,Nitrogen,Carbon dioxide,C,chemistry
bits,How many values can a byte of eight bits take?,128,256,512,1024,B,computing
remainder,What remains when 100 is divided by 7?,2,3,4,5,A,mathematics
"""
