"""What mail programs write round a letter, by language: one row each (C4, B2). For a new language, add a row.

Every cell is a list of words or phrases separated by `|`, in any case. The columns:

    wrote      verbs of an attribution: On Tuesday, Bob *wrote*:
    opens      how an attribution begins, so that one over several lines is recognised as a whole
    sender     the label of the sender in a quoted block of headers: *From*: Bob
    labels     the other labels of such a block: *Sent*, *To*, *Subject*
    forwarded  how the line above a forwarded or original mail ends, apart from dashes and a colon
    phone      how a signature begins that the program adds by itself: *Sent from* my phone
    away       how the subject of an automatic answer begins: *Out of office*
"""

from typing import Final, NamedTuple


class Phrases(NamedTuple):
    """The phrases of one language; the module's docstring explains the columns."""

    wrote: str
    opens: str
    sender: str
    labels: str
    forwarded: str
    phone: str
    away: str


LANGUAGES: Final[dict[str, Phrases]] = {
    "English": Phrases(
        wrote="wrote|writes",
        opens="on",
        sender="from",
        labels="sent|date|to|cc|bcc|subject|reply-to|importance",
        forwarded="begin forwarded message|forwarded message|original message|original appointment",
        phone="sent from|sent via|sent with|get outlook for|outlook for android|outlook for ios|download outlook",
        away="automatic reply|auto-reply|autoreply|auto reply|auto:|autoresponse|auto-response|out of office"
        "|out of the office",
    ),
    "German": Phrases(
        wrote="schrieb|schreibt|geschrieben",
        opens="am",
        sender="von",
        labels="gesendet|datum|an|cc|kopie|betreff|antwort an",
        forwarded="anfang der weitergeleiteten nachricht|ursprüngliche nachricht|originalnachricht"
        "|weitergeleitete nachricht",
        phone="von meinem|gesendet von|gesendet mit|diese nachricht wurde von meinem|outlook für"
        "|holen sie sich outlook",
        away="automatische antwort|abwesenheitsnotiz|abwesend:|automatisch generierte antwort|abwesenheitsmeldung",
    ),
    "French": Phrases(
        wrote="a écrit|écrit",
        opens="le",
        sender="de|expéditeur",
        labels="envoyé|envoyé le|date|à|cc|objet|répondre à",
        forwarded="début du message réexpédié|début du message transféré|message d'origine|message original"
        "|message transféré",
        phone="envoyé de|envoyé depuis|envoyé à partir|obtenez outlook|obtenir outlook|télécharger outlook",
        away="réponse automatique|absence du bureau|message d'absence|absent du bureau",
    ),
    "Spanish": Phrases(
        wrote="escribió|ha escrito|escribe",
        opens="el",
        sender="de|remitente",
        labels="enviado|enviado el|fecha|para|cc|asunto",
        forwarded="inicio del mensaje reenviado|mensaje original|mensaje reenviado",
        phone="enviado desde|enviado con|obtener outlook|obtenga outlook|descargar outlook",
        away="respuesta automática|fuera de la oficina|fuera de oficina",
    ),
    "Italian": Phrases(
        wrote="ha scritto|scrive|scriveva",
        opens="il|in data",
        sender="da|mittente",
        labels="inviato|data|a|cc|oggetto",
        forwarded="inizio messaggio inoltrato|messaggio originale|messaggio inoltrato",
        phone="inviato da|inviato dal|ottieni outlook|scarica outlook",
        away="risposta automatica|fuori sede|fuori ufficio",
    ),
    "Dutch": Phrases(
        wrote="schreef|geschreven",
        opens="op",
        sender="van|afzender",
        labels="verzonden|datum|aan|cc|onderwerp",
        forwarded="begin doorgestuurd bericht|oorspronkelijk bericht|doorgestuurd bericht",
        phone="verstuurd vanaf|verzonden vanaf|verzonden met|verstuurd met|outlook voor|download outlook",
        away="automatisch antwoord|afwezigheidsbericht|niet aanwezig:",
    ),
    "Portuguese": Phrases(
        wrote="escreveu",
        opens="em|no dia",
        sender="de|remetente",
        labels="enviado|enviada|enviado em|enviada em|data|para|cc|assunto",
        forwarded="início da mensagem reencaminhada|início da mensagem encaminhada|mensagem original"
        "|mensagem encaminhada",
        phone="enviado do|enviado de|enviado a partir|enviado pelo|obter o outlook|obtenha o outlook",
        away="resposta automática|fora do escritório",
    ),
    "Swedish": Phrases(
        wrote="skrev",
        opens="den",
        sender="från|avsändare",
        labels="skickat|datum|till|kopia|ämne",
        forwarded="vidarebefordrat brev|vidarebefordrat meddelande|ursprungligt meddelande|originalmeddelande",
        phone="skickat från|hämta outlook|skaffa outlook",
        away="autosvar|automatiskt svar|frånvaromeddelande",
    ),
    "Danish and Norwegian": Phrases(
        wrote="skrev|skreiv|følgende",
        opens="den|på",
        sender="fra|afsender|avsender",
        labels="sendt|dato|til|cc|kopi|emne",
        forwarded="start på videresendt besked|videresendt meddelelse|oprindelig meddelelse|oprindelig besked"
        "|videresendt melding|opprinnelig melding",
        phone="sendt fra|hent outlook|få outlook",
        away="automatisk svar|fraværende:",
    ),
    "Polish": Phrases(
        wrote="pisze|napisał(a)|napisał|napisała|napisana przez",
        opens="w dniu|dnia|wiadomość napisana",
        sender="od|nadawca",
        labels="wysłano|wysłane|data|do|dw|temat",
        forwarded="początek przekazywanej wiadomości|wiadomość oryginalna|oryginalna wiadomość"
        "|wiadomość przekazana dalej|przekazana wiadomość",
        phone="wysłane z|wysłano z|pobierz outlook|pobierz program outlook",
        away="automatyczna odpowiedź|autoodpowiedź|odpowiedź automatyczna",
    ),
    "Russian": Phrases(
        wrote="пишет|написал(а)|написал|написала",
        opens="в|on",
        sender="от|от кого|отправитель",
        labels="отправлено|дата|кому|копия|тема",
        forwarded="начало переадресованного сообщения|исходное сообщение|пересылаемое сообщение"
        "|пересланное сообщение|конец пересылаемого сообщения",
        phone="отправлено с|отправлено из|скачать outlook|получить outlook",
        away="автоматический ответ|автоответ",
    ),
    "Japanese": Phrases(
        wrote="書きました|のメール|のメッセージ",
        opens="on",
        sender="差出人|送信者|from",
        labels="送信日時|送信日|日時|日付|宛先|件名",
        forwarded="転送されたメッセージ|元のメッセージ|転送メッセージ",
        phone="iphoneから送信|ipadから送信|androidから送信|outlook for ios を入手|outlook for android を入手",
        away="自動応答|自動返信|不在通知",
    ),
    "Chinese": Phrases(
        wrote="写道|寫道",
        opens="在|於",
        sender="发件人|寄件者|寄件人",
        labels="发送时间|日期|收件人|主题|抄送|寄件日期|收件者|主旨",
        forwarded="转发的邮件|原始邮件|轉寄的郵件|原始郵件",
        phone="发自我的|從我的|获取 outlook|取得 outlook",
        away="自动回复|自動回覆",
    ),
    "Korean": Phrases(
        wrote="작성|썼습니다",
        opens="on",
        sender="보낸 사람|보낸사람",
        labels="보낸 날짜|날짜|받는 사람|받는사람|제목",
        forwarded="원본 메시지|원본 메일|전달된 메시지",
        phone="나의 iphone에서 보냄|내 iphone에서 보냄",
        away="자동 회신|자동 응답",
    ),
    "Czech and Slovak": Phrases(
        wrote="napsal|napsala|napsal(a)|napísal|napísal(a)",
        opens="dne|dňa",
        sender="od|odesílatel|odosielateľ",
        labels="odesláno|odoslané|datum|komu|kopie|předmět|predmet",
        forwarded="původní zpráva|přeposlaná zpráva|pôvodná správa",
        phone="odesláno z|odoslané z|získat outlook",
        away="automatická odpověď|automatická odpoveď",
    ),
    "Finnish": Phrases(
        wrote="kirjoitti",
        opens="on",
        sender="lähettäjä",
        labels="lähetetty|päivämäärä|päiväys|vastaanottaja|kopio|aihe",
        forwarded="välitetty viesti|alkuperäinen viesti",
        phone="lähetetty|hanki outlook",
        away="automaattinen vastaus",
    ),
    "Hungarian": Phrases(
        wrote="ezt írta|írta",
        opens="on",
        sender="feladó",
        labels="elküldve|dátum|címzett|másolatot kap|tárgy",
        forwarded="továbbított üzenet|eredeti üzenet",
        phone="iphone-ról küldve|küldve az",
        away="automatikus válasz",
    ),
    "Romanian": Phrases(
        wrote="a scris",
        opens="în|pe",
        sender="de la",
        labels="trimis|data|către|subiect",
        forwarded="mesaj redirecționat|mesaj original",
        phone="trimis de pe|trimis din",
        away="răspuns automat",
    ),
    "Turkish": Phrases(
        wrote="şunu yazdı|şunları yazdı|yazdı",
        opens="on",
        sender="gönderen|kimden",
        labels="gönderildi|gönderme tarihi|tarih|kime|konu",
        forwarded="yönlendirilen ileti|özgün ileti|iletilmiş mesaj",
        phone="iphone'umdan gönderildi|android için outlook|ios için outlook",
        away="otomatik yanıt",
    ),
    "Ukrainian": Phrases(
        wrote="пише|написав|написала|написав(-ла)",
        opens="від",
        sender="від|відправник",
        labels="надіслано|дата|кому|копія|тема",
        forwarded="переслане повідомлення|вихідне повідомлення",
        phone="надіслано з",
        away="автоматична відповідь",
    ),
    "Greek": Phrases(
        wrote="έγραψε",
        opens="στις",
        sender="από",
        labels="στάλθηκε|ημερομηνία|προς|θέμα",
        forwarded="προωθημένο μήνυμα|αρχικό μήνυμα",
        phone="στάλθηκε από",
        away="αυτόματη απάντηση",
    ),
}


def every(column: str) -> tuple[str, ...]:
    """The phrases of one column in all languages, casefolded, longest first, each once."""
    found = {phrase.casefold() for row in LANGUAGES.values() for phrase in getattr(row, column).split("|")}
    return tuple(sorted(found, key=lambda phrase: (-len(phrase), phrase)))


def by_letter(column: str, at: int) -> dict[str, tuple[str, ...]]:
    """The same phrases by their first (`at` 0) or last (`at` -1) letter: a line is compared only with the few that
    begin or end as it does."""
    phrases = every(column)
    letters = {phrase[at] for phrase in phrases}
    return {letter: tuple(phrase for phrase in phrases if phrase[at] == letter) for letter in letters}
