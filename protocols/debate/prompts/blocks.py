"""The texts of the layers: the seed's improvements P0 to P3, and the format of a turn.

The seed's lines stand word for word. Where its last consensus (section 9.2) changed them, the change stands in their
place: four permanent anchors instead of three examples.
"""

_EXAMPLE_CLAIM = """\
{"text": "Visits rise where a library opens on Sundays", "label": "INFER", "citations": [], "evidence": ["E1"],
  "supports": [], "opposes": ["C2"]}"""

_EXAMPLE = (
    """\
{"position": "Open the library on Sundays for one trial year.",
"reasoning": "{{header}}: Visits rise where a library opens on Sundays.[INFER] Staff is short.[ASSUME]",
"confidence": 0.72, "vote": "MINOR", {{own}}
"claims": ["""
    + _EXAMPLE_CLAIM
    + """],
"references": [], "alternatives": [{"text": "Longer evenings", "rejected_because": "they reach the same readers"}],
"risks": [{"text": "Nobody to staff it", "mitigation": "a paid rota"}], "challenges": ["C2"],
"steelman": "Sunday is the one day of rest that staff share.", "uncertainty": "Whether visits last beyond spring."}"""
)

_LITE_EXAMPLE = (
    """\
{"position": "Open the library on Sundays for one trial year.", "confidence": 0.72, "vote": "MINOR",{{own}}
"claims": ["""
    + _EXAMPLE_CLAIM
    + """], "references": []}"""
)

