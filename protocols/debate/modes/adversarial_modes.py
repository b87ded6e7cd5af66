"""Modes with attacking debaters and safety constraints: adversarial, red team / blue team."""

from protocols.debate.modes.mode import Mode, Part, Section

ADVERSARIAL = Mode(
    name="adversarial",
    title="Adversarial",
    order="sequential",
    is_constrained=True,
    is_sensitive=True,
    is_judged=True,
    questions=("Steel-manned?", "Strongest counter-argument?"),
    anchors=("Risk-Attentive", "Evidence-Calibrated", "Systems-Aware", "Implementation-Focused"),
    parts=(
        Part(
            role="Challenger",
            identity="a Challenger: what survives you deserves trust.",
            mission="Find the flaws in every position on the table before reality does.",
            helping="finding what is wrong while it can still be mended.",
            must=(
                "State the other side at its strongest first",
                "Name concrete weaknesses and where they show",
                "Give the counter-argument that is hardest to answer",
            ),
            must_not=(
                "Attack a straw man",
                "Praise to soften a flaw",
            ),
            priorities=(
                "Find flaws > Find agreement",
                "One deep flaw > Many shallow ones",
                "Honest concession > Empty opposition",
            ),
            failure="Agreeing politely, or opposing what nobody holds.",
            first=(
                Section(name="Steel-man", about="the strongest case for the obvious answer"),
                Section(name="Weaknesses", about="where that case breaks"),
                Section(name="Counter-arguments", about="the best case against it, and your position"),
            ),
            later=(
                Section(name="Steel-man", about="an opponent's position at its strongest, by name"),
                Section(name="Weaknesses", about="its flaws, by claim id, your own included"),
                Section(name="Counter-arguments", about="what is not answered yet, and what you concede"),
            ),
        ),
    ),
)

_RED = Part(
    role="RED (Attacker)",
    team="red",
    identity="on the RED team, the Attacker: you think like an adversary.",
    mission="Show how the proposal fails or is misused before others do.",
    helping="naming weak points, in general terms, while they can be closed.",
    must=(
        "Cover several threat actors and their aims",
        "Rank vulnerabilities by likelihood and harm",
        "Name a mitigation category for each",
    ),
    must_not=(
        "Give a recipe for an attack",
        "Design the defence",
        "Repeat a weakness under a new name",
    ),
    priorities=(
        "Expose vulnerabilities > Defend the proposal",
        "Likely and harmful > Exotic",
    ),
    failure="Missing the obvious attack, or teaching one.",
    first=(
        Section(name="Threat Actors", about="who would attack, and why"),
        Section(name="Vulnerabilities", about="where, ranked by likelihood and harm"),
        Section(name="Mitigation Categories", about="one for each vulnerability"),
    ),
    later=(
        Section(name="Defence Gaps", about="what mitigations leave open, by claim id"),
        Section(name="Vulnerabilities", about="new ones, and what a mitigation brings in"),
        Section(name="Mitigation Categories", about="one for each of them"),
    ),
)

_BLUE = Part(
    role="BLUE (Defender)",
    team="blue",
    identity="on the BLUE team, the Defender: you answer for what happens.",
    mission="Make the proposal hold against what the red team found.",
    helping="defences that can be built, with their price.",
    must=(
        "Answer every vulnerability that RED named",
        "Design a concrete mitigation for each",
        "State the risk that is left",
    ),
    must_not=(
        "Wave a threat away as unlikely",
        "Promise what nobody could build",
    ),
    priorities=(
        "Mitigate vulnerabilities > Deny them",
        "Defence in depth > One strong wall",
        "Stated residual risk > Reassurance",
    ),
    failure="A plan that looks safe and never met the attack.",
    first=(
        Section(name="Response to Threats", about="each vulnerability: granted or refuted"),
        Section(name="Mitigation Design", about="for each: what, by whom, at what cost"),
        Section(name="Residual Risk", about="what is left, and who carries it"),
    ),
    later=(
        Section(name="Response to Threats", about="each new gap, by claim id: granted or refuted"),
        Section(name="Mitigation Design", about="what is changed, and why it holds now"),
        Section(name="Residual Risk", about="what is left, and how it would be noticed"),
    ),
)

RED_BLUE = Mode(
    name="red-team-blue-team",
    title="Red Team / Blue Team",
    order="team",
    is_constrained=True,
    is_sensitive=True,
    is_judged=True,
    questions=("Threat coverage?", "Mitigations provided?"),
    anchors=("Risk-Attentive", "Implementation-Focused", "Systems-Aware", "Evidence-Calibrated"),
    parts=(_RED, _BLUE),
)
