"""reveal.js, which shows HTML decks: fetched once from its npm package, checked, and kept.

The package is pinned by version and checksum, as npm itself pins it. What a deck needs of it is kept in the
user's cache folder; once it is there no network is needed.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from platformdirs import user_cache_path

from publish import folders

VERSION = "6.0.1"
PACKAGE = f"https://registry.npmjs.org/reveal.js/-/reveal.js-{VERSION}.tgz"
SHA512 = (
    "f5e69c02b34882a3b61c658e2bef77809367fa0bdd18355b4aafa2daedc96bd9"
    "23887a6cd1734ba606136536232911fdd6e5f2ddc9468a67868b0e2e9871bfb6"
)
STYLE, LICENSE = "dist/reveal.css", "LICENSE"
SCRIPTS = ("dist/reveal.js", "dist/plugin/notes.js")  # the second is the speaker's view
PATIENCE = 30.0  # seconds


def folder() -> Path:
    """Return the folder with reveal.js, fetched if it is not there yet.

    Raises `ValueError` that says what to do where it cannot be had.
    """
    cache = user_cache_path("clockhands")
    kept = cache / f"reveal.js-{VERSION}"
    if not kept.is_dir():
        try:
            with folders.workplace(cache, "reveal.js") as workplace:
                _unpack(_fetch(), workplace / VERSION)
                folders.put(workplace / VERSION, kept)
        except (OSError, HTTPException) as error:
            raise ValueError(
                f"an HTML deck needs reveal.js {VERSION} and cannot fetch {PACKAGE} ({error}); "
                "once is enough, so run this with a network, or make a deck with --to pptx"
            ) from error
    return kept


def _fetch() -> bytes:
    with urlopen(PACKAGE, timeout=PATIENCE) as answer:
        package: bytes = answer.read()
    if hashlib.sha512(package).hexdigest() != SHA512:
        raise OSError("what came is not that package: its checksum is another")
    return package


def _unpack(package: bytes, place: Path) -> None:
    """Write those files of ``package`` that a deck needs below ``place``."""
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        for name in (STYLE, *SCRIPTS, LICENSE):
            member = archive.extractfile(f"package/{name}")
            assert member is not None, f"{name} is a file of the package with that checksum"
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(member.read())
