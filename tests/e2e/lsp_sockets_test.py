"""`hearth lsp` on a Unix socket and on TCP: several clients, one engine."""

import os
import re
import socket
import stat
import tempfile
import time
import unittest

import lsp_client

URI = "file:///project/a.py"


def connect(family, address):
    """The server's socket, once it is there."""
    deadline = time.monotonic() + lsp_client.PATIENCE
    while True:
        try:
            return lsp_client.connect(family, address)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


class SocketsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "hearth.sock")

    def start(self, *arguments):
        server = lsp_client.Server(*arguments)
        self.addCleanup(server.stop)
        return server

    def check_client(self, client):
        client.initialize()
        client.open(URI, "python", lsp_client.SAMPLE)
        position = client.position_after(URI, lsp_client.BEFORE_CURSOR)
        self.assertTrue(client.inline_completion(URI, position)["items"], "the model has nothing to say")

    def shut_down(self, client):
        client.request("shutdown")
        client.notify("exit")
        with self.assertRaises(lsp_client.Closed):
            while True:  # what the server had to say before it heard of the end
                self.assertNotIn("id", client.next_message())

    def test_clients_come_and_go_on_a_unix_socket(self):
        server = self.start("--socket", self.path)
        first = connect(socket.AF_UNIX, self.path)
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        second = connect(socket.AF_UNIX, self.path)
        self.check_client(first)
        self.check_client(second)
        self.shut_down(first)
        self.check_client(connect(socket.AF_UNIX, self.path))
        self.shut_down(second)
        self.assertIsNone(server.process.poll())
        server.process.terminate()
        server.wait()
        self.assertFalse(os.path.exists(self.path))

    def test_a_socket_that_nobody_serves_is_replaced_and_one_in_use_is_not(self):
        stale = socket.socket(socket.AF_UNIX)
        stale.bind(self.path)
        stale.close()
        self.start("--socket", self.path)
        client = connect(socket.AF_UNIX, self.path)
        rival = self.start("--socket", self.path)
        self.assertEqual(rival.wait(), 1)
        self.assertIn("another process is listening there", rival.log_text())
        client.initialize()
        self.shut_down(client)

    def test_a_file_in_the_sockets_place_stays(self):
        with open(self.path, "w") as file:
            file.write("mine")
        server = self.start("--socket", self.path)
        self.assertEqual(server.wait(), 1)
        self.assertIn(self.path, server.log_text())
        with open(self.path) as file:
            self.assertEqual(file.read(), "mine")

    def test_clients_come_by_tcp_from_this_machine_only(self):
        server = self.start("--tcp", "127.0.0.1:0")
        deadline = time.monotonic() + lsp_client.PATIENCE
        while not (found := re.search(r"listening on 127\.0\.0\.1:(\d+)", server.log_text())):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        client = connect(socket.AF_INET, ("127.0.0.1", int(found[1])))
        self.check_client(client)
        self.shut_down(client)

    def test_addresses_that_cannot_be_served_are_named(self):
        for address in ("0.0.0.0:0", "192.0.2.1:7000", "127.0.0.1", "127.0.0.1:x", "here:1", "127.0.0.1:99999"):
            server = self.start("--tcp", address)
            self.assertEqual(server.wait(), 1, address)
            self.assertIn(address, server.log_text())


if __name__ == "__main__":
    lsp_client.main()
