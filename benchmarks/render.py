"""Measure how fast shots render, against the usual ways and against encoding alone.

``python -m benchmarks.render`` from the project's folder; ``docs/performance.md`` tells what came out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from manim.constants import QUALITIES

from benchmarks.bench import Bench, Figures, per_frame
from benchmarks.cluster import two_workers
from benchmarks.picture import similarity
from benchmarks.report import Finding, Goal, table, write
from publish.contents import find_shots
from publish.films import Film
from publish.jobs import QUALITY_NAMES
from scenes.stage import LectureScene

# For each headline shot: its stretch, and the module of benchmarks.stock that draws it the usual way.
HEADLINES = {
    "ClockHands": ("Hands", "clock_hands"),
    "ClockWall": ("Wall", "clock_wall"),
    "ClockSwarm": ("Swarm", "clock_swarm"),
    "WaveformHeatmap": ("Map", "waveform_heatmap"),
    "RopeRotation": ("Planes", "rope_rotation"),
    "LossRace": ("Race", "loss_race"),
}
# These take up to a second a frame the usual way, so a part of the stretch must do.
SHORTER = {"ClockSwarm": 0.5, "WaveformHeatmap": 0.5}
LONG = 10.0  # stretches, to see whether memory grows
NEAR_LOSSLESS = ("preset=slow", "crf=12")
MANIMS_OWN = ("crf=23",)

Shots = Sequence[type[LectureScene]]


def usual_ways(bench: Bench, headlines: Sequence[str], shots: Shots) -> Iterator[Finding]:
    """Compare each headline shot with the usual way, and the heatmap with ``ImageMobject``, too."""
    for shot in headlines:
        stretch, module = HEADLINES[shot]
        seconds = SHORTER.get(shot, 1.0)
        usual = partial(bench.usual, module, seconds=seconds)
        ways = {"ours": partial(bench.ours, stretch, seconds=seconds), "usual": partial(usual, stretch)}
        if shot == "WaveformHeatmap":
            ways["image"] = partial(usual, "ImageMap")
        found = bench.in_turn(ways)
        goal = Goal(10.0 if shot == "WaveformHeatmap" else 3.0, at_least=True)
        yield times_less(f"{shot} against the usual way", found["ours"], found["usual"], "cpu", goal)
        if "image" in found:
            goal = Goal(2.0, at_least=True)
            yield times_less(f"{shot} against `ImageMobject`", found["ours"], found["image"], "cpu", goal)


def against_matplotlib(bench: Bench, headlines: Sequence[str], shots: Shots) -> Iterator[Finding]:
    """Compare the clocks with matplotlib's ``FuncAnimation``."""
    height = QUALITIES[QUALITY_NAMES[bench.quality]]["pixel_height"]
    length = ("--seconds", f"{bench.seconds:g}", "--height", f"{height}")
    film = str(bench.folder / "matplotlib.mp4")
    found = bench.in_turn(
        {
            "ours": partial(bench.ours, "Hands"),
            "usual": partial(bench.program, "benchmarks.matplotlib_clock", film, *length),
        }
    )
    goal = Goal(5.0, at_least=True)
    yield times_less("ClockHands against matplotlib", found["ours"], found["usual"], "wall", goal)


def sizes(bench: Bench, headlines: Sequence[str], shots: Shots) -> Iterator[Finding]:
    """Compare many hands with few, and many cells with few."""
    for what, few, many in (
        ("256 hands against 8", "FewHands", "Swarm"),
        ("512×512 cells against 32×100", "Cells", "ManyCells"),
    ):
        found = bench.in_turn({"few": partial(bench.ours, few), "many": partial(bench.ours, many)})
        ratio = per_frame(found["many"], "cpu") / per_frame(found["few"], "cpu")
        yield Finding(what, ratio, "times the CPU", Goal(1.3), found)


