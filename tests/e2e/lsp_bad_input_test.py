"""What no client should send, sent to the real `hearth lsp`: a clear error each, and the session goes on."""

import json
import unittest

import lsp_client

URI = "file:///project/a.py"
TEXT = "def add(left, right):\r\n    return left + \U0001F600\n"


class BadInputTest(unittest.TestCase):
    def setUp(self):
        self.server = lsp_client.Server()
        self.client = self.server.stdio()

    def tearDown(self):
        self.server.stop()

    def shut_down(self):
        self.client.request("shutdown")
        self.client.notify("exit")
        self.assertEqual(self.server.wait(), 0)

    def test_messages_that_are_none(self):
        client = self.client
        client.initialize()
        cases = {
            "no length": b"Content-Type: x\r\n\r\n{}",
            "no number": b"Content-Length: x\r\n\r\n{}",
            "a negative length": b"Content-Length: -1\r\n\r\n{}",
            "more than anybody has": b"Content-Length: 18446744073709551615\r\n\r\n{}",
            "too short a length": b'Content-Length: 4\r\n\r\n{"jsonrpc":"2.0"}',
            "too long a length": b"Content-Length: 9\r\n\r\n{}",
            "no JSON": lsp_client.frame(b"{]"),
            "no UTF-8": lsp_client.frame(b'{"jsonrpc":"2.0","id":1,"method":"\xff"}'),
            "deeper than deep": lsp_client.frame(b"[" * 100000),
            "64 MiB of nothing": lsp_client.frame(b" " * (64 << 20)),
            "more than 64 MiB": lsp_client.frame(b" " * ((64 << 20) + 1)),
        }
        for name, data in cases.items():
            with self.subTest(name):
                client.send_bytes(data)
                asked = client.ask("hearth/status")
                error = None
                while True:
                    message = client.next_message()
                    if "method" in message:
                        continue
                    if message["id"] == asked:
                        break
                    error = message
                self.assertIsNotNone(error)
                self.assertIsNone(error["id"])
                self.assertEqual(error["error"]["code"], -32700)
        self.shut_down()

    def test_a_document_of_almost_64_mib(self):
        client = self.client
        client.initialize()
        line = "x = 1  # line\n"
        client.open(URI, "python", line * ((63 << 20) // (len(line) + 1)))
        items = client.inline_completion(URI, {"line": 1000000, "character": 3})["items"]
        self.assertIsInstance(items, list)
        self.shut_down()

    def test_requests_at_the_wrong_time(self):
        client = self.client
        self.assertEqual(client.error_of("textDocument/completion", {}), -32002)
        self.assertEqual(client.error_of("no/such"), -32002)
        client.initialize()
        self.assertEqual(client.error_of("initialize", {"capabilities": {}}), -32600)
        self.assertEqual(client.error_of("no/such"), -32601)
        self.assertEqual(client.error_of("textDocument/completion", {"textDocument": 1}), -32602)
        client.notify("no/such")
        client.request("shutdown")
        self.assertEqual(client.error_of("textDocument/completion", {}), -32600)
        client.notify("exit")
        self.assertEqual(self.server.wait(), 0)

    def test_positions_that_are_nowhere(self):
        client = self.client
        client.initialize()
        client.open(URI, "python", TEXT)
        lines = TEXT.split("\n")
        for line in (0, 1, 2, 3, 1 << 31, (1 << 32) - 1, 1 << 40):
            for character in (0, 18, 19, 20, 1000, (1 << 32) - 1, 1 << 40):
                position = {"line": line, "character": character}
                for item in client.inline_completion(URI, position, trigger=1)["items"]:
                    start = item["range"]["start"]
                    self.assertLess(start["line"], len(lines))
                    columns = len(lines[start["line"]].rstrip("\r").encode("utf-16-le")) // 2
                    self.assertLessEqual(start["character"], columns)
        for position in ({"line": -1, "character": 0}, {"line": 0.5, "character": 0}, {"line": "0"}, {}, None, 3):
            params = {"textDocument": {"uri": URI}, "position": position, "context": {"triggerKind": 0}}
            self.assertEqual(client.error_of("textDocument/inlineCompletion", params), -32602, json.dumps(position))
        self.shut_down()


if __name__ == "__main__":
    lsp_client.main()
