"""Words that distinguish a refusal from an inability within an answer."""

import re

OF_REFUSALS = re.compile(
    r"\b(?:sorry|apolog\w{1,6}|as an? (?:ai|language model)|help|assist(?:ance)?|requests?"
    r"|pass on|guidelines?|polic(?:y|ies)|programming|principles"
    r"|comfortable with th(?:is|at)\b[.!]"
    r"|comfortable (?:helping|writing|creating|providing|discussing|doing)"
    r"|leid|entschuldig\w{1,4}|bedau(?:e)?re|helfen|behilflich|anfrage|désolée?|m'excuse|excuses|aider"
    r"|assister|demande"
    r"|siento|lamento|disculp\w{1,2}|perdón|ayudar\w{0,3}|asistir\w{0,2}|solicitud|petición|desculp\w|sinto muito"
    r"|ajud\w{1,3}|auxiliar|pedido|solicitação|dispiace|spiace|spiacente|scus\w{1,3}|aiutar\w{1,2}|assister\w{1,2}"
    r"|richiesta|spijt|sorry|helpen|verzoek|przykro|przepraszam|pomóc|извините|простите|жаль|сожалею|прошу прощения"
    r"|помочь|помогать|запрос)\b|抱歉|对不起|對不起|不好意思|作为|协助|協助|帮|幫|请求|請求|要求|満足您|满足您|您的"
    r"|申し訳|すみません|恐れ入り|ごめん|手伝い|要望|依頼|リクエスト|죄송|미안|도와|도움|요청|عذر|آسف|أعتذر|مساعد|üzgünüm|özür|yardım"
)
"""Regret, help, requests and rules: what a refusal speaks of, language by language."""

REASONS = re.compile(
    r"\b(?:harm\w{0,6}|illegal\w{0,5}|unlawful|unsafe|safety|unethical|ethic\w{0,4}|guidelines?|inappropriate"
    r"|offensive"
    r"|(?:content|usage|my|our) polic(?:y|ies)|hate(?:ful)?|explicit|sexual\w{0,5}|malicious|malware|violen\w{1,4}"
    r"|dangerous|weapons?|bombs?|explosives?|privacy|confidential|personal (?:data|information)"
    r"|discriminat\w{1,4}|defam\w{1,6}"
    r"|abus\w{1,4}|fraud\w{0,6}|hack\w{0,4}|programming|my (?:training|values|purpose))\b"
)
"""Words that a refusal has and an inability within an answer ("I cannot give the proof in one line") has not."""
