"""The protocols, one line each.

A protocol has a package below ``protocols``, a workflow in ``workflows``, a specification here and its line in
``PROTOCOLS``. Everything else that differs between protocols is read from the specification.
"""

from parley.specs.table import Preset, ProtocolTable

PROTOCOLS = ProtocolTable(
    {
        "council": "Ask a council of models one question.",
        "consensus": "Have three models improve one answer until all accept it.",
        "fire-circle": "Have a circle of models judge a prompt in a dialogue.",
        "fire-circle-baseline": "Have one model, or several without a dialogue, judge a prompt.",
        "debate": "Have models debate a topic in rounds, in one of seven modes.",
        "vote": "Ask models one question, each several times, and count the answers.",
        "mixture": "Have layers of models improve their answers, and one aggregate them.",
    },
    presets={
        "single": Preset("vote", "Ask one model one question once."),
        "self-consistency": Preset("vote", "Ask one model one question several times, and count its answers."),
        "majority": Preset("vote", "Ask each model of a panel one question once, and count the answers."),
    },
)
"""The name of each protocol and its line in the help, and the presets that have a command."""
