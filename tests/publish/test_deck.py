"""Decks as a lecturer shows them: in a browser, in LibreOffice, and as PowerPoint reads them."""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pptx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manim_slides.config import PresentationConfig, SlideConfig
from PIL import Image
from playwright.sync_api import Browser

from publish import cli, reveal
from publish.decks import Deck, read_deck, split
from publish.engine import Failure
from publish.library import Library
from scenes.language import read_language
from scenes.stage import LectureScene
from tests.publish.browser import Visit, visit
from tests.publish.conftest import EN_DARK, Checkout, ended, give_words, wait_until
from tests.publish.studio import decode, draw_all, tiny_jobs
from tests.publish.tiny_lecture import WORDS, Second, Tiny

SCHEMAS = {
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
}
# Counts how often a clip has come to its end, and how often one began anew by itself.
COUNTER = """
window.ends = 0; window.loops = 0;
document.addEventListener("ended", () => ends++, true);
let last = 0;
document.addEventListener("timeupdate", ({ target }) => {
  if (target.loop && target.currentTime < last) loops++;
  last = target.currentTime;
}, true);
"""
CLIP = 'Reveal.getCurrentSlide().querySelector("video")'


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with films of two shots, and words for them."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("studio")
        patch.chdir(folder)
        give_words(patch)
        draw_all(tiny_jobs(Tiny, Second) + tiny_jobs(Tiny, look="zh-light"), Library(folder / "films"))
        yield folder


def deck_of(studio: Path, *shots: type[LectureScene], look: str = "en-dark") -> Deck:
    films = Library(studio / "films")
    return read_deck("deck", tiny_jobs(*shots, look=look), films, studio / "workplace" / look)


# In a browser


def show(browser: Browser, deck: Deck, folder: Path) -> Visit:
    (name,) = deck.write("html", folder, most_slides=1)
    shown = visit(browser, folder / name)
    shown.says(COUNTER)
    return shown


@pytest.mark.parametrize("look", ["en-dark", "zh-light"])
def test_a_deck_plays_its_clips_with_captions_and_asks_nobody_for_anything(
    browser: Browser, studio: Path, tmp_path: Path, look: str
) -> None:
    shown = show(browser, deck_of(studio, Tiny, look=look), tmp_path)
    captions = WORDS[look[:2]]["caption"]
    shown.until(f"{CLIP}.ended")
    assert shown.says(f"[{CLIP}.videoWidth, {CLIP}.muted]") == [854, True]
    assert shown.says(f"{CLIP}.currentTime") == pytest.approx(0.4, abs=0.07)
    assert shown.page.locator("section.present .caption").inner_text() == captions["there"]
    assert not shown.serious_violations()

    shown.page.keyboard.press("ArrowRight")
    shown.until("loops > 1")
    assert shown.page.locator("section.present .caption").inner_text() == captions["back"]
    loaded = shown.says(
        "[...document.fonts].filter(font => font.status === 'loaded').map(font => font.family)"
    )
    assert ("Noto Sans SC" in loaded) == (look == "zh-light")

    asked = [address for address in shown.requests if not address.startswith(("blob:", "data:"))]
    assert asked == [(tmp_path / "deck.html").as_uri()] and not shown.complaints


def test_going_back_to_a_slide_plays_it_from_its_start(
    browser: Browser, studio: Path, tmp_path: Path
) -> None:
    shown = show(browser, deck_of(studio, Tiny), tmp_path)
    shown.until(f"{CLIP}.ended")
    before = shown.says("ends")
    shown.page.keyboard.press("PageDown")
    shown.until(f"{CLIP}.loop && {CLIP}.currentTime > 0")
    shown.page.keyboard.press("PageUp")
    shown.until(f"ends > {before}")


def test_a_lecturer_can_pause_replay_and_hide_captions(
    browser: Browser, studio: Path, tmp_path: Path
) -> None:
    shown = show(browser, deck_of(studio, Tiny), tmp_path)
    caption = shown.page.locator("section.present .caption")
    shown.until(f"{CLIP}.ended")
    before = shown.says("ends")
    shown.page.keyboard.press("r")
    shown.until(f"ends > {before}")
    shown.page.keyboard.press("ArrowRight")
    shown.until("loops > 0")
    shown.page.keyboard.press("Space")
    assert shown.says(f"{CLIP}.paused")
    shown.page.keyboard.press("Space")
    assert not shown.says(f"{CLIP}.paused")
    assert caption.is_visible()
    shown.page.keyboard.press("c")
    assert not caption.is_visible()


