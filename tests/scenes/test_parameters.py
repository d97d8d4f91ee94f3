"""Parameters: what may be set, how it is read, and what becomes of what cannot be."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from manim import tempconfig

from pe_math.training import records
from scenes.clock_hands import ClockHands, ClockSwarm, ClockWall
from scenes.lecture import SHOTS
from scenes.loss_race import LossRace
from scenes.parameters import Declared, Parameter, ParameterError, Schedule, declared
from scenes.recorded import ENCODINGS, TASKS
from scenes.rope_rotation import RopeRotation
from scenes.rotation_fan import RotationFan
from scenes.settings import (
    PARAMETERS_VARIABLE,
    digest,
    from_environment,
    from_file,
    from_pairs,
    suffix,
    values,
    variant,
)
from scenes.stage import LectureScene
from scenes.waveform_heatmap import WaveformHeatmap
from tests.scenes.harness import DRAFT, construct, layout_faults, manim_render, only

EVERY = [(shot, parameter) for shot in SHOTS for parameter in declared(shot).values()]
# What TOML can hold, right or wrong for whatever is asked.
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=9,
)


class Sample(LectureScene):
    """One parameter of every kind."""

    number: Annotated[float, Parameter("a number", low=0.5, high=2.0)] = 1.0
    count: Annotated[int, Parameter("a count", low=2, high=8, multiple_of=2)] = 4
    flag: Annotated[bool, Parameter("a flag")] = False
    word: Annotated[str, Parameter("a word", choices=("sin", "cos"))] = "sin"
    free: Annotated[str, Parameter("any text")] = ""
    pair: Annotated[tuple[int, int], Parameter("a pair", low=0)] = (1, 2)
    words: Annotated[tuple[str, ...], Parameter("words", choices=("a", "b", "c"), most=2)] = ("a",)
    speeds: Annotated[Schedule, Parameter("speeds")] = "geometric"
    all_speeds: Annotated[tuple[Schedule, ...], Parameter("several")] = ("geometric", "linear")


class Variant(Sample):
    """One that varies another, and says nothing more of what it sets."""

    number = 2


def set_by(pairs: str, shot: type[LectureScene] = Sample) -> dict[str, Any]:
    return values(shot, from_pairs(pairs, "test"))


def refusal(function: Any, *arguments: Any) -> str:
    """Return the line in which what is wrong is told."""
    with pytest.raises(ParameterError) as refused:
        function(*arguments)
    line = str(refused.value)
    assert "\n" not in line and len(line) < 500
    return line


# Reading


@pytest.mark.parametrize(
    ("pairs", "read"),
    [
        ("Sample.number=5e-1", {"number": 0.5}),
        ("Sample.number=2", {"number": 2.0}),
        ("Sample.count=8", {"count": 8}),
        ("Sample.flag=true", {"flag": True}),
        ("Sample.pair=3,4 Sample.word=cos", {"pair": (3, 4), "word": "cos"}),
        ("Sample.words=b,a,Sample.count=2", {"words": ("b", "a"), "count": 2}),
        ("Sample.words='b, a', Sample.count=2", {"words": ("b", "a"), "count": 2}),
        ("Sample.free='the dog, chased'", {"free": "the dog, chased"}),
        ("Sample.free=a=b", {"free": "a=b"}),
        ("Sample.free=", {"free": ""}),
        (r"Sample.speeds=C:\Users\me\mine.py:mine", {"speeds": r"C:\Users\me\mine.py:mine"}),
        ("Sample.free=#1", {"free": "#1"}),
        ("Sample.speeds=linear", {"speeds": "linear"}),
        ("Sample.speeds=mine.py:mine", {"speeds": "mine.py:mine"}),
        ("Sample.speeds=1,0.5,0.1", {"speeds": (1.0, 0.5, 0.1)}),
        ("Sample.all_speeds=mixed,mine.py:mine", {"all_speeds": ("mixed", "mine.py:mine")}),
        ("Sample.number=1 Sample.number=2", {"number": 2.0}),
        ("", {}),
    ],
)
def test_pairs_are_divided_by_spaces_or_commas(pairs: str, read: dict[str, Any]) -> None:
    assert set_by(pairs) == read
    assert {name: type(value) for name, value in set_by(pairs).items()} == {
        n: type(v) for n, v in read.items()
    }


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ("Sampel.number=1", "test: no shot is called 'Sampel'; did you mean Sample?"),
        ("Sample.nubmer=1", "test: Sample has no parameter 'nubmer'; did you mean number?"),
        ("ClockSwarm.bse=1", "test: ClockSwarm has no parameter 'bse'; did you mean base?"),
        ("Sample.number=much", "Sample.number must be a number from 0.5 to 2, got 'much'"),
        ("Sample.number=0.4", "must be a number from 0.5 to 2, got 0.4"),
        ("Sample.number=nan", "must be a number from 0.5 to 2, got nan"),
        ("Sample.count=3", "must be an integer from 2 to 8, even, got 3"),
        ("Sample.count=4.0", "must be an integer from 2 to 8, even, got '4.0'"),
        ("Sample.flag=yes", "must be true or false, got 'yes'"),
        ("Sample.word=sine", "must be one of sin, cos, got 'sine'; did you mean sin?"),
        ("Sample.pair=1", "must be 2 integers from 0, got [1]"),
        ("Sample.pair=1,-1", "must be 2 integers from 0"),
        ("Sample.words=a,a", "one is named twice"),
        ("Sample.words=a,b,c", "must be 1 to 2 texts, each one of a, b, c"),
        ("Sample.words=", "must be 1 to 2 texts"),
        (
            "Sample.speeds=nan",
            "must be one of geometric, mixed, linear, finite numbers, or FILE.py:FUNCTION, got",
        ),
        ("Sample.all_speeds=", "must be 1 or more schedules, each one of geometric"),
        ("number=1", "'number=1' is no pair SHOT.NAME=VALUE"),
        ("Sample.free='open", "has a quote that is not closed"),
    ],
)
def test_what_cannot_be_is_told_with_the_nearest_right_one(pairs: str, said: str) -> None:
    assert said in refusal(set_by, pairs)


def test_what_is_set_for_a_shot_holds_for_those_that_vary_it() -> None:
    assert set_by("Sample.number=0.5", Variant) == {"number": 0.5}
    assert set_by("Variant.number=0.5 Sample.number=2", Variant) == {"number": 0.5}, "the nearer one wins"
    assert set_by("Variant.number=0.5", Sample) == {}
    assert set_by("ClockSwarm.base=500000", Sample) == {}
    assert declared(Variant)["number"].default == 2


def test_a_class_a_file_and_pairs_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "sample.toml"
    file.write_text(
        "[Sample]\nnumber = 2\npair = [3, 4]\nflag = true\nspeeds = [1.0, 0.5]\n[ClockSwarm]\nd = 64\n"
    )
    by_file = values(Sample, from_file(file))
    assert by_file == set_by("Sample.number=2 Sample.pair=3,4 Sample.flag=true Sample.speeds=1,0.5")
    assert digest(by_file) == digest(
        set_by("Sample.speeds=1,0.5 Sample.flag=true Sample.pair=3,4 Sample.number=2")
    )


def test_a_file_is_named_from_where_the_table_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text("raise SystemExit('a file is data, until it is asked for')")
    (tmp_path / "own.toml").write_text('[Sample]\nspeeds = "mine.py:mine"\nfree = "mine.py:mine"\n')
    monkeypatch.setenv(PARAMETERS_VARIABLE, str(tmp_path / "own.toml"))
    assert values(Sample, from_environment())["speeds"] == f"{tmp_path / 'mine.py'}:mine"


def test_a_table_may_have_any_path_and_begin_with_a_mark_as_windows_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a=b" / "own.toml"
    file.parent.mkdir()
    file.write_text("[Sample]\nnumber = 2\n", encoding="utf-8-sig")
    monkeypatch.setenv(PARAMETERS_VARIABLE, str(file))
    assert values(Sample, from_environment()) == {"number": 2.0}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[Sample", "is not TOML"),
        (b"\xff\xfe", "is not a text file in UTF-8"),
        (b"number = 1", "'number' must be in the table of a shot, such as [ClockSwarm]"),
        (b"[Sample]\nnumber = [1]", "Sample.number must be a number from 0.5 to 2, got [1]"),
        (b"[Sample]\nnumber = true", "got True"),
        (b"[Sample]\npair = 5", "must be 2 integers"),
        (b"[Sample.number]\nx = 1", "must be a number"),
        (b"[Nobody]", None),
        (b"[Nobody]\nx = 1", "no shot is called 'Nobody'"),
    ],
)
def test_a_damaged_file_is_told_in_a_line(content: bytes, said: str | None, tmp_path: Path) -> None:
    file = tmp_path / "damaged.toml"
    file.write_bytes(content)
    if said is None:
        assert values(Sample, from_file(file)) == {}
    else:
        line = refusal(lambda: values(Sample, from_file(file)))
        assert said in line and "damaged.toml" in line


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=60) | st.text(alphabet="[]={}\"'\\\n.aSample1", max_size=60).map(str.encode)
)
def test_no_file_is_worse_than_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "any.toml"
    file.write_bytes(content)
    try:
        values(Sample, from_file(file))
    except ParameterError as error:
        assert "any.toml" in str(error)


@pytest.mark.parametrize(
    ("shot", "parameter"), EVERY, ids=[f"{shot.__name__}.{each.name}" for shot, each in EVERY]
)
@settings(max_examples=20, deadline=None)
@given(value=ANYTHING)
@example(value=math.nan)
@example(value=10**400)
@example(value=[])
def test_every_parameter_of_every_shot_takes_its_default_and_refuses_nonsense_in_a_line(
    shot: type[LectureScene], parameter: Declared, value: Any
) -> None:
    assert parameter.check(parameter.default) is not None
    assert parameter.parameter.meaning
    for read in (parameter.check, lambda value: parameter.parse(str(value))):
        try:
            taken = read(value)
        except ParameterError as error:
            assert f"{shot.__name__}.{parameter.name} must be" in str(error)
            assert len(str(error)) < 700
        else:
            assert parameter.check(taken) == taken


def test_the_ranges_of_races_tell_what_the_lectures_records_hold() -> None:
    encoders, decoders = (records.load(records.find(name)) for name in ("encoders", "decoders"))
    assert [*encoders.tasks, *decoders.tasks] == list(TASKS)
    assert set(encoders.encodings) & set(decoders.encodings) == set(ENCODINGS)
    assert set(declared(LossRace)["modes"].parameter.known) == set(encoders.encodings)


def test_the_range_tells_what_a_schedule_or_a_model_may_be() -> None:
    assert declared(ClockSwarm)["schedule"].range.startswith("one of geometric, mixed, linear")
    assert declared(ClockSwarm)["model"].range.startswith("one of gemma-3-4b, ")
    assert "bloom-7b1" not in declared(ClockSwarm)["model"].range


# Names


def test_films_of_different_parameters_have_different_names(tmp_path: Path) -> None:
    assert suffix({}) == ""
    some = [
        {"base": 500000.0},
        {"base": 500000.5},
        {"d": 64},
        {"d": 64, "base": 500000.0},
        {"free": "a" * 500},
        {"free": "a" * 501},
        {"free": "../../../etc: *?"},
        {"speeds": (1.0, 0.5)},
        {"speeds": (1.05,)},
    ]
    names = [suffix(values) for values in some]
    assert len(set(names)) == len(names)
    for name in names:
        assert len(name) < 60 and not set(name) & set("/\\.:*?\"<>| '")
    assert names[0].startswith("-base500000-")
    assert suffix({"b": 1, "a": 2}) == suffix({"a": 2, "b": 1})


def test_the_name_tells_what_is_in_the_file_of_a_schedule(tmp_path: Path) -> None:
    file, names = tmp_path / "mine.py", set()
    for text in ("def mine(d): ...", "def mine(d): ....", "def mine(d): ..."):
        file.write_text(text)
        names.add(suffix({"speeds": f"{file}:mine"}))
    assert len(names) == 2


def test_a_model_is_its_configuration_whether_the_folder_or_the_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, table = tmp_path / "mine" / "config.json", tmp_path / "own.toml"
    config.parent.mkdir()
    for named in ("mine", "mine/config.json"):
        table.write_text(f'[ClockSwarm]\nmodel = "{named}"\n')
        names = set()
        for base in (10_000, 20_000, 10_000):
            config.write_text(f'{{"model_type": "llama", "rope_theta": {base}}}')
            names.add(suffix(values(ClockSwarm, from_file(table))))
        assert len(names) == 2, "each state of the file has a name of its own"
    monkeypatch.setenv(PARAMETERS_VARIABLE, str(table))
    with tempconfig({"dry_run": True}):
        assert ClockSwarm().encoding.base == 10_000


def test_a_variant_of_the_environment_has_a_film_and_a_cache_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    films, caches = [], []
    for pairs in (
        "",
        "ClockSwarm.base=10000",
        "ClockSwarm.base=500000",
        "ClockSwarm.base=500000 ClockSwarm.d=64",
    ):
        monkeypatch.setenv(PARAMETERS_VARIABLE, pairs)
        with tempconfig({"media_dir": str(tmp_path)}):
            scene = ClockSwarm()
        films.append(scene.output_plan.primary_artifact.name)
        caches.append(scene.renderer.parameters)
    assert films[:2] == ["ClockSwarm.mp4"] * 2, "what is as it is anyway changes no name"
    assert films[2].startswith("ClockSwarm-base500000-") and films[3].startswith("ClockSwarm-base500000-d64-")
    assert caches[0] == caches[1] and len(set(caches)) == len(set(films)) == 3
    assert scene.frequencies == pytest.approx([500000.0 ** (-2 * i / 64) for i in range(32)])


def test_a_class_attribute_is_checked_as_settings_are() -> None:
    for wrong in ("much", 0.0, None, [1.0], math.inf):
        with tempconfig({"dry_run": True}):
            assert "ClockSwarm.base must be a number" in refusal(variant(ClockSwarm, {"base": wrong}))
    with tempconfig({"dry_run": True}):
        scene = variant(
            ClockSwarm, {"d": np.int64(8), "base": 16, "schedule": np.array([1.0, 0.5, 0.2, 0.1])}
        )
    assert "base is 16, but schedule" in refusal(scene)


# Pictures


def strange() -> st.SearchStrategy[dict[str, Any]]:
    """Return values, in and out of range, of the parameters that hands have."""
    extremes = st.sampled_from([0, 1, 2, 3, 7, 8, 12, 31, 32, 100, 4096, 1_000_000, -1])
    numbers = (
        extremes | st.floats(allow_nan=True) | st.sampled_from([1.5, 1e12, 1.0 + 1e-12, 1e300, 500_000.0])
    )
    schedules = st.sampled_from(["geometric", "mixed", "linear", "other", "nowhere.py:f"])
    lists = st.lists(st.floats(-1.0, 2.0), max_size=9)
    optional = {
        "d": extremes,
        "base": numbers,
        "schedule": schedules | lists,
        "positions": extremes,
        "drawn_hand": extremes,
        "stop": extremes,
        "sentence": st.text(max_size=80),
        "near": st.tuples(extremes, extremes),
        "push": extremes,
        "query": st.lists(st.floats(-2.0, 2.0), min_size=7, max_size=9),
        "model": st.sampled_from(["", "llama-2-7b", "bloom-7b1", "gpt-2", "nobody"]),
    }
    return st.fixed_dictionaries({}, optional=optional)


@pytest.mark.parametrize(
    ("sentence", "told"),
    [("कब किसने", "U+093F"), ("the \u202etac", "U+202E"), ("x\u0301 y", "U+0301"), ("e\u20dd a", "U+20DD")],
)
def test_a_sentence_of_marks_that_have_no_glyph_of_their_own_is_refused(sentence: str, told: str) -> None:
    with tempconfig({"dry_run": True, **DRAFT}):
        line = refusal(variant(ClockHands, {"sentence": sentence}))
    assert line.startswith("ClockHands: sentence: neither Noto Sans") and told in line


def test_a_letter_is_the_same_however_its_accent_was_typed() -> None:
    with tempconfig({"dry_run": True, **DRAFT}):
        composed, apart = (
            variant(ClockHands, {"sentence": sentence})()
            for sentence in ("caf\u00e9 noir", "cafe\u0301 noir")
        )
    assert composed.texts == apart.texts == ["caf\u00e9", "noir"]


@pytest.mark.parametrize(
    "shot", [ClockHands, ClockWall, ClockSwarm, WaveformHeatmap, RopeRotation, RotationFan]
)
@settings(max_examples=15, deadline=None)
@given(changed=strange())
def test_parameters_are_refused_in_a_line_or_make_hands_from_fast_to_slow(
    shot: type[LectureScene], changed: dict[str, Any]
) -> None:
    changed = {name: value for name, value in changed.items() if name in declared(shot)}
    with tempconfig({"dry_run": True, **DRAFT}):
        try:
            scene = variant(shot, changed)()
        except ParameterError as error:
            assert str(error).startswith(shot.__name__) and "\n" not in str(error)
            return
    assert (np.diff(scene.frequencies) <= 0).all() and (scene.frequencies > 0).all()


@pytest.mark.parametrize(
    ("shot", "changed", "language"),
    [
        (ClockHands, {"base": 500_000.0, "sentence": "time flies like an arrow"}, "en"),
        (ClockWall, {"base": 3e6}, "en"),
        (ClockSwarm, {"d": 8, "base": 1.5}, "zh"),
        (ClockSwarm, {"d": 4096, "base": 1e12}, "en"),
        (ClockSwarm, {"model": "llama-3.1-8b"}, "zh"),
        (WaveformHeatmap, {"d": 12, "positions": 40, "stop": 39, "drawn_hand": 1}, "en"),
        (RopeRotation, {"base": 1e7 - 1.0, "query_word": 1, "key_word": 0}, "en"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_at_the_ends_of_their_ranges_parameters_make_a_right_picture(
    shot: type[LectureScene], changed: dict[str, Any], language: str, tmp_path: Path
) -> None:
    faults: list[str] = []
    sections: list[str] = []

    def check(scene: LectureScene, section: str) -> None:
        sections.append(section)
        faults.extend(f"{section}: {fault}" for fault in layout_faults(scene))

    construct(variant(shot, changed), tmp_path, language, at_section_end=check)
    assert not faults, "\n".join(faults)
    assert len(sections) >= 2


def test_the_slowest_hands_that_a_model_may_have_find_room(tmp_path: Path) -> None:
    config, most = tmp_path / "slow" / "config.json", 2**53
    config.parent.mkdir()
    base = (0.99 * most / (2.0 * math.pi)) ** (128 / 126)
    config.write_text(f'{{"model_type": "llama", "rope_theta": {base}, "max_position_embeddings": {most}}}')
    faults: list[str] = []

    class SlowSwarm(ClockSwarm):
        model = str(config.parent)

        def construct(self) -> None:
            self.beat("next_words")
            self.say_period()

    construct(SlowSwarm, tmp_path, at_section_end=lambda scene, _: faults.extend(layout_faults(scene)))
    assert not faults, "\n".join(faults)


def test_a_real_models_hands_and_the_period_of_its_slowest_are_shown(tmp_path: Path) -> None:
    said: list[str] = []

    def read(scene: LectureScene, section: str) -> None:
        said.extend(getattr(mobject, "text", "") for mobject in scene.on_screen())

    scene = construct(variant(ClockSwarm, {"model": "llama-2-7b"}), tmp_path, at_section_end=read)
    assert isinstance(scene, ClockSwarm)
    # 128 numbers a head, base 10,000: the slowest turns once in 2 pi 10000**(126 / 128) positions.
    period = 2.0 * math.pi * 10_000.0 ** (126 / 128)
    assert scene.swarm.frequencies == pytest.approx([10_000.0 ** (-2 * i / 128) for i in range(64)])
    assert "llama-2-7b" in said and "64 hands" in said
    assert any(f"{period:,.0f}" in text for text in said)
    assert any("4,096" in text and f"{4096 / period:.2g}" in text for text in said)


# As a user does it


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("ClockSwarm.bse=5", "ClockSwarm has no parameter 'bse'; did you mean base?"),
        ("BROKEN", "is not TOML"),
        ("ClockSwarm.schedule=MINE:fails", "ClockSwarm: MINE:fails fails for d=512: ZeroDivisionError"),
    ],
)
def test_manim_stops_before_the_first_frame_with_one_line(parameters: str, said: str, tmp_path: Path) -> None:
    broken, mine = tmp_path / "broken.toml", tmp_path / "mine.py"
    broken.write_text("[ClockSwarm")
    mine.write_text("def fails(d):\n    return 1 / 0\n")
    for name, file in (("BROKEN", broken), ("MINE", mine)):
        parameters, said = parameters.replace(name, str(file)), said.replace(name, str(file))
    media = tmp_path / "media"
    done = manim_render(
        "-ql", "-s", "scenes/clock_hands.py", "ClockSwarm", media=media, **{PARAMETERS_VARIABLE: parameters}
    )
    assert done.returncode == 1
    assert said in done.stderr and done.stderr.count("\n") == 1
    assert "Traceback" not in done.stdout + done.stderr
    assert not [file for file in media.rglob("*") if file.is_file()]


def test_manim_draws_a_schedule_of_ones_own_under_a_name_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def mine(d):\n    return [0.9**k for k in range(d // 2)]\n")
    (tmp_path / "own.toml").write_text('[ClockSwarm]\nschedule = "mine.py:mine"\nd = 64\n')
    own = {PARAMETERS_VARIABLE: str(tmp_path / "own.toml")}
    media = tmp_path / "media"
    done = manim_render("-ql", "-s", "-n", "0,0", "scenes/clock_hands.py", "ClockSwarm", media=media, **own)
    assert done.returncode == 0, done.stdout + done.stderr
    assert only(media, "*.png").name.startswith("ClockSwarm-d64-")
