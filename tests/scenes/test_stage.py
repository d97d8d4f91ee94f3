"""The stage: beats, captions, loops, films' names, Manim's cache."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest
from manim import ValueTracker, tempconfig

from scenes.stage import LectureScene
from tests.scenes.harness import DRAFT, ROOT, construct, frames, looking, manim_render, only, section_index

SAMPLE = """
import numpy as np
from manim import UP, ValueTracker, linear
from scenes.mobjects.clock import Clock
from scenes.clock_hands import ClockHands
from scenes.stage import LectureScene


class Sample(ClockHands):
    def construct(self):
        self.beat("ask")
        self.play(self.idea("question"), run_time=0.55)
        self.beat("turn_once", loops=True)
        self.play(self.position.animate.set_value(self.periods[0]), run_time=1, rate_func=linear)
        self.clear_idea()
"""


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A short shot in a file of its own, as a user would write one."""
    file = tmp_path / "sample.py"
    file.write_text(SAMPLE)
    return file


def test_sections_are_named_typed_and_captioned(sample: Path, tmp_path: Path) -> None:
    done = manim_render(
        "-r", "426,240", "--fps", "10", "--save_sections", str(sample), "Sample", media=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    sections = section_index(tmp_path, "Sample")
    assert [(section["name"], section["type"]) for section in sections] == [
        ("ask", "clockhands.normal"),
        ("turn_once", "clockhands.loop"),
    ]
    assert int(sections[1]["nb_frames"]) == 10
    captions = only(tmp_path, "Sample.srt").read_text()
    assert captions.startswith("1\n00:00:00,000 --> ")
    assert "One turn of this hand is 6.28 positions." in captions


def test_a_loops_last_frame_continues_into_its_first(sample: Path, tmp_path: Path) -> None:
    manim_render("-r", "426,240", "--fps", "10", "--save_sections", str(sample), "Sample", media=tmp_path)
    loop = frames(only(tmp_path, "*turn_once.mp4"), set(range(10)))
    moved = [np.abs(loop[(k + 1) % 10].astype(int) - loop[k]).mean() for k in range(10)]
    # The step from the last frame to the first is as large as any other step, not a jump and not a stop.
    assert 0.5 * np.median(moved) < moved[-1] < 1.5 * np.median(moved)


@pytest.mark.parametrize(
    ("format_", "codec", "pattern"),
    [
        ("mp4", "h264", "Sample.mp4"),
        ("webm", "vp9", "Sample.webm"),
        ("mov", "h264", "Sample.mov"),
        ("gif", "gif", "Sample*.gif"),
    ],
)
def test_every_film_format_of_manims_own(
    format_: str, codec: str, pattern: str, sample: Path, tmp_path: Path
) -> None:
    done = manim_render("-ql", "--format", format_, str(sample), "Sample", media=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    with av.open(str(only(tmp_path, pattern))) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name.removeprefix("lib").startswith(codec)
        assert (stream.codec_context.width, stream.codec_context.height) == (854, 480)
        assert sum(1 for _ in container.decode(stream)) > 20


def test_stills_png_sequences_and_transparency(sample: Path, tmp_path: Path) -> None:
    still = manim_render("-ql", "-s", str(sample), "Sample", media=tmp_path / "still")
    assert still.returncode == 0, still.stdout + still.stderr
    assert only(tmp_path / "still", "Sample*.png")

    sequence = manim_render(
        "-r",
        "426,240",
        "--fps",
        "10",
        "--format",
        "png-sequence",
        str(sample),
        "Sample",
        media=tmp_path / "png",
    )
    assert sequence.returncode == 0, sequence.stdout + sequence.stderr
    assert len(list((tmp_path / "png").rglob("*.png"))) > 60, "the still moments are missing"

    clear = manim_render(
        "-r", "426,240", "--fps", "10", "-t", str(sample), "Sample", media=tmp_path / "clear"
    )
    assert clear.returncode == 0, clear.stdout + clear.stderr
    with av.open(str(only(tmp_path / "clear", "Sample.mov"))) as container:
        alpha = next(container.decode(video=0)).to_ndarray(format="rgba")[..., 3]
    assert alpha.min() == 0 and alpha.max() == 255


@pytest.mark.parametrize("flag", ["-qm", "-qh", "-qp", "-qk"])
def test_every_quality_of_manims_own(flag: str, sample: Path, tmp_path: Path) -> None:
    done = manim_render(flag, "-s", str(sample), "Sample", media=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_film_cut_short_by_n_ends_without_an_error(sample: Path, tmp_path: Path) -> None:
    done = manim_render("-r", "426,240", "--fps", "10", "-n", "0,0", str(sample), "Sample", media=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert only(tmp_path, "Sample.mp4")


def test_each_language_and_theme_has_films_of_its_own(tmp_path: Path) -> None:
    class Named(LectureScene):
        pass

    places = set()
    for language, theme in (("en", "dark"), ("zh", "dark"), ("en", "light"), ("zh", "light")):
        with looking(language, theme), tempconfig({"media_dir": str(tmp_path)}):
            places.add(Named().output_plan.primary_artifact)
    assert len(places) == 4


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [("CLOCKHANDS_LANG", "fr", "en, zh"), ("CLOCKHANDS_THEME", "sepia", "dark, light")],
)
def test_a_wrong_language_or_theme_stops_before_the_first_frame(
    name: str, value: str, right: str, sample: Path, tmp_path: Path
) -> None:
    done = manim_render("-ql", str(sample), "Sample", media=tmp_path / "media", **{name: value})
    assert done.returncode != 0
    assert right in " ".join((done.stdout + done.stderr).split())
    assert not list((tmp_path / "media").rglob("*.mp4"))


def test_an_edit_to_the_sources_is_never_met_by_an_old_film(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = []
    for digest in ("before", "after", "before"):
        monkeypatch.setattr("scenes.renderer.source_digest", lambda digest=digest: digest)

        class Turn(LectureScene):
            def setup(self) -> None:
                self.tracker = ValueTracker(0.0)

            def construct(self) -> None:
                self.play(self.tracker.animate.set_value(1.0), run_time=0.2)

        with tempconfig({"media_dir": str(tmp_path), "progress_bar": "none", **DRAFT}):
            scene = Turn()
            scene.render()
        names.append(scene.renderer.animations_hashes)
    assert names[0] == names[2] != names[1]


def test_a_beat_without_its_caption_is_an_error_that_names_it(tmp_path: Path) -> None:
    class Silent(LectureScene):
        def setup(self) -> None: ...

        def construct(self) -> None:
            self.beat("nothing")

    with pytest.raises(KeyError, match=r"en.toml has no 'caption.nothing' in any of: .*Silent, LectureScene"):
        construct(Silent, tmp_path)


def test_a_play_lasts_whole_frames() -> None:
    with tempconfig({"frame_rate": 15, "dry_run": True}):
        scene = LectureScene()
        tracker = ValueTracker(0.0)
        lengths = [
            scene.get_run_time([tracker.animate(run_time=seconds).set_value(1.0).build()])
            for seconds in (1.0, 0.7)
        ]
    assert lengths == pytest.approx([15 / 15, 11 / 15], abs=1e-4)


def test_importing_scenes_leaves_torch_and_the_publishing_alone() -> None:
    code = "import sys, scenes.lecture; print([name for name in ('torch', 'publish') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
