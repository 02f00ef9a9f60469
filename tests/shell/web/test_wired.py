"""The daemon with its page, over a real socket: the guard is in front, and letters know the page's address."""

import asyncio
import re
from pathlib import Path

from mailbot.shell.app import App
from mailbot.shell.config.load import Config
from mailbot.shell.config.settings import ListenSection, RelaySection, StoreSection, WebSection


async def ask(port: int, octets: bytes) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(octets)
    answer = await reader.read()
    writer.close()
    return answer.decode()


def test_the_page_of_a_daemon(tmp_path: Path) -> None:
    async def story() -> None:
        config = Config(
            listen=ListenSection(port=0),
            store=StoreSection(path=tmp_path / "db.sqlite"),
            relay=RelaySection(maildir=tmp_path / "mail"),
            web=WebSection(enabled=True, port=0),
        )
        app = App(config, {})
        await app.start()
        try:
            assert app.page
            port = app.page.port
            assert app.letterbox.page == f"http://127.0.0.1:{port}"
            rows = [
                (b"GET /login", f"127.0.0.1:{port}", "200 OK"),
                (b"GET /login", f"localhost:{port}", "200 OK"),
                (b"GET /login", "evil.example", "421"),
                (b"GET /nothing", f"127.0.0.1:{port}", "404"),
                (b"PUT /login", f"127.0.0.1:{port}", "405"),
                (b"GET /static/../page/base.html", f"127.0.0.1:{port}", "400"),
                (b"HEAD /login", f"127.0.0.1:{port}", "200 OK"),
                (b"HEAD /board/1/live", f"127.0.0.1:{port}", "405"),  # else the answer would go on without end
            ]
            for line, host, status in rows:
                said = await ask(port, line + f" HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                assert said.startswith(f"HTTP/1.1 {status}"), (line, said[:200])
                assert "content-security-policy: default-src 'none'" in said and "server:" not in said.lower()
                assert "cache-control: no-" in said, "a board that has not begun begins some day"
            own = f"Host: localhost:{port}\r\nConnection: close\r\n"
            page = await ask(port, f"GET /login HTTP/1.1\r\n{own}\r\n".encode())
            cookie, once, seal = (
                found[1] for mark in ("mailbot=(visit[0-9a-f]+)", 'once" value="([^"]+)', 'seal" value="([^"]+)')
                if (found := re.search(mark, page))
            )  # fmt: skip
            body = f"once={once}&seal={seal}&name=nobody&password=wrong-word-1"
            head = f"POST /login HTTP/1.1\r\n{own}Cookie: mailbot={cookie}\r\n"
            head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
            assert "do not belong together" in await ask(port, (head + body).encode())
        finally:
            await app.stop()

    asyncio.run(story())
