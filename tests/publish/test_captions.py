"""Captions as they are cut: what players can show, and what can be read."""

from __future__ import annotations

from itertools import pairwise

import pytest
import srt
from hypothesis import given
from hypothesis import strategies as st

from publish.captions import Cue, cues, read_srt, to_srt, to_vtt
from scenes.language import LANGUAGES, read_language

LONGEST = {"en": 42, "zh": 18}
CLOSING = "，。、：；？！）》」』】〕”’…—"
OPENING = "（《「『【〔“‘"

latin_words = st.one_of(
    st.text("abcXYZ059,.?!;:'-()", min_size=1, max_size=14),
    st.sampled_from(["hand’s", "“don’t”"]),
    # As long as a line, marks and all.
    st.tuples(st.integers(30, 41), st.sampled_from(",.?!;:’”")).map(lambda long: long[0] * "a" + long[1]),
)
latin_texts = st.lists(latin_words, min_size=1, max_size=60).map(" ".join)
characters = st.sampled_from("位置编码的指针转得快慢一二三")
words = st.one_of(
    characters,
    st.tuples(characters, st.sampled_from("，。：；？！、")).map("".join),
    st.tuples(st.sampled_from("（《“"), characters, characters, st.sampled_from("）》”")).map("".join),
    st.sampled_from([" RoPE ", " 6.28 ", "2i+1", " ALiBi，"]),
    st.tuples(st.integers(15, 50), st.sampled_from("，。：；？！、")).map(
        lambda long: long[0] * "a" + long[1]
    ),
)
chinese_texts = st.lists(words, min_size=1, max_size=90).map("".join).filter(str.strip)


def check_shown(text: str, language: str) -> list[Cue]:
    """Check what holds for every caption; return its cues."""
    shown = cues(text, 3.0, 11.0, language)
    assert shown[0].start == 3.0 and shown[-1].end == pytest.approx(11.0)
    assert all(cue.start < cue.end for cue in shown)
    assert all(cue.end == following.start for cue, following in pairwise(shown))
    lines = [line for cue in shown for line in cue.text.split("\n")]
    assert all(0 < len(line) <= LONGEST[language] for line in lines)
    assert all(len(cue.text.split("\n")) <= 2 for cue in shown)
    assert "".join("".join(lines).split()) == "".join(text.split()), "nothing may be lost"
    return shown


@given(latin_texts)
def test_latin_lines_are_short_and_break_between_words_only(text: str) -> None:
    shown = check_shown(text, "en")
    assert " ".join(cue.text.replace("\n", " ") for cue in shown).split() == text.split()


@given(chinese_texts)
def test_chinese_lines_are_short_and_keep_punctuation_where_it_belongs(text: str) -> None:
    shown = check_shown(text, "zh")
    lines = [line for cue in shown for line in cue.text.split("\n")]
    assert not [line for line in lines if line[0] in CLOSING]
    assert not [line for line in lines if line[-1] in OPENING]
    for word in ("RoPE", "6.28", "2i+1", "ALiBi"):
        assert sum(line.count(word) for line in lines) == text.count(word)


@pytest.mark.parametrize("mark", CLOSING)
def test_a_full_line_draws_no_punctuation_to_the_next(mark: str) -> None:
    """36 characters would fill two lines, were they broken in front of ``mark``."""
    text = 18 * "字" + mark + 17 * "字"
    lines = [line for cue in check_shown(text, "zh") for line in cue.text.split("\n")]
    assert len(lines) == 3 and not [line for line in lines if line[0] == mark]


