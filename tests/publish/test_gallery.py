"""The gallery in a browser: from a disk and from a web server, by mouse, keyboard and finger."""

from __future__ import annotations

import dataclasses
import functools
import re
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser

from publish.cli import main
from publish.clips import Clip, ClipLibrary
from publish.gallery import Card, arrange, write_gallery
from publish.library import Library
from scenes.language import LANGUAGES, read_language
from scenes.lecture import CHAPTERS
from scenes.settings import suffix
from scenes.theme import THEMES, rgb_of
from tests.publish.browser import Visit, visit
from tests.publish.conftest import give_words
from tests.publish.studio import draw_all, tiny_jobs
from tests.publish.tiny_lecture import WORDS, Second, Tiny

CAPTIONS = {code: words["caption"] for code, words in WORDS.items()}
PAGE = "index.html"
VIDEO = 'document.querySelector("dialog video")'


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClipLibrary]:
    """Clips of two shots, four sections, in every look."""
    root = tmp_path_factory.mktemp("studio")
    films, made = Library(root / "films"), ClipLibrary(root / "clips")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        give_words(patch)
        for look in (f"{language}-{theme}" for language in LANGUAGES for theme in THEMES):
            jobs = tiny_jobs(Tiny, Second, look=look)
            draw_all(jobs, films)
            with made.workplace() as workplace:
                for job in jobs:
                    made.make(job, job, films, workplace)
    yield made


