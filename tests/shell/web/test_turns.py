"""Pages take turns: mails are served in between, and whoever has asked for little goes first."""

import asyncio

from mailbot.shell.web.turns import Turns


def test_one_page_begins_in_each_pass_of_the_loop() -> None:
    async def story() -> None:
        turns, begun, passes = Turns(), [], []

        async def page(number: int) -> None:
            await turns.turn(lambda: (0, 1.0))
            begun.append(number)

        async def mails() -> None:
            while len(begun) < 9:
                passes.append(len(begun))
                await asyncio.sleep(0)

        await asyncio.gather(*map(page, range(9)), mails())
        assert begun == [*range(9)]
        assert {*passes} >= {*range(1, 9)}, "the loop did something else after each of them"

    asyncio.run(story())


def test_the_network_that_has_used_least_goes_first() -> None:
    async def story() -> None:
        turns, begun = Turns(), []

        async def page(used: float) -> None:
            await turns.turn(lambda: (0, used))
            begun.append(used)

        await asyncio.gather(*map(page, [5.0, 4.0, 4.5, 0.0]))
        assert begun == [5.0, 0.0, 4.0, 4.5], "the first one came when nobody waited"

    asyncio.run(story())


def test_who_gives_up_holds_up_nobody() -> None:
    async def story() -> None:
        turns = Turns()
        waiting = [asyncio.create_task(turns.turn(lambda: (0, 1.0))) for _ in range(4)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        waiting[3].cancel()
        async with asyncio.timeout(20):
            done = await asyncio.gather(*waiting, return_exceptions=True)
        assert [one is None for one in done] == [True, False, True, False]
        await asyncio.sleep(0)
        await asyncio.wait_for(turns.turn(lambda: (0, 1.0)), 20)

    asyncio.run(story())


def test_what_a_network_uses_while_its_requests_wait_counts() -> None:
    async def story() -> None:
        turns, begun, used = Turns(), list[str](), {"many": 0.0, "one": 0.5}

        async def page(network: str) -> None:
            await turns.turn(lambda: (0, used[network]))
            begun.append(network)
            used[network] += 0.3

        await asyncio.gather(*map(page, ["many"] * 9), page("one"))
        assert begun == ["many"] * 2 + ["one"] + ["many"] * 7

    asyncio.run(story())


def test_what_was_used_in_an_earlier_minute_holds_nobody_back() -> None:
    async def story() -> None:
        turns, begun, used = Turns(), list[str](), {"many": (1.0, 9.0), "one": (1.0, 5.0), "new": (2.0, 0.1)}

        async def page(network: str) -> None:
            await turns.turn(lambda: used[network])
            begun.append(network)
            if len(begun) == 2:
                used.update(many=(2.0, 0.2), one=(2.0, 0.0))
            elif len(begun) > 2:
                used[network] = (2.0, used[network][1] + 0.3)

        await asyncio.gather(*map(page, ["many", "many", "many", "one", "one", "new"]))
        assert begun == ["many", "one", "one", "new", "many", "many"]

    asyncio.run(story())
