"""Makes docs/pictures/page-360.png and page-1000.png: a turn on the page, as README shows it.

python -m tests.browser.picture
"""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, Served, chromium

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
MOVES = ("a1", "b2,c9", "c8,b21", "b7,c18")


def main() -> None:
    """Two players play some turns by mail; then the one to move opens the link and lays two tiles."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served = Served(Path(folder))
        served.sign_up("ann", "bob")
        served.game("ann", "bob")
        for ply, move in enumerate(MOVES):
            served.answer(("ann", "bob")[ply % 2], move)
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS])
        for width, height in ((360, 860), (1000, 640)):
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"{served.link('ann')}?move=b10,c3")
            page.wait_for_selector("button.hit")
            page.screenshot(path=FOLDER / f"page-{width}.png")
        browser.close()
        served.stop()


if __name__ == "__main__":
    main()