@pytest.fixture(scope="module")
def gallery(shelf: ClipLibrary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gallery")
    assert write_gallery(shelf.all_clips(), shelf.root, folder) == 4
    return folder


@pytest.fixture
def server(gallery: Path) -> Iterator[str]:
    """The address of the gallery on a web server of this machine."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    serving = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=gallery))
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{serving.server_address[1]}/"
    serving.shutdown()


def english(browser: Browser, gallery: Path, **options: Any) -> Visit:
    """Open the gallery as somebody does whose browser is set to English and to dark pages."""
    return visit(browser, gallery / PAGE, locale="en-GB", color_scheme="dark", **options)


def card(shown: Visit, name: str) -> Any:
    return shown.page.locator(f'[data-card="{name}"]')


# What it shows


def test_a_card_plays_under_the_mouse_and_stops_when_it_leaves(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    card(shown, "Tiny-1-there").hover()
    shown.until('document.querySelector(".card video")?.currentTime > 0.1')
    assert shown.says('document.querySelector(".card video").videoWidth') == 854
    shown.page.mouse.move(0, 0)
    shown.until('!document.querySelector(".card video")')


def test_a_card_stays_still_for_those_who_want_no_motion(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery, reduced_motion="reduce")
    card(shown, "Tiny-1-there").hover()
    assert not shown.says('document.querySelector(".card video")')


def test_the_viewer_plays_a_clip_with_its_caption_and_loops_a_loop(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    card(shown, "Tiny-1-there").click()
    shown.until(f"{VIDEO}.ended")
    assert shown.says(f"{VIDEO}.videoWidth") == 854
    assert shown.page.locator("#viewer-caption").inner_text() == CAPTIONS["en"]["there"]
    shown.page.locator("#next").click()
    shown.says(f"{VIDEO}.addEventListener('seeked', () => {{ window.again = true; }})")
    shown.until("window.again")
    assert shown.says(f"{VIDEO}.loop && !{VIDEO}.ended")
    assert shown.page.locator("#viewer-caption").inner_text() == CAPTIONS["en"]["back"]
    cue = shown.says(f"(({{text, endTime}}) => [text, endTime])({VIDEO}.textTracks[0].cues[0])")
    assert cue == [CAPTIONS["en"]["back"], pytest.approx(0.4)], (
        "for full screen, where there is no text below"
    )


def test_language_and_theme_change_words_and_clips_and_are_kept(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    first = shown.page.locator(".card").first
    assert first.locator(".caption").inner_text() == CAPTIONS["en"]["there"]
    shown.page.locator("#languages [data-value=zh]").click()
    shown.page.locator("#themes [data-value=light]").click()
    for _ in range(2):
        assert first.locator(".caption").inner_text() == CAPTIONS["zh"]["there"]
        assert first.locator("img").get_attribute("src").startswith("clips/zh-light/")
        assert shown.says("document.documentElement.lang") == "zh"
        background = "rgb({:.0f}, {:.0f}, {:.0f})".format(*rgb_of(THEMES["light"].background) * 255)
        assert shown.says("getComputedStyle(document.body).backgroundColor") == background
        first.click()
        shown.until(f"{VIDEO}.ended")
        assert "/zh-light/" in shown.says(f"{VIDEO}.currentSrc")
        assert shown.page.locator("#viewer-caption").inner_text() == CAPTIONS["zh"]["there"]
        shown.page.locator("#close").click()
        shown.until("!location.hash")
        shown.page.reload()


def test_search_finds_words_of_both_languages_and_names(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    for wanted, count in (("COMES", 2), ("走回来", 2), ("second there", 1), ("no such words", 0), ("", 4)):
        shown.page.fill("#search", wanted)
        assert shown.page.locator(".card:visible").count() == count
        assert shown.page.locator("#found").inner_text() == ("1 clip" if count == 1 else f"{count} clips")
        assert shown.page.locator("#nothing").is_visible() == (count == 0)


def test_search_finds_what_a_chapter_is_about(browser: Browser, shelf: ClipLibrary, tmp_path: Path) -> None:
    chapter = CHAPTERS[0].name
    of_chapter = [
        dataclasses.replace(clip, chapter=chapter) if clip.shot == "Second" else clip
        for clip in shelf.all_clips()
    ]
    write_gallery(of_chapter, shelf.root, tmp_path)
    shown = english(browser, tmp_path)
    for code in LANGUAGES:
        for key in ("title", "idea"):
            shown.page.fill("#search", read_language(code).phrase([chapter], key).text)
            found = shown.page.locator(".card:visible").all()
            assert [each.get_attribute("data-card") for each in found] == ["Second-1-there", "Second-2-back"]


# How it is used


def hash_of(shown: Visit) -> str:
    text: str = shown.says("location.hash")
    return text


def test_back_closes_the_viewer_and_forward_opens_it(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    card(shown, "Tiny-1-there").click()
    shown.page.locator("#next").click()
    entries = shown.says("history.length")
    shown.says("history.back()")
    shown.until("!document.querySelector('dialog').open")
    assert hash_of(shown) == "" and shown.page.url.startswith((gallery / PAGE).as_uri())
    shown.until('document.activeElement.dataset.card === "Tiny-2-back"')
    shown.says("history.forward()")
    shown.until(f"document.querySelector('dialog').open && {VIDEO}")
    assert shown.page.locator("#viewer-caption").inner_text() == CAPTIONS["en"]["back"]
    for _ in range(2):  # by hand
        shown.page.locator("#close").click()
        shown.until("!location.hash && !document.querySelector('dialog').open")
        card(shown, "Tiny-2-back").click()
    shown.page.reload()
    shown.until(f"document.querySelector('dialog').open && {VIDEO}")
    assert shown.says("history.length") == entries, "there is one way back, to where it began"


def test_back_leads_from_an_address_with_a_clip_to_the_gallery(browser: Browser, gallery: Path) -> None:
    shown = Visit(browser, (gallery / PAGE).as_uri() + "?language=zh#Second-2-back")
    shown.until("document.querySelector('dialog').open")
    shown.says("history.back()")
    shown.until("!document.querySelector('dialog').open")
    assert shown.page.url == (gallery / PAGE).as_uri() + "?language=zh"


def test_full_screen_shows_the_caption_on_an_iphone_too(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    card(shown, "Tiny-1-there").click()
    for event, mode in (("begin", "showing"), ("end", "hidden")):
        shown.says(f"{VIDEO}.dispatchEvent(new Event('webkit{event}fullscreen'))")
        assert shown.says(f"{VIDEO}.textTracks[0].mode") == mode


def test_all_of_it_works_by_keyboard(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    keyboard = shown.page.keyboard
    keyboard.press("/")
    keyboard.type("goes right")
    found = shown.page.locator(".card:visible")
    assert found.count() == 2
    while not shown.says('document.activeElement.matches(".card")'):
        keyboard.press("Tab")
    keyboard.press("Enter")
    shown.until(f"{VIDEO}.ended")
    assert "Tiny-1" in shown.page.url or "Second-1" in shown.page.url
    before = shown.page.url
    shown.page.locator("#next").focus()
    keyboard.press("ArrowRight")
    assert shown.page.url != before
    keyboard.press("Escape")
    assert shown.says('document.activeElement.matches(".card") && !document.querySelector("dialog").open')


def test_a_click_beside_the_viewer_closes_it(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    card(shown, "Tiny-1-there").click()
    box = shown.page.locator("#viewer").bounding_box()
    assert box
    shown.page.mouse.click(box["x"] + 5, box["y"] + 100)
    assert shown.says('document.querySelector("dialog").open'), "its margin is part of it"
    shown.page.mouse.click(box["x"] - 5, box["y"] + 100)
    assert not shown.says('document.querySelector("dialog").open')


def test_an_address_leads_back_to_its_clip(browser: Browser, gallery: Path) -> None:
    shown = Visit(browser, (gallery / PAGE).as_uri() + "?language=zh&theme=light#Second-2-back")
    shown.until(f"{VIDEO}.currentTime > 0")
    assert shown.page.locator("#viewer-caption").inner_text() == CAPTIONS["zh"]["back"]


def test_it_fits_a_phone_and_plays_at_a_tap(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    assert shown.says("document.documentElement.scrollWidth") == 390
    card(shown, "Tiny-1-there").tap()
    shown.until(f"{VIDEO}.ended")
    assert shown.says(f"{VIDEO}.getBoundingClientRect().width") >= 380
    assert shown.page.locator("#viewer-caption").is_visible()
    for button in shown.page.locator("dialog button:visible, dialog a:visible").all():
        box = button.bounding_box()
        assert box and box["height"] >= 24 and box["x"] >= 0 and box["x"] + box["width"] <= 390


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_screen_readers_meet_no_serious_obstacle(
    browser: Browser, gallery: Path, language: str, theme: str
) -> None:
    shown = Visit(browser, (gallery / PAGE).as_uri() + f"?language={language}&theme={theme}")
    assert not shown.serious_violations()
    card(shown, "Tiny-1-there").click()
    shown.page.locator("[data-copy=html]").click()
    assert not shown.serious_violations()


def test_without_a_program_pictures_lead_to_clips(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery, java_script_enabled=False)
    links = [link.get_attribute("href") for link in shown.page.locator(".card").all()]
    assert len(links) == 4 and all((gallery / str(link)).is_file() for link in links)


def test_from_a_disk_it_asks_for_nothing_but_its_own_files(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    shown.page.locator("#languages [data-value=zh]").click()
    card(shown, "Tiny-1-there").click()
    shown.until(f"{VIDEO}.ended")
    assert not shown.complaints
    own = gallery.as_uri()
    assert all(address.startswith((own, "data:")) for address in shown.requests)
    loaded = shown.says("[...document.fonts].map(font => [font.family, font.status])")
    assert loaded == [["Noto Sans", "loaded"], ["Noto Sans SC", "loaded"]]


# What it gives


def snippet(shown: Visit, kind: str) -> str:
    shown.page.locator(f"[data-copy={kind}]").click()
    text: str = shown.page.locator("#snippet").inner_text()
    return text


def test_what_is_copied_plays_where_it_is_put(browser: Browser, server: str) -> None:
    shown = Visit(browser, server, locale="en-GB", color_scheme="dark", permissions=["clipboard-read"])
    card(shown, "Tiny-2-back").click()
    copied = {kind: snippet(shown, kind) for kind in ("html", "markdown", "reveal")}
    assert shown.says("navigator.clipboard.readText()") == copied["reveal"]
    clip = f"{server}clips/en-dark/480p15/Tiny/Tiny-2-back"
    caption = CAPTIONS["en"]["back"]
    assert copied["markdown"] == f"[![{caption}]({clip}.last.png)]({clip}.mp4)"

    shown.page.set_content(copied["html"])
    shown.until('document.querySelector("video").currentTime > 0.1')
    video = shown.page.locator("video")
    assert shown.says('document.querySelector("video").videoWidth') == 854
    assert (video.get_attribute("aria-label"), video.get_attribute("loop")) == (caption, "")

    shown.page.set_content(copied["reveal"])
    slide = shown.page.locator("section")
    assert slide.get_attribute("data-background-video") == f"{clip}.mp4"
    assert slide.get_attribute("data-background-video-loop") == ""
    assert slide.get_attribute("data-background-color") == THEMES["dark"].background
    assert slide.locator("aside.notes").text_content() == caption
    assert all(address.startswith((server, "data:")) for address in shown.requests)


def test_what_is_copied_is_of_the_clip_whatever_the_page_looks_like(
    browser: Browser, shelf: ClipLibrary, tmp_path: Path
) -> None:
    few = [clip for clip in shelf.all_clips() if clip.shot == "Second" or clip.file.startswith("en-dark/")]
    write_gallery(few, shelf.root, tmp_path)
    shown = Visit(browser, (tmp_path / PAGE).as_uri() + "?language=zh&theme=light")
    card(shown, "Tiny-1-there").click()
    assert shown.page.locator("#viewer-caption").inner_text() == CAPTIONS["zh"]["there"]
    for kind in ("html", "markdown", "reveal"):
        assert CAPTIONS["en"]["there"] in snippet(shown, kind)
    assert f'background-color="{THEMES["dark"].background}"' in snippet(shown, "reveal")


def test_what_is_copied_says_the_same_whatever_its_letters(
    browser: Browser, shelf: ClipLibrary, tmp_path: Path
) -> None:
    caption = r"""1 < 2 > 0 & "so", it's [a](b) *or* _c_ `d` \* &amp; <e> $& ]"""
    (clip,) = (clip for clip in shelf.all_clips() if clip.file == "en-dark/480p15/Tiny/Tiny-1-there.mp4")
    write_gallery(
        [dataclasses.replace(clip, caption=dict.fromkeys(LANGUAGES, caption))], shelf.root, tmp_path
    )
    shown = english(browser, tmp_path)
    card(shown, "Tiny-1-there").click()
    assert shown.page.locator("#viewer-caption").inner_text() == caption
    copied = {kind: snippet(shown, kind) for kind in ("html", "markdown", "reveal")}
    shown.page.set_content(copied["html"])
    assert shown.page.locator("body > *").get_attribute("aria-label") == caption
    shown.page.set_content(copied["reveal"])
    assert shown.page.locator("section > aside.notes").text_content() == caption
    shown.page.set_content(MarkdownIt("commonmark").render(copied["markdown"]))
    assert shown.page.locator("body > p > a > img").get_attribute("alt") == caption


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Copied. Put Tiny-1-there.mp4 and Tiny-1-there.first.png next to your page or slides."),
        ("zh", "已复制。请把 Tiny-1-there.mp4和Tiny-1-there.first.png 放在网页或课件旁边。"),
    ],
)
def test_from_a_disk_the_files_are_named_that_belong_to_what_is_copied(
    browser: Browser, gallery: Path, language: str, said: str
) -> None:
    shown = Visit(browser, (gallery / PAGE).as_uri() + f"?language={language}")
    card(shown, "Tiny-1-there").click()
    shown.page.locator("[data-copy=html]").click()
    shown.until("document.querySelector('#copied').textContent")
    assert shown.page.locator("#copied").inner_text() == said


