"""Yes, no and "I will not" in languages other than English, in which a persona may answer.

From common knowledge of Spanish, French, German, Italian, Portuguese, Russian, Arabic, Japanese, Chinese and Korean.
All is written as `personae.coding.text.squeeze` leaves it.
"""

from __future__ import annotations

import re

YES = frozenset(
    """sí claro si oui ouais ja jawohl doch sim da да ага نعم أجل はい ええ うん 是
    是的 对 對 对的 會 会的 嗯 네 예 응 그래 그렇습니다 hai""".split()  # noqa: SIM905
)
"""Whole answers that say yes."""
NO = frozenset(
    """nein nee nö non não нет неа niet لا كلا いいえ いや 違います 不 不是 否
    没有 不对 不會 不会 아니요 아니오 아뇨 아니 아닙니다""".split()  # noqa: SIM905
)
"""Whole answers that say no; "no" itself is also Spanish and Italian."""

_PATTERNS = {
    "Spanish": r"""
        \bno\s(?:puedo|podr[ií]a|debo|voy\sa|me\ses\sposible|soy\scapaz|quiero
          |deseo)\b[^.!?;]{0,60}?\b(?:responder\w*|contestar\w*
          |ayudar\w*|elegir\w*|decir\w*|dar\w*|participar|opinar|asignar|evaluar\w*|juzgar\w*|calificar\w*|hacer\w*
            |proporcionar\w*
          |cumplir|generalizar|asociar\w*|escoger\w*|completar)\b
      | \b(?:prefiero\sno|me\sniego\sa|no\ses\sapropiado|no\sme\ssiento\sc[oó]mod[oa]|como\s(?:una?\s)?(?:ia
        |inteligencia\sartificial|modelo\sde\slenguaje))\b
    """,
    "French": r"""
        \bje\sne\s(?:peux|pourrais|puis|veux|souhaite|vais|suis\spas\sen\smesure)\b[^.!?;]{0,60}?(?:r[ée]pondre|aider
          |choisir|dire|donner
          |participer|[ée]valuer|juger|attribuer|noter|faire|associer|fournir|g[ée]n[ée]raliser|classer|accepter|de\b)
      | \bje\s(?:pr[ée]f[èe]re\sne\spas|refuse\sde|d[ée]cline)\b | \bil\s(?:n'est\spas
        |ne\sserait\spas)\s(?:appropri[ée]|possible)
      | \ben\stant\squ(?:e\s|')(?:une?\s)?(?:ia|intelligence\sartificielle|mod[èe]le\sde\slangage|assistant)
    """,
    "Italian": r"""
        \bnon\s(?:posso|potrei|voglio|intendo|sono\sin\sgrado\sdi|me\sla\ssento\sdi)\b[^.!?;]{0,60}?\b(?:rispondere
          |aiutar\w*|scegliere
          |dire|dare|partecipare|valutare|giudicare|assegnare|fare|fornire|associare|generalizzare|soddisfare)
      | \b(?:preferisco\snon|mi\srifiuto\sdi)\b | \bcome\s(?:un'?\s?)?(?:ia|intelligenza\sartificiale
        |modello\slinguistico)\b
    """,
    "Portuguese": r"""
        \bn[ãa]o\s(?:posso|poderia|quero|vou|devo|consigo|sou\scapaz\sde
          |me\ssinto\sconfort[áa]vel)\b[^.!?;]{0,60}?\b(?:responder
          |ajudar|escolher|dizer|dar|participar|avaliar|julgar|atribuir|fazer|fornecer|associar|generalizar
            |classificar|atender|com\b)
      | \b(?:prefiro\sn[ãa]o|recuso-me|me\srecuso)\b | \bcomo\s(?:uma?\s)?(?:ia|intelig[êe]ncia\sartificial
        |modelo\sde\slinguagem)\b
    """,
    "Russian": r"""
        \bя\sне\s(?:могу|буду|хочу|стану|вправе|готов\w*|в\sсостоянии)\b | \bне\sмогу\s(?:ответить|помочь|выбрать
          |сказать|дать|оценить)
      | \b(?:отказываюсь|предпочитаю\sне|предпоч[её]л\w*\sбы\sне)\b | \bкак\s(?:ии|искусственный\sинтеллект
        |языковая\sмодель)\b
    """,
    "Arabic": r"""
        (?:لا\s(?:أستطيع|يمكنني|أقدر|أريد|أود|أرغب)|لن\s(?:أجيب|أختار|أقوم|أستطيع)|ليس\sبإمكاني|لست\sقادر|أعتذر\sعن
          |أرفض|أفضل\sعدم|أفضل\sألا)
      | (?:بصفتي|كوني|باعتباري)\s(?:نموذج|ذكاء|مساعد)
    """,
    "Japanese": r"""
        (?:お答え|回答|お手伝い|お応え|選択|選ぶこと|評価|判断|お力|対応|提供|応じること)[^。！？]{0,12}(?:できません|できかねます|いたしかねます|しかねます|控え|遠慮)
      | (?:答え|選べ|言え|応じられ|決められ)ません | (?:拒否|お断り|辞退)(?:し|いた)?(?:ます|させ|する)
      | (?:ai|人工知能|言語モデル)(?:として|なので|ですので)
    """,
    "Chinese": r"""
        (?:我|很抱歉|抱歉|对不起|對不起)[^。！？]{0,12}(?:不能|无法|無法|不便|不愿|不願|不会|不會|没法|拒绝|拒絕)[^。！？]{0,12}(?:回答|协助|協助|帮助|幫助|帮|选择|選擇
          |提供|评价|評價|评分|判断|判斷|完成|参与|满足|回应|给出|分配|做出)
      | (?:无法|不能)(?:回答|协助|选择|提供|评价|评分|判断) |
        (?:作为|作為|身为)(?:一个|一個|一名)?(?:ai|人工智能|语言模型|語言模型|人工智慧)
    """,
    "Korean": r"""
        (?:답변|대답|도와|도움|선택|평가|판단|말씀|제공|응답|고르)[^.!?]{0,14}(?:수\s?없|드리기\s?어렵|하지\s?않겠|거절|못\s?합니다|못\s?하겠)
      | (?:거절|거부)(?:하겠|합니다|할게) | (?:ai|인공지능|언어\s?모델)(?:로서|이기\s?때문|이라서)
    """,
}


def refusal_patterns() -> list[tuple[str, re.Pattern[str]]]:
    """How an answer declines in each language, by the name of the language."""
    return [(f"declines, in {name}", re.compile(pattern, re.VERBOSE)) for name, pattern in _PATTERNS.items()]
