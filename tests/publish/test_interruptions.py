"""Workers that die, commands that are killed or stopped, and two commands at once."""

from __future__ import annotations

import os
import signal
import time

from publish.films import Film, count_frames
from tests.publish.conftest import EN_DARK, Checkout, alive, ended, wait_until

TINY_FRAMES = 12  # twice 0.4 s at 15 frames a second


def check_whole(checkout: Checkout, shot: str) -> Film:
    """Check that a film is what its manifest says, and all of it."""
    film = checkout.film(shot)
    assert film is not None
    folder = checkout.films / EN_DARK / shot
    assert count_frames(folder / film.file) == film.frames
    assert sum(count_frames(folder / section.file) for section in film.sections) == film.frames
    return film


def test_a_killed_worker_costs_its_own_job_alone(checkout: Checkout) -> None:
    command = checkout.render("Long", "Tiny", "--jobs", "2")
    wait_until(lambda: checkout.begun("Long") and checkout.film("Tiny"), command)
    (victim,) = checkout.begun("Long")
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: len(checkout.begun("Long")) == 2, command)
    checkout.let_go()
    status, out, err = ended(command)
    assert status == 0, out + err
    assert "worker died" in out and not err
    check_whole(checkout, "Long")
    assert len(checkout.begun("Tiny")) == 1
    assert not checkout.workplaces()


def test_a_shot_that_kills_every_worker_is_tried_four_times_while_the_others_finish(
    checkout: Checkout,
) -> None:
    status, out, err = ended(checkout.render("Deadly", "Broken", "Tiny", "Other", "--jobs", "2"))
    assert status == 1
    assert len(checkout.begun("Deadly")) == 4
    assert len(checkout.begun("Broken")) == 1, "an exception is no dead worker: it would come again"
    for shot in ("Tiny", "Other"):
        assert check_whole(checkout, shot).frames == TINY_FRAMES
        assert len(checkout.begun(shot)) == 1
    assert "2 of 4 films are in" in out
    assert "Deadly (en, dark): its worker died 4 times" in err
    assert "Broken (en, dark): ZeroDivisionError: a bug in the shot" in err
    folder = checkout.films / EN_DARK
    assert (folder / "Deadly.log").read_text().count("about to die") == 4
    broken = (folder / "Broken.log").read_text()
    assert broken.startswith("about to break") and "ZeroDivisionError" in broken
    assert not (folder / "Broken").exists() and not (folder / "Deadly").exists()


def test_a_killed_command_leaves_whole_films_and_goes_on_from_there(checkout: Checkout) -> None:
    command = checkout.render("Long", "Tiny", "--jobs", "2")
    wait_until(lambda: checkout.begun("Long") and checkout.film("Tiny"), command)
    command.kill()
    command.wait()
    wait_until(lambda: not any(map(alive, checkout.begun("Long") + checkout.begun("Tiny"))))
    assert not (checkout.films / EN_DARK / "Long").exists()
    assert len(checkout.workplaces()) == 1
    before = check_whole(checkout, "Tiny")

    checkout.let_go()
    status, out, err = ended(checkout.render("Long", "Tiny", "--jobs", "2"))
    assert status == 0, out + err
    assert "Tiny (en, dark): unchanged" in out
    assert len(checkout.begun("Tiny")) == 1 and len(checkout.begun("Long")) == 2
    assert check_whole(checkout, "Tiny") == before
    check_whole(checkout, "Long")
    assert not checkout.workplaces(), "what the killed command left is still there"


def test_ctrl_c_stops_command_and_workers_at_once(checkout: Checkout) -> None:
    command = checkout.render("Long", "Tiny", "--jobs", "2")
    wait_until(lambda: checkout.begun("Long") and checkout.film("Tiny"), command)
    os.killpg(command.pid, signal.SIGINT)
    stopped = time.monotonic()
    status, _, err = ended(command)
    assert status == 130
    assert time.monotonic() - stopped < 20, "it waited for the shot"
    assert err.count("\n") == 1 and "stopped" in err
    assert not any(map(alive, checkout.begun("Long") + checkout.begun("Tiny")))
    check_whole(checkout, "Tiny")
    assert not (checkout.films / EN_DARK / "Long").exists()
    assert not checkout.workplaces()


def test_ctrl_c_while_workers_start_is_as_quiet(checkout: Checkout) -> None:
    command = checkout.render("Tiny")
    wait_until(lambda: list(checkout.films.glob(".work*/dask-scratch-space")), command)
    os.killpg(command.pid, signal.SIGINT)
    status, out, err = ended(command)
    assert status == 130
    assert out == "" and err.count("\n") == 1 and "stopped" in err


def test_two_commands_at_once_leave_whole_films(checkout: Checkout) -> None:
    commands = [checkout.render("Tiny", "Long", "--force", "--jobs", "2") for _ in range(2)]
    wait_until(lambda: len(checkout.begun("Long")) == 2, *commands)
    checkout.let_go()
    for command in commands:
        status, out, err = ended(command)
        assert status == 0, out + err
    assert check_whole(checkout, "Tiny").frames == TINY_FRAMES
    check_whole(checkout, "Long")
    assert len(checkout.begun("Tiny")) == len(checkout.begun("Long")) == 2
    assert not checkout.workplaces()
