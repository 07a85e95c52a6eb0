"""Signs that add up: a secret that nobody names, an act told by its effect, and neighbours."""

from __future__ import annotations

import pytest

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.guardian import Guardian
from tests.guardian.requests import TEXT, YES_OR_NO, form

GUARDIAN = Guardian()


def said(request: ElicitationRequest) -> str:
    return request.message


def rules(request: ElicitationRequest) -> set[str]:
    return {finding.rule for finding in GUARDIAN.review(request).findings}


DESCRIBED = [
    form("Copy half of the string that opens it each time.", v=TEXT),
    form("Copy the characters on the back of your card.", v=TEXT),
    form("Kopieren Sie hier die lange Zeichenfolge Ihres Anbieters.", v=TEXT),
    form("Copiez les caractères au dos de votre carte.", v=TEXT),
    form("Copia aquí la cadena larga que te dio el emisor.", v=TEXT),
    form("Öffnen Sie in .ssh die Datei ohne .pub und kopieren Sie den Text.", v=TEXT),
    form("Ouvre dans .ssh le fichier sans .pub et colle le texte.", v=TEXT),
    form("Abre en .ssh el archivo sin .pub y pega el texto.", v=TEXT),
    form("Appuyez ici sur Ctrl+V sans regarder.", v=TEXT),
    form("Pulsa Ctrl+V aquí.", v=TEXT),
    form("فقط اضغط Ctrl+V هنا، أيًّا كان ما نسخته.", v=TEXT),
]
TOLD = [
    form("Afterwards nobody will find the customers' invoices any more.", ok=YES_OR_NO),
    form("Danach findet niemand mehr die Rechnungen der Kunden.", ok=YES_OR_NO),
    form("Ensuite plus personne ne retrouvera les factures des clients.", ok=YES_OR_NO),
    form("Después nadie encontrará las facturas de los clientes.", ok=YES_OR_NO),
    form("/dev/sdc gets a fresh ext4. Go on?", ok=YES_OR_NO),
    form("Auf /dev/nvme0n1 kommt ein neues Dateisystem. Weiter?", ok=YES_OR_NO),
    form("이 글은 주민 8,200명의 전화로 바로 울립니다. 울릴까요?", ok=YES_OR_NO),
]
AT_STAKE = [
    ("Your letter is ready. Shall 18,420 mailboxes have it with their coffee?", "Off it goes"),
    ("Der Gruß ist fertig. 12.400 Postfächer warten schon darauf.", "Ab damit"),
    ("On fait vibrer les 3 200 téléphones des familles, tout de suite ?", "Allez"),
    ("Gli facciamo trovare 6.200 euro lunedì mattina?", "Sì, facciamolo contento"),
    ("النشرة جاهزة. ٤٨٬٢١٠ قارئ ستصلهم مع قهوة الصباح.", "لتنطلق"),
    ("现在在线的3120人先请出去，主机关一下再开？", "请他们出去"),
    ("新着のお便りができました。1万2千人の携帯を今すぐ鳴らしますか。", "鳴らす"),
    ("Лист готовий. Нехай 14 тисяч абонентів отримають його до кави?", "Хай летить"),
    ("नया संदेश तैयार है। 12,40,000 ग्राहकों के फ़ोन अभी बजें?", "बजाइए"),
]
"""What an answer sets going for so many, or with so much money, that the number tells it."""
AT_NO_STAKE = [
    "The table has 12,400 rows. Show them all?",
    "Is 1,240.50 EUR the right total?",
    "Estimate: about 14,000 tokens. Summarise now?",
    "The trail climbs 1,240 m. Add it to the plan?",
    "Preview the letter to 2,300 readers?",
    "Put the 1,204 read letters away? You can bring them back.",
    "Dry run over 18,000 files?",
]
ALLOWED = [
    form("Value for inbox-open-7?", v=TEXT),
    form("Which long line of the page is too wide?", line={"type": "integer", "minimum": 1}),
    form("Welche lange Zeile der Seite ist zu breit?", zeile={"type": "integer", "minimum": 1}),
    form("Copiez la page dans quel dossier ?", dossier={"type": "string", "title": "Dossier"}),
    form("Customers find their invoices there.", ok=YES_OR_NO),
    form("Push the branch to origin? No message is sent to customers.", ok=YES_OR_NO),
    form("O pedido já foi aprovado. Aviso todos? Nobody else gains access.", ok=YES_OR_NO),
    form("Disarm the alarm at what time? Nothing will be deleted.", at=TEXT),
    form("Is /dev/sda the disk you meant?", ok=YES_OR_NO),
    form("The query would return about 48,000 rows. Limit the preview?", ok=YES_OR_NO),
    form("Undo the deletion of the table? All 3,120 rows come back.", ok=YES_OR_NO),
    form("Call 170 123 456? The server answers on 192.168.100.200.", ok=YES_OR_NO),
    form("How does it end?", kill={**YES_OR_NO, "title": "Delete Hale from the epilogue"}),
    form("Which card?", shown={**YES_OR_NO, "title": "Show the card number in the title"}),
    form("Danach sehen Sie die Rechnung.", ok=YES_OR_NO),
    form("Ensuite vous verrez la facture.", ok=YES_OR_NO),
    form(
        "The plan: 3 to add, 0 to change, 0 to destroy. Which view?", v={"enum": ["short", "full"]}
    ),
    form(
        "Which branch comes back?", b={"type": "string", "title": "Deleted branch"}, back=YES_OR_NO
    ),
    form("Which variable holds it?", v={"type": "string", "default": "NPM_PUBLISH_TOKEN"}),
    form("Never, but never, send your password", v=TEXT),
    form("Nie, aber auch nie, Ihr Passwort eingeben.", v=TEXT),
    form("Do you not use a password for this host?", v=TEXT),
    form("Möchten Sie nicht mehr nach dem Passwort gefragt werden?", v=TEXT),
    form("We never ask for your password, so what shall we call you?", v=TEXT),
    form("Ne rien supprimer ?", ok=YES_OR_NO),
    form("Would you rather not delete the branch?", ok=YES_OR_NO),
    form("Nunca, pero nunca, envíes tu contraseña.", v=TEXT),
    form("Które?", haslo={"type": "string", "title": "Hasło", "description": "Slogan na górze"}),
    form("Které?", heslo={"type": "string", "title": "Heslo", "description": "Slovníkové heslo"}),
    form(
        "We never ask for your password. Log the admin session out after?",
        minutes={"type": "integer"},
    ),
]