def whole_films(bench: Bench, headlines: Sequence[str], shots: Shots) -> Iterator[Finding]:
    """Render whole films from nothing, two at once; then encode the same frames again and nothing else."""
    ours = bench.command("-m", "publish", "render", *names(shots), "-q", bench.quality, "--jobs", "2")
    folders = films(bench)
    made = [film for folder in folders if (film := Film.read(folder))]
    ours["frames"], playing = sum(film.frames for film in made), sum(film.duration for film in made)
    files = [str(folder / film.file) for folder, film in zip(folders, made, strict=True)]
    floor = bench.program("benchmarks.floor", *files)
    figures = {"ours": ours, "encoding alone": floor}
    what = f"whole films ({len(made)} of {playing:.0f} s)"
    yield Finding(f"{what}: wall", ours["wall"] / playing, "of their playing time", Goal(1.0), figures)
    yield Finding(f"{what}: CPU of two cores", ours["cpu"] / 2.0 / playing, "of their playing time")
    ratio = ours["wall"] / floor["wall"]
    yield Finding(f"{what}: wall against encoding alone", ratio, "times", Goal(1.3))
    yield Finding("a job of these at its largest", ours["memory"], "MB", Goal(700.0))


def again(bench: Bench, headlines: Sequence[str], shots: Shots) -> Iterator[Finding]:
    """Render each shot twice with ``manim render``, and the second time with nothing changed.

    In 480p, since the second time nothing is drawn, and the first is not what is asked about.
    """
    imports = bench.command("-c", "import scenes.lecture")
    yield Finding("starting Python and importing the lecture", imports["wall"], "s")
    for shot in shots:
        module = Path(*shot.__module__.split(".")).with_suffix(".py")
        source = str(Path(__file__).parents[1] / module)
        options = ("--progress_bar", "none", "-q", "l")
        render = partial(bench.command, "-m", "manim", "render", *options, source, shot.__name__)
        figures = {"first": render(), "second": render()}
        yield Finding(f"{shot.__name__} a second time", figures["second"]["wall"], "s", Goal(3.0), figures)


def side_by_side(bench: Bench, headlines: Sequence[str], shots: Shots) -> Iterator[Finding]:
    """Render one shot in both themes with one job, with two, and on a cluster of two workers."""
    command = ("-m", "publish", "render", shots[0].__name__, "--theme", "dark", "light", "--force")
    render = partial(bench.command, *command, "-q", bench.quality)
    with two_workers(bench) as address:
        found = bench.in_turn(
            {
                "1 job": partial(render, "--jobs", "1"),
                "2 jobs": partial(render, "--jobs", "2"),
                "cluster": partial(render, "--scheduler", address),
            }
        )
    frames = 2.0 * next(film.frames for folder in films(bench) if (film := Film.read(folder)))
    found = {name: figures | {"frames": frames} for name, figures in found.items()}
    one, two, cluster = (found[name]["wall"] for name in found)
    yield Finding("two jobs against one", one / two, "times the films", Goal(1.7, at_least=True), found)
    yield Finding("two separate Dask workers against one job", one / cluster, "times the films")
    # More than one core means that one job already uses the other, while frames are encoded.
    yield Finding("one job", found["1 job"]["cpu"] / one, "cores in use")


def memory(bench: Bench, headlines: Sequence[str], shots: Shots) -> Iterator[Finding]:
    """Compare the memory of a long scene with that of a short one."""
    for stretch in ("Swarm", "Map"):
        found = bench.in_turn(
            {"short": partial(bench.ours, stretch), "long": partial(bench.ours, stretch, seconds=LONG)}
        )
        peak = found["long"]["memory"]
        what = f"{stretch}, {LONG * bench.seconds:g} s"
        yield Finding(f"{what}: memory", peak, "MB", Goal(700.0), found)
        growth = peak / found["short"]["memory"]
        yield Finding(f"{what} against {bench.seconds:g} s", growth, "times the memory", Goal(1.1))