@pytest.mark.parametrize(
    ("look", "names"), [("en-dark", ("Pause", "Play", "Captions")), ("zh-light", ("暂停", "播放", "字幕"))]
)
def test_a_finger_can_pause_and_hide_captions(
    browser: Browser, studio: Path, tmp_path: Path, look: str, names: tuple[str, str, str]
) -> None:
    (name,) = deck_of(studio, Tiny, look=look).write("html", tmp_path, most_slides=1)
    tablet = {"viewport": {"width": 1024, "height": 768}, "is_mobile": True, "has_touch": True}
    shown = Visit(browser, (tmp_path / name).as_uri() + "#/1", **tablet)
    pause, play, captions = (shown.page.get_by_role("button", name=each, exact=True) for each in names)
    shown.until(f"{CLIP}.currentTime > 0")
    pause.tap()
    assert shown.says(f"{CLIP}.paused")
    play.tap()
    assert not shown.says(f"{CLIP}.paused")
    for visible in (False, True):
        captions.tap()
        assert shown.page.locator("section.present .caption").is_visible() == visible
        assert captions.get_attribute("aria-pressed") == str(visible).lower()
    for button in shown.page.locator(".buttons button").all():
        box = button.bounding_box()
        assert button.is_visible() and box and min(box["width"], box["height"]) >= 24
    assert not shown.serious_violations()


def test_buttons_take_the_keys_of_buttons_and_a_click_leaves_them_to_the_slides(
    browser: Browser, studio: Path, tmp_path: Path
) -> None:
    shown = show(browser, deck_of(studio, Tiny), tmp_path)
    caption = shown.page.locator("section.present .caption")
    shown.page.keyboard.press("ArrowRight")
    shown.until("loops > 0")
    shown.page.locator("#captions").focus()
    shown.page.keyboard.press("Space")
    assert not caption.is_visible() and not shown.says(f"{CLIP}.paused")
    shown.says("document.activeElement.blur()")
    shown.page.locator("#captions").click()
    shown.page.keyboard.press("Space")
    assert caption.is_visible() and shown.says(f"{CLIP}.paused")
    assert shown.page.locator("#pause").get_attribute("aria-label") == "Play"


def test_a_page_is_called_what_its_shots_are(studio: Path) -> None:
    words = read_language("zh")
    assert deck_of(studio, Tiny, look="zh-light").title == words.phrase(["Tiny"], "title").text
    assert deck_of(studio, Tiny, Second).title == WORDS["en"]["title"], "both are called so"


# For PowerPoint


def test_each_clip_in_powerpoint_starts_by_itself_with_poster_and_notes(studio: Path, tmp_path: Path) -> None:
    (name,) = deck_of(studio, Tiny).write("pptx", tmp_path, most_slides=30)
    slides = list(pptx.Presentation(str(tmp_path / name)).slides)
    frames = decode(studio / "films" / EN_DARK / "Tiny" / "Tiny.mp4")
    assert len(slides) == 2
    for slide, first, section in zip(slides, (frames[0], frames[6]), ("there", "back"), strict=True):
        (video,) = slide.element.findall(".//p:timing//p:video", SCHEMAS)
        (movie,) = slide.element.findall(".//p:pic", SCHEMAS)
        identity = movie.find(".//p:cNvPr", SCHEMAS).get("id")
        assert video.find(".//p:spTgt", SCHEMAS).get("spid") == identity
        assert video.find(".//p:cond", SCHEMAS).get("delay") == "0", "it waits for no click"
        assert movie.find(".//p:cNvPr", SCHEMAS).get("descr") == WORDS["en"]["caption"][section]
        repeats = video.find(".//p:cTn", SCHEMAS).get("repeatCount")
        assert repeats == ("indefinite" if section == "back" else None)
        poster = movie.find(".//a:blip", SCHEMAS).get(f"{{{SCHEMAS['r']}}}embed")
        with Image.open(io.BytesIO(slide.part.related_part(poster).blob)) as picture:
            assert np.array_equal(np.asarray(picture.convert("RGB")), first)
        assert slide.notes_slide.notes_text_frame.text == WORDS["en"]["caption"][section]


def test_libreoffice_shows_every_slide(studio: Path, tmp_path: Path) -> None:
    office = shutil.which("soffice")
    assert office, (
        "the test of PowerPoint files needs LibreOffice; on Debian: apt-get install libreoffice-impress"
    )
    deck_of(studio, Tiny, Second).write("pptx", tmp_path, most_slides=30)
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    subprocess.run(
        [office, profile, "--headless", "--convert-to", "pdf", "--outdir", tmp_path, tmp_path / "deck.pptx"],
        check=True,
        capture_output=True,
    )
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "deck.pdf").read_bytes())) == 4


