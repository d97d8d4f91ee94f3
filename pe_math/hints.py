"""What a message says of a value that cannot be: how it looks, and which one may have been meant."""

import re
from collections.abc import Iterable
from difflib import get_close_matches


def hint(name: str, known: Iterable[str], *, always: bool = False) -> str:
    """Return which of ``known`` is nearest, as the end of a sentence; ``always`` however far it is.

    >>> hint("Llama-3.1-8", ["llama-2-7b", "llama-3.1-8b"]), hint("bert", ["mpt-7b"])
    ('; did you mean llama-3.1-8b?', '')
    """
    by_lower_case = {one.lower(): one for one in known}
    cutoff = 0.0 if always else 0.5
    nearest = get_close_matches(name.lower(), by_lower_case, n=1, cutoff=cutoff)
    return f"; did you mean {by_lower_case[nearest[0]]}?" if nearest else ""


def shown(value: object, longest: int = 80) -> str:
    """Return ``value`` in one line, cut where it is long, even if its class fails to say what it is.

    >>> shown("fast"), shown("fast", longest=3)
    ("'fast'", "'fa…")
    """
    try:
        text = re.sub(r"\s*\n\s*", " ", repr(value))
    except Exception:  # whatever another's class raises; Python itself refuses to write very long integers
        return f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= longest else f"{text[:longest]}…"