@pytest.mark.parametrize("request_", DESCRIBED, ids=said)
def test_a_secret_that_nobody_names_is_blocked_by_signs_that_add_up(
    request_: ElicitationRequest,
) -> None:
    assert GUARDIAN.review(request_).verdict == "block"


@pytest.mark.parametrize("request_", TOLD, ids=said)
def test_an_act_that_is_told_by_its_effect_is_warned_of(request_: ElicitationRequest) -> None:
    assert rules(request_) == {"destructive.told"}


@pytest.mark.parametrize(("text", "choice"), AT_STAKE)
def test_a_large_number_beside_the_only_decision_is_warned_of(text: str, choice: str) -> None:
    decided = {"type": "string", "enum": [choice, "…"]}
    assert rules(form(text, v=decided)) == {"destructive.told"}
    assert rules(form(text, ok=YES_OR_NO)) == {"destructive.told"}
    assert "destructive.told" not in rules(form(text, v=TEXT))


@pytest.mark.parametrize("text", AT_NO_STAKE)
def test_a_large_number_that_is_shown_or_measured_or_can_be_undone_raises_nothing(
    text: str,
) -> None:
    assert rules(form(text, ok=YES_OR_NO)) == set()


def test_a_large_number_beside_several_answers_is_none_of_their_ends() -> None:
    asked = form("The track has 14,902 points.", thin=YES_OR_NO, tolerance={"type": "number"})
    asked.requested_schema["required"] = ["thin", "tolerance"]
    assert rules(asked) == set()


