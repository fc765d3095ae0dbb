"""Which licences may enter the corpus, and what licence a file of a package has.

Debian's machine-readable copyright format (DEP-5) names licences file by file; npm and PyPI
name one per package. A file enters only when its licence is known and permissive, and when its
own header names no other.
"""

import fnmatch
import re

PERMISSIVE = re.compile(
    r"^(expat|mit|x11|bsd|apache|psf|python|isc|zlib|bsl|boost|public[- ]domain|unlicense|the unlicense|"
    r"cc0|0bsd|curl|libpng|postgresql|blueoak|hpnd|go$)",
    re.IGNORECASE,
)
RESTRICTED = re.compile(
    r"gpl|mpl|epl|cddl|sspl|share-?alike|by-sa|-nc|non-?commercial|proprietary|busl|elastic|commons.clause",
    re.IGNORECASE,
)
RESTRICTED_WORDS = (
    "general public", "gpl", "mozilla public", "eclipse public", "cddl", "common development and distribution", "sspl",
    "business source", "busl", "elastic license", "cc-by-sa", "cc by-sa", "attribution-share", "commercial licen",
)


def is_permissive(licence: str) -> bool:
    """True when one alternative of the expression consists of permissive licences only."""
    for alternative in re.split(r"\s+(?:or|OR|Or)\s+|\s*\|\s*|/(?=[A-Z])", licence.strip().strip("()")):
        terms = [t.strip("() ,") for t in re.split(r"\s+and\s+|,", alternative, flags=re.IGNORECASE)]
        terms = [t for t in terms if t]
        if terms and all(PERMISSIVE.match(t) and not RESTRICTED.search(t) for t in terms):
            return True
    return False


def names_restricted(header: str) -> bool:
    """True when a file's head speaks of a licence that is not permissive."""
    header = header.lower()
    return any(word in header for word in RESTRICTED_WORDS) or re.search(r"\bmpl\b", header) is not None


class DebianCopyright:
    """A parsed debian/copyright: the licence of each path of the source package.

    The last stanza that matches wins, as the format says. Text that is not in the format has no
    stanzas, and then no file has a licence.
    """

    def __init__(self, text: str):
        self._stanzas: list[tuple[re.Pattern, str]] = []
        for paragraph in re.split(r"\n\s*\n", text):
            files = re.search(r"^Files:\s*(.*(?:\n[ \t]+.*)*)", paragraph, re.MULTILINE)
            licence = re.search(r"^License:\s*(.*)$", paragraph, re.MULTILINE)
            if not files or not licence:
                continue
            for pattern in files.group(1).replace(",", " ").split():
                translated = fnmatch.translate(pattern.removeprefix("./"))
                self._stanzas.append((re.compile(translated), licence.group(1).strip()))

    def licence_of(self, path: str) -> str:
        for pattern, licence in reversed(self._stanzas):
            if pattern.match(path):
                return licence
        return ""

    def strictest_of_installed(self, path: str) -> str:
        """The licence of an installed file, whose source path ends as the path does: one that is not permissive if any may apply."""
        parts = path.split("/")
        endings = ["/".join(parts[i:]) for i in range(len(parts))]
        found = [licence for pattern, licence in self._stanzas if any(pattern.match(e) for e in endings)]
        return next((licence for licence in found if not is_permissive(licence)), found[-1] if found else "")


def licence_of_npm(package_json: dict) -> str:
    licence = package_json.get("license") or ""
    return licence.get("type", "") if isinstance(licence, dict) else str(licence)


def licence_of_wheel(metadata: str) -> str:
    """The licence that a wheel's METADATA names: expression, short field or classifier."""
    header = metadata.split("\n\n", 1)[0]
    for field in ("License-Expression", "License"):
        found = re.search(rf"^{field}: (.{{1,60}})$", header, re.MULTILINE)
        if found and found.group(1).strip().upper() not in ("UNKNOWN", "") and is_permissive(found.group(1)):
            return found.group(1).strip()
    classifiers = re.findall(r"^Classifier: License :: (?:OSI Approved :: )?(.+)$", header, re.MULTILINE)
    return " and ".join(c.removesuffix(" License").strip() for c in classifiers)
