"""Words, fonts and the two languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from scenes import fonts
from scenes.language import LANGUAGES, Language, Phrase, chosen_language, read_language
from scenes.theme import THEMES
from tests.scenes.harness import looking


def leaves(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}{key}.")
        else:
            yield path + key, value


WORDS = {code: dict(leaves(read_language(code).tables)) for code in LANGUAGES}


def test_both_languages_have_the_same_keys() -> None:
    assert WORDS["en"].keys() == WORDS["zh"].keys()


@pytest.mark.parametrize("key", WORDS["en"])
def test_a_phrase_has_the_same_values_and_colours_in_both_languages(key: str) -> None:
    fields = {code: set(re.findall(r"{(\w*)", WORDS[code][key])) for code in LANGUAGES}
    assert fields["en"] == fields["zh"]
    roles = {code: {role for *_, role in Phrase.parse(WORDS[code][key]).colored} for code in LANGUAGES}
    assert roles["en"] == roles["zh"]
    assert roles["en"] <= THEMES["dark"].roles.keys()
    assert "<" not in Phrase.parse(WORDS["en"][key]).text


@pytest.mark.parametrize("key", WORDS["zh"])
def test_chinese_uses_chinese_punctuation(key: str) -> None:
    text = re.sub(r"{[^}]*}", "", Phrase.parse(WORDS["zh"][key]).text)
    assert not re.search(r"[\u4e00-\u9fff]\s*[,;:?!]|[,;:?!]\s*[\u4e00-\u9fff]", text), text


def test_marks_become_coloured_stretches() -> None:
    phrase = Phrase.parse("the <sin>sine</sin> and the <cos>cosine</cos>.")
    assert phrase.text == "the sine and the cosine."
    assert [(phrase.text[start:end], role) for start, end, role in phrase.colored] == [
        ("sine", "sin"),
        ("cosine", "cos"),
    ]


def test_the_first_table_that_has_the_key_is_asked() -> None:
    language = read_language("en")
    assert language.phrase(["NoSuchShot", "shared"], "position").text == "position"
    with pytest.raises(KeyError, match=r"en.toml has no 'posn' in any of: ClockHands, shared"):
        language.phrase(["ClockHands", "shared"], "posn")


def test_an_unknown_language_is_an_error_that_lists_the_right_ones() -> None:
    with looking("fr"), pytest.raises(ValueError, match=r"'fr'.*en, zh"):
        chosen_language()


@pytest.mark.parametrize("character", ["✗", "😀"])
def test_a_glyph_that_no_font_has_is_named(character: str) -> None:
    with pytest.raises(ValueError, match=f"here: .*{character}.*U\\+{ord(character):04X}"):
        fonts.check_characters(f"a {character}", "here")


def test_words_with_a_glyph_that_no_font_has_are_refused_when_they_are_read(
    monkeypatch: Any, tmp_path: Any
) -> None:
    (tmp_path / "en.toml").write_text('[Shot]\ntitle = "no ✗ here"\n', encoding="utf-8")
    monkeypatch.setattr("scenes.language.TEXT_FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"en.toml, Shot.title: .*✗"):
        Language("en")


def test_reading_takes_longer_for_longer_words() -> None:
    english, chinese = (read_language(code) for code in LANGUAGES)
    assert english.reading_seconds("x" * 28) == pytest.approx(2.0)
    assert chinese.reading_seconds("字" * 9) == pytest.approx(2.0)