def pictures(bench: Bench, headlines: Sequence[str], shots: Shots) -> Iterator[Finding]:
    """Compare the films' pictures with nearly lossless ones, and their sizes with those of other settings."""
    for shot in headlines:
        stretch, _ = HEADLINES[shot]
        film, reference = (bench.folder / f"{stretch}-{name}.mp4" for name in ("film", "reference"))
        ours = bench.ours(stretch, seconds=SHORTER.get(shot, 1.0))
        bench.film(stretch).rename(film)
        other = bench.ours(stretch, "--encoder", *NEAR_LOSSLESS, seconds=SHORTER.get(shot, 1.0))
        bench.film(stretch).rename(reference)
        manims = bench.ours(stretch, "--encoder", *MANIMS_OWN, seconds=SHORTER.get(shot, 1.0))
        figures = {"ours": ours, "reference": other, "manim's": manims}
        what = f"{shot} against {' '.join(NEAR_LOSSLESS)}"
        yield Finding(what, similarity(film, reference), "SSIM", Goal(0.99, at_least=True))
        ratio = ours["bytes"] / manims["bytes"]
        yield Finding(f"{shot} against Manim's own settings", ratio, "times the bytes", Goal(2.0), figures)


SECTIONS: Mapping[str, Callable[[Bench, Sequence[str], Shots], Iterator[Finding]]] = {
    "stock": usual_ways,
    "matplotlib": against_matplotlib,
    "sizes": sizes,
    "memory": memory,
    "picture": pictures,
    "jobs": side_by_side,
    "again": again,
    "films": whole_films,
}


def times_less(what: str, ours: Figures, usual: Figures, of: str, goal: Goal) -> Finding:
    """Return how many times less of ``of`` a frame of ours takes."""
    ratio = per_frame(usual, of) / per_frame(ours, of)
    unit = {"cpu": "times less CPU", "wall": "times less wall time"}[of]
    return Finding(what, ratio, unit, goal, {"ours": ours, "usual": usual})


def names(shots: Shots) -> list[str]:
    """Return the names of shots."""
    return [shot.__name__ for shot in shots]


def films(bench: Bench) -> list[Path]:
    """Return the folders of the films that `clockhands render` has made."""
    return sorted(file.parent for file in (bench.folder / "media/films").rglob("film.json"))


def main() -> None:
    """Run as a command."""
    options = _parser().parse_args()
    shots = find_shots(options.shots)
    headlines = tuple(shot for shot in HEADLINES if shot in names(shots))
    quality, rounds, seconds = options.quality, options.rounds, options.seconds
    if options.smoke:
        quality, rounds, seconds = "l", 1, 0.2
        headlines, shots = ("WaveformHeatmap",), shots[:1]
    settings = {"quality": quality, "rounds": rounds, "seconds": seconds, "shots": names(shots)}
    findings: list[Finding] = []
    with TemporaryDirectory(dir=options.folder) as folder:
        for section in options.only or SECTIONS:
            # A folder for each: what one has rendered, another must not find.
            bench = Bench(Path(folder) / section, quality, rounds, seconds)
            bench.prepare()
            for finding in SECTIONS[section](bench, headlines, shots):
                findings.append(finding)
                print(f"{finding.what}: {finding.value:.3g} {finding.unit}", flush=True)
                if options.json:
                    write(options.json, settings, findings)
    print(f"\n{table(findings)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Measure how fast shots render.")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--shots", nargs="+", default=[], help="what to measure (default: all shots)")
    parser.add_argument("-q", "--quality", choices=QUALITY_NAMES, default="h", help="default: h, 1080p60")
    parser.add_argument("--rounds", type=int, default=3, help="of which the medians are taken (default: 3)")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of a stretch (default: 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was measured")
    parser.add_argument("--folder", type=Path, help="where to work (default: the system's temporary folder)")
    parser.add_argument(
        "--smoke", action="store_true", help="only see whether it runs: tiny, short, one shot"
    )
    return parser


if __name__ == "__main__":
    main()
