# Reads mails as receivers do. One JSON object {"file", "to", "from"} on each line of stdin gives one line of JSON: a list of what is wrong with that mail.
import json
import sys
from email import policy
from email.parser import BytesParser

# What the program writes, each once; anything else came from somebody's text.
ONCE = {"From", "To", "Subject", "Message-ID", "Date", "MIME-Version", "Content-Type", "Auto-Submitted"}
OF_A_PART = {"Content-Type", "Content-Transfer-Encoding"}
LONGEST_LINE = 998


def only(header, address):
    found = [one.addr_spec for one in header.addresses]
    return [] if found == [address] else [f"{header.name} is {found}, not {address}"]


def faults(raw, to, sender):
    found = [f"a line of {len(line)} bytes" for line in raw.split(b"\r\n") if len(line) > LONGEST_LINE]
    if b"\n" in raw.replace(b"\r\n", b"") or b"\r" in raw.replace(b"\r\n", b""):
        found.append("a line break of one character")
    mail = BytesParser(policy=policy.default).parsebytes(raw)
    for part in mail.walk():
        found += [f"defect: {defect!r}" for defect in part.defects]
        found += [f"defect in {name}: {defect!r}" for name, value in part.items() for defect in value.defects]
        if part is not mail:
            found += [f"header {name} of a part" for name in part.keys() if name not in OF_A_PART]
    names = mail.keys()
    found += [f"header {name}: {mail[name]!r}" for name in names if name not in ONCE]
    found += [f"{names.count(name)} headers {name}" for name in ONCE if names.count(name) != 1]
    if found:
        return found
    found += only(mail["To"], to) + only(mail["From"], sender)
    kinds = sorted(part.get_content_type() for part in mail.walk() if not part.is_multipart())
    return found if kinds == ["text/html", "text/plain"] else [*found, f"parts: {kinds}"]


def faults_unless_unreadable(raw, to, sender):
    try:
        return faults(raw, to, sender)
    except ValueError as error:
        return [f"it cannot be read: {error}"]


for line in sys.stdin:
    asked = json.loads(line)
    with open(asked["file"], "rb") as file:
        print(json.dumps(faults_unless_unreadable(file.read(), asked["to"], asked["from"])), flush=True)
