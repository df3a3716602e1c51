"""Reads message catalogues (`.mo`) of programs: English messages and their translations. Not
responsible for what is made of them."""

import gettext
import re
from pathlib import Path

PLACEHOLDER = re.compile(r"%[-+#0-9.*]*(?:\$?[-+#0-9.*]*)?(?:l|ll|z|h)?[a-zA-Z]|%\(\w+\)[a-z]|\{\w*\}|%\d|<[^>]*>")
FOLDERS = ("ja", "zh_CN", "ko", "ru", "de", "fr", "es")


def clean(message: str) -> str:
    """Returns a message without placeholders, marks of keys and line breaks."""
    message = PLACEHOLDER.sub(" ", message.split("\x04")[-1])
    message = re.sub(r"\(_?&?_?[A-Za-z]\)|\((?:_|&)\w\)", "", message)
    message = re.sub(r"(?<![A-Za-z0-9])[_&](?=\w)|(?<=\w)_(?=\w)(?=[a-z]+(?: |$))", "", message)
    return " ".join(message.split()).strip(" :.…")


def usable(message: str) -> bool:
    """Whether a message is a phrase and not a format, a name or a path."""
    letters = sum(character.isalpha() for character in message)
    return 4 <= len(message) <= 300 and letters >= 0.6 * len(message) and "\\" not in message


def read_catalogues(root: Path) -> dict[str, list[str]]:
    """Returns English message -> its translations, over all catalogues below a folder."""
    found: dict[str, list[str]] = {}
    for folder in FOLDERS:
        for path in sorted(root.glob(f"**/{folder}/LC_MESSAGES/*.mo")):
            try:
                with open(path, "rb") as stream:
                    catalogue = gettext.GNUTranslations(stream)._catalog
            except (OSError, UnicodeDecodeError, ValueError):
                continue
            for source, target in catalogue.items():
                if not isinstance(source, str) or not source:
                    continue
                source, target = clean(source), clean(target)
                if usable(source) and 2 <= len(target) <= 300 and source != target:
                    row = found.setdefault(source, [])
                    if target not in row and len(row) < 8:
                        row.append(target)
    return found