def test_from_a_disk_the_names_of_files_are_copied(browser: Browser, gallery: Path) -> None:
    shown = english(browser, gallery)
    card(shown, "Tiny-1-there").click()
    assert ' src="Tiny-1-there.mp4" ' in snippet(shown, "html")
    assert "loop" not in snippet(shown, "html")
    for link in shown.page.locator("#downloads a").all():
        assert (gallery / str(link.get_attribute("href"))).is_file()


# How it is arranged


def test_chapters_and_shots_come_as_in_the_lecture(shelf: ClipLibrary) -> None:
    clip = shelf.all_clips()[0]
    shots = [(shot.__name__, chapter.name) for chapter in CHAPTERS for shot in chapter.shots]
    made = [
        dataclasses.replace(clip, shot=name, chapter=chapter, file=f"{name}/{name}-1-there.mp4")
        for name, chapter in [*shots, ("Mine", None)]
    ]
    arranged = list(arrange(reversed(made)))
    assert [chapter.name for chapter in arranged] == [*(chapter.name for chapter in CHAPTERS), "other"]
    names = [shot.name for chapter in arranged for shot in chapter.shots]
    assert names == [*(name for name, _ in shots), "Mine"]


def changed(clip: Clip, **parameters: Any) -> Clip:
    """Return ``clip`` as it would be of a shot with parameters of its own."""
    name = clip.shot + suffix(parameters)
    files = {
        each: getattr(clip, each).replace(f"{clip.shot}-", f"{name}-") for each in ("file", "first", "last")
    }
    return dataclasses.replace(clip, parameters=parameters, **files)


