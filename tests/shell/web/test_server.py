"""The page's own socket."""

import socket

from mailbot.shell.web.server import Page


def test_a_page_does_not_wait_for_the_browsers_word() -> None:
    page = Page("127.0.0.1", 0, "")
    with socket.create_connection(("127.0.0.1", page.port)), page._socket as listening:
        listening.setblocking(True)
        with listening.accept()[0] as taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
