"""Cheap words of two kinds: sensitive topics (decision 2, tier 2), and words that hazards are written in (tier 1).

The tables are data. In them ``*`` stands for any ending, ``_`` for a blank or a hyphen. A word decides nothing by
itself: it calls the safety evaluator. A word too many costs one call, a word too few leaves a turn unjudged where
nothing else called the evaluator. Beside English the hazards know the common words of German, French and Spanish;
a topic in another language calls no evaluator unless high stakes or a vulnerable audience are declared.
"""

import re
from collections.abc import Mapping
from typing import Literal

from protocols.debate.model.turn import HazardKind

Topic = Literal["security", "medical", "legal"]

_TOPICS: Mapping[Topic, str] = {
    "security": """
        cyber* malware ransomware spyware phishing botnet* hack hacks hacked hacking hacker* exploits zero_day*
        backdoor* vulnerabilit* penetration_test* pentest* pen_test* password* credentials firewall* encrypt*
        decrypt* cryptograph* authenticat* ddos sql_injection* rootkit* data_leak* data_breach* intrusion_detection
        surveillance bioweapon* bio_weapon* weapon* explosive* terroris* sabotage espionage identity_theft fraud*
        security
    """,
    "medical": """
        medical* medicine* medication* clinic clinics clinical* clinician* diagnos* therap* patients disease*
        illness* cancer* tumor* tumour* vaccin* surger* surgical* surgeon* drug drugs dosage* dosing overdos*
        prescribe* prescribing prescription* symptom* hospital hospitals hospitalis* hospitaliz* physician* doctor
        doctors nurse nurses nursing psychiatr* suicid* self_harm* mental_health public_health health_care
        healthcare pharma* antibiotic* epidemi* pandemic* pregnan* abortion* euthanasia opioid* insulin diabet*
        chemotherap* anesthe* anaesthe* eating_disorder*
    """,
    "legal": """
        legal* illegal illegally lawyer* attorney* lawsuit* litigat* lawful* unlawful* statute* statutory legislat*
        courtroom* in_court liabilit* liable supreme_court* high_court* federal_court* district_court*
        criminal_court* civil_court* appeal_court* appeals_court* prosecut* defendant* criminal_law* civil_law*
        labour_law* labor_law* tax_law* contract_law* family_law* patent_law* privacy_law* copyright_law*
        international_law* plaintiff* indict* copyright* patent patents patented patentable gdpr hipaa jurisdiction*
        custody divorce* immigration asylum tort torts negligence jury juries juror* judicia* felon* misdemeanor*
        misdemeanour* sentencing parole subpoena* testif* perjury regulatory_compliance crime* criminal*
    """,
}
_OTHER_SECURITY = re.compile(r"\b(?:social|food|job)\s+security\b", re.IGNORECASE)

_HAZARDS: Mapping[HazardKind, str] = {
    "exploit_steps": """
        exploit exploits exploiting payload* shellcode malware ransomware spyware keylogger* rootkit* trojan*
        backdoor* botnet* phishing zero_day* reverse_shell* sql_injection* brute_force* privilege_escalation
        msfvenom sqlmap hashcat mimikatz stolen_credential* stolen_password* steal steals stealing password_hash*
        hack_into hacking_into break_into_an* break_into_someone* break_into_their breaking_into intrusion*
        sabotage* network_attack* cyber_attack* cyberattack* deepfake* counterfeit* forged forging fake_id fake_ids
        skimming skimmer* identity_theft launder* smuggl* bomb bombs pipe_bomb* explosive* detonat* thermite
        gunpowder ammonium_nitrate nitroglycerin nerve_agent* sarin ricin anthrax chlorine_gas mustard_gas phosgene
        toxin* poison poisons poisoning pathogen* weapon weapons weaponi* bioweapon* ghost_gun* meth meth_lab*
        methamphetamine* fentanyl precursor* drug_synthesis kill_my kill_him kill_her kill_someone kill_people
        murder* self_harm* hurt_myself hurt_yourself kill_myself suicide_method* overdose_on sprengstoff* bombe
        bomben schadsoftware giftstoff* giftgas* explosif* bombes explosivo* bomba bombas veneno*
    """,
    "safeguard_evasion": """
        bypass_the bypass_a bypass_any bypass_content bypass_filter* bypass_moderation bypass_safety bypass_security
        bypassing circumvent* evade evades evading evasion jailbreak* undetect* untraceab* avoid_detection
        avoiding_detection without_being_detected without_getting_caught without_being_caught without_being_noticed
        without_being_traced get_away_with get_past_the slip_past sneak_past get_around_the defeat_the disable_the
        disabling_the cover_your_tracks covering_tracks hide_from_the hidden_from_the antivirus does_not_notice
        will_not_notice fool_the trick_the obfuscat* umgehung* unentdeckt contourner eludir evadir
    """,
    "manipulation": """
        blackmail* extort* gaslight* groom_him groom_her groom_them groom_a_child grooming stalk stalks stalking dox
        doxx* doxing coerc* intimidat* threaten threatens threatening manipulate manipulates manipulating
        psychological_pressure feel_guilty isolate_him isolate_her isolate_them insecurities prey_on play_on_his
        play_on_her play_on_their radicali* impersonat* lure lures luring i_will_publish i_will_expose
        have_you_deleted erpress* chantage chantaj* manipuler manipular
    """,
    "harassment": """
        idiot idiots idiotic moron* imbecile* scum pathetic worthless vermin subhuman* retard retards retarded
        dumbass* asshole* bastard* kill_yourself kys go_die drink_bleach hope_you_die find_you hunt_you hurt_you
        kill_you you_are_stupid harass* humiliat* slur slurs dehumani* insult* abusive untermensch* abschaum
        vollidiot* connard* gilipollas imbécil*
    """,
}


def _compiled(table: str) -> re.Pattern[str]:
    words = (re.escape(word).replace("_", r"[\s-]+").replace(r"\*", r"\w*") for word in table.split())
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


_TOPIC_WORDS = {topic: _compiled(words) for topic, words in _TOPICS.items()}
_HAZARD_WORDS = {kind: _compiled(words) for kind, words in _HAZARDS.items()}


def topics(question: str) -> tuple[Topic, ...]:
    """Return the sensitive topics that ``question`` touches."""
    asked = _OTHER_SECURITY.sub("", question)
    return tuple(topic for topic, words in _TOPIC_WORDS.items() if words.search(asked))


def alerts(text: str) -> tuple[HazardKind, ...]:
    """Return the kinds of hazard whose words occur in ``text``."""
    return tuple(kind for kind, words in _HAZARD_WORDS.items() if words.search(text))