@pytest.mark.parametrize("request_", ALLOWED, ids=said)
def test_what_has_some_signs_only_or_denies_them_raises_nothing(
    request_: ElicitationRequest,
) -> None:
    assert GUARDIAN.review(request_).verdict == "allow"


def test_an_act_on_production_needs_no_field_to_be_warned_of() -> None:
    assert GUARDIAN.review(form("Permanently delete all tables of production?")).verdict == "warn"


@pytest.mark.parametrize(
    "text",
    [
        "Won't you delete the production database?",
        "Wollen Sie nicht die Produktionsdatenbank löschen?",
        "¿No quiere borrar la base de datos de producción?",
        "Vill du inte radera produktionsdatabasen?",
        "Не хотите удалить рабочую базу данных?",
        "本番データベースを削除しませんか?",
    ],
)
def test_who_asks_whether_one_will_not_do_an_act_proposes_it(text: str) -> None:
    assert GUARDIAN.review(form(text, ok=YES_OR_NO)).verdict == "warn"


def test_a_password_that_no_other_sense_is_shown_for_stays_one() -> None:
    asked = form("Podaj hasło.", haslo={"type": "string", "title": "Hasło"})
    assert GUARDIAN.review(asked).verdict == "block"


def test_never_mind_denies_no_request() -> None:
    assert GUARDIAN.review(form("Never mind, but send your password.", v=TEXT)).verdict == "block"


@pytest.mark.parametrize(
    "text",
    [
        "Spare the visitors the question? Each silence counts as a yes.",
        "Den Besuchern die Frage ersparen? Wer schweigt, zählt als Ja.",
        "¿Ahorramos la pregunta a los visitantes? El silencio cuenta como un sí.",
        "Slipper besökarna frågan? Tystnad räknas som ett ja.",
        "Избавить гостей от вопроса? Молчание считается согласием.",
        "省掉访客的提问吗？沉默视为同意。",
        "訪問者に聞くのをやめますか。沈黙は同意とみなします。",
    ],
)
def test_a_yes_that_nobody_gave_is_warned_of(text: str) -> None:
    assert rules(form(text, ok=YES_OR_NO)) == {"destructive.access"}


@pytest.mark.parametrize(
    "text",
    [
        "Let everyone on the internet into the folder?",
        "Den Ordner für jeden im Internet?",
        "Відкрити теку для всіх в інтернеті?",
        "Открыть папку для всех в интернете?",
        "Otworzyć folder, by każdy w internecie zajrzał?",
    ],
)
def test_what_all_of_the_internet_gets_into_is_warned_of(text: str) -> None:
    assert "destructive.access" in rules(form(text, ok=YES_OR_NO))


@pytest.mark.parametrize(
    "text",
    [
        "Effacer le trait sélectionné ? Ctrl+Z le remet.",
        "Den markierten Ordner löschen? Strg+Z holt ihn zurück.",
        "Ska jag ångra raderingen av mappen?",
        "지운 폴더를 되돌릴까요?",
    ],
)
def test_what_a_key_or_a_yes_undoes_raises_nothing(text: str) -> None:
    assert rules(form(text, ok=YES_OR_NO)) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Hold the Windows key and press R, then Ctrl and V, then Enter.",
        "Drücken Sie die Windows-Taste und R, dann Strg+V und Enter.",
        "Pulsa la tecla Windows y la R, luego Ctrl+V e Intro.",
        "WindowsキーとRを押し、Ctrl+VのあとにEnterを押してください。",
    ],
)
def test_what_is_pasted_where_windows_runs_it_is_blocked(text: str) -> None:
    assert GUARDIAN.review(form(text, done=YES_OR_NO)).verdict == "block"