BLOCKS = {
    "epistemic": """\
=== EPISTEMIC LABELING ===

Label every substantive claim with ONE tag:
- [FACT] = directly verifiable; requires citation
- [INFER] = logical derivation from stated facts
- [ASSUME] = unverified premise or value choice
- [OPEN] = unsettled question

Format: "Your claim here.[FACT][1]"

Citation Rules:
- MANDATORY for [FACT] claims
- ENCOURAGED for [INFER] when relying on specific data
- [ASSUME] MUST NOT carry citations
- Never invent a source
""",
    "safety_constraints": """
=== SAFETY CONSTRAINTS ===

ALLOWED:
- High-level discussion of threats and vulnerabilities
- Identification of failure modes and misuse scenarios
- Proposing mitigations and safer designs

DISALLOWED:
- Step-by-step exploit instructions
- Guidance to evade security/safety safeguards
- Personalized manipulation or harassment

RULE: For each vulnerability, MUST propose >=1 mitigation.
{{rule}}""",
    "safety_red": """\
RED TEAM: name its category; BLUE designs it.
""",
    "safety_blue": """\
BLUE TEAM: design it for each category that RED names.
""",
    "withheld_turn": """
YOUR TURN OF ROUND {{round}} WAS WITHHELD from the other debaters: {{rule}}. Make its point again without that.
""",
    "withheld_exploit_steps": "the safety evaluator found step-by-step instructions for harm in it",
    "withheld_safeguard_evasion": "the safety evaluator found guidance to evade security or safety safeguards in it",
    "withheld_manipulation": "the safety evaluator found personalized manipulation or a threat in it",
    "withheld_harassment": "the safety evaluator found harassment in it",
    "withheld_other": "the safety evaluator found it to break the safety constraints",
    "withheld_unjudged": "it names dangers, and the safety evaluator could not judge it",
    "anti_conformity": """\
=== ANTI-CONFORMITY MECHANISM ===

PERSPECTIVE ANCHORS (assign per agent):
- Risk-Attentive: Safety, robustness, failure modes, adversarial scenarios, worst-case
- Implementation-Focused: Practicality, feasibility, cost, timeline, resource constraints
- Evidence-Calibrated: Data quality, uncertainty quantification, empirical grounding, confidence bounds
- Systems-Aware: Long-term effects, second-order consequences, ecosystem impact
YOUR PERMANENT ANCHOR: {{anchor}}
- Contribution intensity scales with topic relevance

UNIQUE CONTRIBUTION REQUIREMENT:
Before agreeing with consensus, MUST:
1. Identify >=1 concern/limitation NOT yet raised
2. Propose >=1 alternative approach (even if inferior)

STEELMAN-FIRST:
"Restate the proposal's strongest rationale before critiquing."

EVIDENCE-TETHERED DISSENT:
Disagreements must cite [FACT] conflicts or [INFER] gaps.
""",
    "exit_criteria": """\
=== EXIT CRITERIA ===

TERMINATE when ANY trigger fires:

1. CONSENSUS THRESHOLD:
   - >=80% agents vote ACCEPT or MINOR
   - Zero BLOCKER objections unresolved
   - All agents confidence >=0.70

2. CONVERGENCE PLATEAU:
   - <10% change across 2 consecutive rounds
   - No new [FACT] claims introduced

3. ROUND CAP:
   - Maximum rounds reached (default: 5-6): here {{cap}}

VOTE RUBRIC:
- ACCEPT = supports shipping as-is
- MINOR = acceptable with small edits
- BLOCKER = must change before acceptance
""",
    "high_stakes": """\
[] {{number}}. HIGH STAKES ({{categories}}): Scope boundaries, human approval gates, abort/rollback mechanisms?
""",
    "stakes_security": "Security/abuse potential",
    "stakes_medical_legal": "Medical/legal implications",
    "stakes_agentic": "Agentic execution with real-world effects",
    "stakes_safety_critical": "Real-time/safety-critical systems",
    "objection": """
=== CRITICAL OBJECTION ROUND ===
Agreement came too easily. Whatever you hold, MUST provide:
1. COUNTERARGUMENTS: >=1 claim that "opposes" what most hold
2. ALTERNATIVES: >=1 that nobody has proposed yet
3. NEW FACTS, cited, where there are any
Set your confidence anew.
""",
    "turn_format": """\
CITATION FORMAT, strict numeric only:
- Single: [1]
- Multiple: [1][2] or [1-3]
- Mandatory numbered References section at end

RESPONSE FORMAT, one JSON object and nothing else, "position" first. Always:
"position": what you hold yourself, in one or two sentences; no greeting, no role, no steel-man, no restated question
"reasoning": the headers above with tagged claims, then References
"confidence": a number from 0.0 to 1.0
"vote": "ACCEPT", "MINOR" or "BLOCKER"
{{own}}
Where they apply: "claims" (text of <= 30 tokens, label FACT, INFER, ASSUME or OPEN), "references" (number, text, url),
"alternatives" (>= 2), "risks" (3), "uncertainty", "steelman", "concerns", "reinforces", "challenges" and "retracts"
(ids of claims), "confidence_reason", "key_points" (2 or 3), "replies_to" (names). For example, on another topic:
{{example}}
""",
    "length": """
LENGTH: position at most 60 words, reasoning at most {{words}} words, at most {{claims}} claims and {{references}}
references. What is longer is cut where others are shown it.
""",
    "lite_format": """\
RESPONSE FORMAT, one JSON object and nothing else, with these fields alone:
"position": what you hold yourself, in one or two sentences; no greeting, no role, no steel-man, no restated question
"confidence": a number from 0.0 to 1.0
"vote": "ACCEPT", "MINOR" or "BLOCKER"
{{own}}"claims": at most three, each of <= 30 tokens with the label FACT, INFER, ASSUME or OPEN
"references": number, text and url of what the claims cite; [] where there is none
For example, on another topic:
{{example}}
""",
    "example": _EXAMPLE,
    "lite_example": _LITE_EXAMPLE,
    "own_stance": """\
"stance": "{{stance}}" (dealt, never another)""",
    "own_alignment": """\
"debate_alignment": your side in a word""",
    "own_answer": """\
"answer": "the final answer alone, in place of the last line that the topic asks for",""",
    "answer_field": """\
 "answer": "the final answer alone, in place of the last line that the topic asks for",
""",
    "vote_on_own": """\
=== THE VOTE ===
There is no motion yet: your vote is on your own position, and no agreement ends the debate.""",
    "vote_on_topic": """\
=== THE VOTE ===
Your vote is on the proposal in the topic. Parts are dealt here, so no agreement ends the debate: a judge decides.""",
    "motion": """\
=== THE MOTION, the group's present answer as round {{round}} left it ===
{{motion}}
Your vote is on this motion. If you vote ACCEPT or MINOR, repeat its wording as your "position", and behind it what you
would change, if anything. If you hold something else, state that: consensus is only what all who accept also hold.""",
}
"""Templates by their keys."""