def test_a_deck_too_long_for_powerpoint_comes_in_parts(studio: Path, tmp_path: Path) -> None:
    names = deck_of(studio, Tiny, Second).write("pptx", tmp_path, most_slides=3)
    assert names == ["deck-1-of-2.pptx", "deck-2-of-2.pptx"]
    assert [len(pptx.Presentation(str(tmp_path / name)).slides) for name in names] == [2, 2]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(1, 6))
def test_parts_hold_every_slide_in_order_and_cut_only_long_shots(lengths: list[int], most: int) -> None:
    file = Path(__file__)
    shots = [
        PresentationConfig(
            slides=[SlideConfig(file=file, rev_file=file, notes=f"{n}.{i}") for i in range(length)]
        )
        for n, length in enumerate(lengths)
    ]
    told = [[slide.notes for slide in shot.slides] for shot in shots]
    parts = [[[slide.notes for slide in piece.slides] for piece in part] for part in split(shots, most)]
    pieces = list(chain.from_iterable(parts))
    assert all(sum(map(len, part)) <= most for part in parts)
    assert list(chain.from_iterable(pieces)) == list(chain.from_iterable(told))
    assert all(shot in pieces or len(shot) > most for shot in told)


# reveal.js


def test_reveal_is_fetched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = reveal.folder()
    assert "Hakim El Hattab" in (kept / reveal.LICENSE).read_text()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it is there already")

    monkeypatch.setattr(reveal, "urlopen", refuse)
    assert reveal.folder() == kept


@pytest.mark.parametrize(
    ("answer", "why"),
    [(URLError("no network"), "no network"), (io.BytesIO(b"another package"), "its checksum is another")],
)
def test_reveal_that_cannot_be_had_is_refused_in_a_line(
    answer: URLError | io.BytesIO, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give(*_: object, **__: object) -> io.BytesIO:
        if isinstance(answer, URLError):
            raise answer
        return answer

    monkeypatch.setattr(reveal, "urlopen", give)
    monkeypatch.setattr(reveal, "user_cache_path", lambda _: tmp_path / "cache")
    with pytest.raises(ValueError, match=rf"needs reveal.js .*{why}.*--to pptx"):
        reveal.folder()
    assert not list((tmp_path / "cache").iterdir())


# The command


def test_what_cannot_be_made_into_a_deck_is_refused_before_anything_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["deck", "--to", "pptx", "ClockHand"]) == 2
    assert "did you mean ClockHands?" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["deck", "--to", "key"])
    assert "invalid choice: 'key'" in capsys.readouterr().err
    Path("media").mkdir()
    Path("media/decks").touch()
    assert cli.main(["deck", "--to", "pptx", "ClockHands"]) == 2
    assert capsys.readouterr().err == "clockhands: cannot write decks to media/decks: Not a directory\n"
    assert not Path("media/films").exists()


def test_a_deck_that_was_killed_is_made_by_the_same_command(checkout: Checkout) -> None:
    command = ("publish", "deck", "--to", "html", "Tiny", "Long", "-q", "l")
    killed = checkout.start(*command)
    wait_until(lambda: checkout.begun("Long"), killed)
    killed.send_signal(signal.SIGKILL)
    ended(killed)
    decks = checkout.root / "media" / "decks"
    assert not list(decks.rglob("*.html"))

    checkout.let_go()
    status, out, err = ended(checkout.start(*command))
    place = Path(f"media/decks/{EN_DARK}/Tiny-Long-html/Tiny-Long.html")
    assert status == 0, err
    assert out.splitlines()[-1] == str(place) and (checkout.root / place).is_file()
    assert sorted(file.name for file in decks.iterdir()) == ["en-dark"], "nothing else is left"


def test_a_deck_whose_shot_fails_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    log = tmp_path / "ClockHands.log"
    log.write_text("its last words")
    monkeypatch.setattr(cli, "_make_films", lambda _, __, jobs: [Failure(jobs[0], "a bug in the shot", log)])
    assert cli.main(["deck", "--to", "pptx", "ClockHands"]) == 1
    out, err = capsys.readouterr()
    assert not out and "a bug in the shot" in err and "its last words" in err
    assert not list(Path("media/decks").iterdir())