def test_a_shot_with_parameters_of_its_own_stands_beside_the_plain_one(shelf: ClipLibrary) -> None:
    plain = [clip for clip in shelf.all_clips() if clip.shot == "Tiny" and clip.language == "en"]
    sets = ({"base": 500000.0, "d": 128}, {"base": 20.0}, {"words": ["a", "b"]})
    (chapter,) = arrange([*(changed(clip, **each) for each in sets for clip in plain), *plain])
    told = [(shot.changes, [card.sample.section for card in shot.cards]) for shot in chapter.shots]
    assert told[0][0] == "", "the lecture's own comes first"
    of_each = ["there", "back"]
    assert sorted(told) == [
        ("", of_each),
        ("base 20", of_each),
        ("base 500000, d 128", of_each),
        ("words a, b", of_each),
    ]
    cards = [card for shot in chapter.shots for card in shot.cards]
    assert len({card.id for card in cards}) == 8
    for card in cards:
        for look in card.looks().values():
            assert [taken["file"] for taken in look["downloads"]] == [look["file"]]


def test_what_was_changed_is_shown_and_found(browser: Browser, shelf: ClipLibrary, tmp_path: Path) -> None:
    source, clips = tmp_path / "clips", shelf.all_clips()
    copied = [changed(clip, base=500000.0) for clip in clips]
    for clip, copy in zip(clips, copied, strict=True):
        for name in ("file", "first", "last"):
            for file in (getattr(clip, name), getattr(copy, name)):
                (source / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(shelf.root / getattr(clip, name), source / file)
    assert write_gallery([*clips, *copied], source, tmp_path / "gallery") == 8
    shown = english(browser, tmp_path / "gallery")
    shown.page.fill("#search", "base 500000 second")
    assert shown.page.locator(".card:visible").count() == 2
    assert shown.page.locator(".shot:visible h3").inner_text() == "A dot Second · base 500000"
    shown.page.locator(".card:visible").first.click()
    assert shown.page.locator("#viewer-title").inner_text() == "A dotbase 500000 · 1 / 2"
    shown.until(f'{VIDEO}.currentSrc.includes("Second-base500000-")')


def test_the_best_clip_is_played_and_all_can_be_taken(shelf: ClipLibrary) -> None:
    clip = shelf.all_clips()[0]

    def variant(file: str, **fields: Any) -> Clip:
        return dataclasses.replace(clip, file=file, **fields)

    made = [
        variant("high.mp4", height=1080, frame_rate=60.0),
        variant("low.mp4"),
        variant("clear.webm", height=2160, transparent=True),
        variant("zh.gif", language="zh"),
    ]
    looks = Card(made).looks()
    assert list(looks) == [f"{clip.language}-{clip.theme}"], "a gif is for taking, not for showing"
    (look,) = looks.values()
    assert look["file"] == "clips/high.mp4"
    assert [taken["file"] for taken in look["downloads"]] == [
        "clips/high.mp4",
        "clips/low.mp4",
        "clips/clear.webm",
    ]
    assert not list(arrange(made[2:]))


# The command


def test_the_command_makes_a_gallery_of_what_clips_there_are(
    shelf: ClipLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["gallery"]) == 2
    refusal = capsys.readouterr().err
    assert "there are no clips in mp4 yet" in refusal and refusal.count("\n") == 1
    assert not list(Path("media").iterdir())

    Path("media/clips").symlink_to(shelf.root)
    for _ in range(2):  # the second takes the place of the first
        assert main(["gallery"]) == 0
        assert capsys.readouterr().out == "4 clips are in media/gallery/index.html\n"
        assert sorted(path.name for path in Path("media").iterdir()) == ["clips", "gallery"]
    named = set(re.findall(r'(?:href|src)="(clips/[^"]+)"', Path("media/gallery/index.html").read_text()))
    assert len(named) == 8 and all((Path("media/gallery") / name).is_file() for name in named)
