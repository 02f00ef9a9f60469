"""A board in a real browser: a new move appears by itself, and the arrow keys step through the game."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import Served

expect = pytest.importorskip("playwright.sync_api").expect
Tab = Callable[..., Any]


def test_a_new_move_appears_and_keys_step_through_the_game(served: Served, tab: Tab) -> None:
    served.sign_up("mia", "ned")
    board = served.game("mia", "ned")
    address = f"{served.url}/board/{board}"
    now, then = tab(), tab(360, "dark")
    now.goto(address)
    now.locator("summary").first.click()
    served.answer("mia", "b6")
    expect(now.locator(".steps span")).to_have_text("ply 1 of 1")
    expect(now.locator("#news")).to_contain_text("mia has played b6. It is ned's turn: ply 2.")
    assert now.evaluate("document.querySelector('#board details').open")
    then.goto(f"{address}/0")
    served.answer("ned", "a3,a12")
    expect(then.locator("#news")).to_contain_text("ned has played a3,a12.")
    expect(then.locator(".steps span")).to_have_text("ply 0 of 1")  # who looks back is told, and not taken away
    expect(now.locator(".steps span")).to_have_text("ply 2 of 2")
    for key, shown, where in (
        ("ArrowLeft", "ply 1 of 2", "/1"),
        ("Home", "ply 0 of 2", "/0"),
        ("ArrowLeft", "ply 0 of 2", "/0"),
        ("ArrowRight", "ply 1 of 2", "/1"),
        ("End", "ply 2 of 2", ""),
    ):
        now.keyboard.press(key)
        expect(now.locator(".steps span")).to_have_text(shown)
        expect(now).to_have_url(f"{address}{where}")
    now.go_back()
    expect(now.locator(".steps span")).to_have_text("ply 1 of 2")
    now.go_forward()
    expect(now.locator(".steps span")).to_have_text("ply 2 of 2")
    served.answer("mia", f"resign {board}")
    expect(now.locator("#news")).to_contain_text("The game is over")
