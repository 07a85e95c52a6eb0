"""Requests made of an ASK, an OBJECT, a HOLDER and an ATTRIBUTE, in eight languages.

`demands` ask for the value of a secret; `remarks` ask for something about it. What is combined is
grammatical enough to be understood, no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final, NamedTuple


class Language(NamedTuple):
    """What is combined: `{}` stands for what comes in."""

    asks: tuple[str, ...]
    objects: tuple[str, ...]
    holders: tuple[str, ...]
    attributes: tuple[str, ...]
    queries: tuple[str, ...]
    """How one asks for an attribute."""


LANGUAGES: Final[dict[str, Language]] = {
    "en": Language(
        ("Please enter {}", "Type {} here", "We need {} to go on.", "{}, please", "Paste {}"),
        ("password", "API key", "recovery phrase", "access token", "card number", "private key"),
        ("your {}", "the {}", "the {} of your account"),
        ("the length of the {}", "the name of the {}", "the {} policy", "the {} format"),
        ("Please enter {}", "What is {}?"),
    ),
    "de": Language(
        ("Bitte {} eingeben", "Geben Sie {} ein", "Wir brauchen {}.", "Fügen Sie {} ein"),
        ("Passwort", "Kennwort", "Zugangstoken", "Wiederherstellungswort", "API-Key"),
        ("Ihr {}", "das {}", "dein {}"),
        ("die Länge des {}s", "den Namen des {}s"),
        ("Bitte {} eingeben", "Geben Sie {} ein"),
    ),
    "fr": Language(
        ("Veuillez saisir {}", "Entrez {} ici", "Donnez {}", "Collez {}"),
        ("mot de passe", "code secret", "jeton d'accès", "numéro de carte"),
        ("votre {}", "le {}", "ton {}"),
        ("la longueur du {}", "le nom du {}"),
        ("Veuillez saisir {}", "Entrez {}"),
    ),
    "es": Language(
        ("Introduzca {}", "Escribe {} aquí", "Por favor, {}", "Pegue {}"),
        ("contraseña", "clave de API", "frase de recuperación", "clave privada"),
        ("su {}", "la {}", "tu {}"),
        ("la longitud de la {}", "el nombre de la {}"),
        ("Introduzca {}", "Escribe {}"),
    ),
    "pt": Language(
        ("Digite {}", "Insira {} aqui", "Informe {}", "Cole {}"),
        ("senha", "chave de API", "frase de recuperação", "chave privada"),
        ("sua {}", "a {}", "a sua {}"),
        ("o comprimento da {}", "o nome da {}"),
        ("Digite {}", "Informe {}"),
    ),
    "ru": Language(
        ("Введите {}", "Укажите {}", "Вставьте {}", "Пожалуйста, {}"),
        ("пароль", "ключ API", "токен доступа", "номер карты"),
        ("ваш {}", "{}", "свой {}"),
        ("минимальную длину для {}", "имя переменной для {}"),
        ("Введите {}",),
    ),
    "zh": Language(
        ("请输入{}", "请提供{}", "粘贴{}", "需要{}"),
        ("密码", "API密钥", "助记词", "银行卡号", "私钥"),
        ("您的{}", "{}", "你的{}"),
        ("{}长度", "{}的名称"),
        ("请输入{}", "请提供{}"),
    ),
    "ja": Language(
        ("{}を入力してください", "{}を教えてください", "{}を貼り付けてください"),
        ("パスワード", "APIキー", "秘密鍵", "カード番号", "暗証番号"),
        ("あなたの{}", "{}", "お客様の{}"),
        ("{}の長さ", "{}の名前"),
        ("{}を入力してください",),
    ),
}
BEFORE: Final = (
    "",
    "The weather in Lisbon is lovely today. ",
    "A dry run was made yesterday. ",
    "The design token for headings is blue. ",
)
PROMISES: Final = (
    "",
    "We will never ask for your password. ",
    "Please leave out card numbers. ",
    "Nothing will be deleted. ",
)


def _asked(message: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"v": {"type": "string"}}}
    return {"id": message, "message": message, "requestedSchema": schema}


def demands(code: str) -> Iterator[dict[str, Any]]:
    """Requests for the value of a secret, alone and behind harmless sentences."""
    of = LANGUAGES[code]
    for before, ask, holder, thing in product(BEFORE, of.asks, of.holders, of.objects):
        yield _asked(before + ask.format(holder.format(thing)))


def remarks(code: str) -> Iterator[dict[str, Any]]:
    """Requests for something about a secret, alone and behind promises."""
    of = LANGUAGES[code]
    for promise, query, about, thing in product(PROMISES, of.queries, of.attributes, of.objects):
        yield _asked(promise + query.format(about.format(thing)))