@pytest.mark.parametrize("mark", OPENING)
def test_a_full_line_leaves_no_opening_mark_behind(mark: str) -> None:
    text = 17 * "字" + mark + 18 * "字"
    lines = [line for cue in check_shown(text, "zh") for line in cue.text.split("\n")]
    assert len(lines) == 3 and not [line for line in lines if line[-1] == mark]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_more_is_cut_than_must_be(language: str) -> None:
    """Two full lines are one cue; with one word more they are two."""
    word = {"en": "abcde ", "zh": "字"}[language]
    fits = {"en": 2 * 7, "zh": 2 * 18}[language]  # seven words of five letters and their spaces take 41
    assert len(cues(word * fits, 0.0, 1.0, language)) == 1
    assert len(cues(word * (fits + 1), 0.0, 1.0, language)) == 2


def test_a_caption_is_cut_where_a_sentence_ends() -> None:
    first, second = (
        "The hand has turned seven times by now and is back.",
        "It reads what it read before it left for the first turn.",
    )
    shown = cues(f"{first} {second}", 0.0, 10.0, "en")
    assert [cue.text.replace("\n", " ") for cue in shown] == [first, second]
    # Each is shown for its share of the time.
    assert shown[0].end == pytest.approx(10 * len(first) / len(first + " " + second), abs=0.1)


def test_a_chinese_caption_is_cut_after_a_comma_rather_than_within_a_word() -> None:
    (cue,) = cues("三个钟，每个两个影子：这六个数就是该位置的编码。", 0.0, 5.0, "zh")
    assert cue.text == "三个钟，每个两个影子：\n这六个数就是该位置的编码。"


def test_a_word_longer_than_a_line_is_cut() -> None:
    assert cues("a" * 50, 0.0, 1.0, "en")[0].text == "a" * 42 + "\n" + "a" * 8


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_as_long_as_a_line_is_not_cut(language: str) -> None:
    word = "a" * LONGEST[language]
    shown = check_shown(f"bb {word} bb", language)
    assert word in [line for cue in shown for line in cue.text.split("\n")]


@pytest.mark.parametrize("mark", [*CLOSING, *",.;:!?)'", "。”", '."'])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_that_is_cut_keeps_its_mark(language: str, mark: str) -> None:
    for count in range(1, 3 * LONGEST[language]):
        shown = check_shown(f"bb {count * 'a'}{mark} bb", language)
        lines = [line for cue in shown for line in cue.text.split("\n")]
        assert not [line for line in lines if line[0] in mark]
        assert any(line.endswith(f"a{mark}") or f"a{mark} " in line for line in lines)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lecture_s_own_captions_can_be_shown(language: str) -> None:
    tables = read_language(language).tables.values()
    found = [caption for table in tables for caption in table.get("caption", {}).values()]
    assert len(found) > 50
    for caption in found:
        check_shown(caption, language)


def test_cues_read_from_a_file_neither_overlap_nor_outlast_the_film() -> None:
    text = srt.compose(
        [
            srt.Subtitle(
                1, *map(srt.srt_timestamp_to_timedelta, ("0:0:0,0", "0:0:3,0")), "first,\nstill first"
            ),
            srt.Subtitle(2, *map(srt.srt_timestamp_to_timedelta, ("0:0:2,0", "0:0:9,0")), "second"),
            srt.Subtitle(3, *map(srt.srt_timestamp_to_timedelta, ("0:0:7,0", "0:0:8,0")), "after the end"),
        ]
    )
    assert list(read_srt(text, 10.0, 15.0, "en")) == [
        Cue(10.0, 12.0, "first, still first"),
        Cue(12.0, 15.0, "second"),
    ]


def test_files_say_when_and_what() -> None:
    shown = [Cue(0.0, 1.5, "one\ntwo"), Cue(3725.25, 3726.0, "a < b & c")]
    assert to_srt(shown) == (
        "1\n00:00:00,000 --> 00:00:01,500\none\ntwo\n\n2\n01:02:05,250 --> 01:02:06,000\na < b & c\n\n"
    )
    assert to_vtt(shown) == (
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\none\ntwo\n\n"
        "01:02:05.250 --> 01:02:06.000\na &lt; b &amp; c\n"
    )
