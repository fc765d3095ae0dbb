"""Whole sessions with the real `hearth lsp` and the embedded model over standard input and output."""

import subprocess
import unittest

import lsp_client

URI = "file:///project/shapes.py"


def end_of_text(text):
    lines = text.split("\n")
    return {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}


class SessionTest(unittest.TestCase):
    def setUp(self):
        self.server = lsp_client.Server()
        self.client = self.server.stdio()

    def tearDown(self):
        self.server.stop()

    def shut_down(self):
        self.assertIsNone(self.client.request("shutdown"))
        self.client.notify("exit")
        self.assertEqual(self.server.wait(), 0)

    def check_range(self, edit_range, position):
        self.assertEqual(edit_range["start"]["line"], position["line"])
        self.assertEqual(edit_range["end"]["line"], position["line"])
        self.assertLessEqual(edit_range["start"]["character"], position["character"])
        self.assertGreaterEqual(edit_range["end"]["character"], position["character"])

    def test_an_inline_completion_is_accepted_and_typed_through(self):
        client = self.client
        capabilities = client.initialize()["capabilities"]
        self.assertEqual(capabilities["positionEncoding"], "utf-16")
        client.open(URI, "python", lsp_client.SAMPLE)
        position = client.position_after(URI, lsp_client.BEFORE_CURSOR)
        items = client.inline_completion(URI, position)["items"]
        self.assertTrue(items, "the model has nothing to say")
        text = items[0]["insertText"]
        self.assertGreater(len(text), 2)
        self.check_range(items[0]["range"], position)
        self.assertEqual(len({item["insertText"] for item in items}), len(items))

        # Typing its first characters leaves its rest, without the engine.
        client.insert(URI, position, text[:2])
        position = {**position, "character": position["character"] + 2}
        rest = client.inline_completion(URI, position)["items"][0]
        self.assertEqual(rest["insertText"], text[2:])
        self.assertEqual(client.request("hearth/status")["completions"]["typedThrough"], 1)
        client.edit(URI, rest["range"], rest["insertText"])
        self.assertIn("        self." + text, client.texts[URI])
        self.shut_down()

    def test_a_popup_completion_is_accepted(self):
        client = self.client
        client.initialize()
        client.open(URI, "python", lsp_client.SAMPLE)
        client.insert(URI, client.position_after(URI, lsp_client.BEFORE_CURSOR), "si")
        position = client.position_after(URI, lsp_client.BEFORE_CURSOR + "si")
        result = client.completion(URI, position)
        self.assertTrue(result["isIncomplete"])
        self.assertTrue(result["items"], "the model has nothing to say")
        item = result["items"][0]
        self.check_range(item["textEdit"]["range"], position)
        self.assertTrue(item["filterText"].startswith("si"))
        self.assertGreater(len(item["textEdit"]["newText"]), 2)
        self.assertEqual(item["insertTextMode"], 1)
        client.edit(URI, item["textEdit"]["range"], item["textEdit"]["newText"])
        self.assertIn("        self." + item["textEdit"]["newText"], client.texts[URI])
        self.shut_down()

    def test_a_popup_has_names_with_what_is_known_of_them(self):
        client = self.client
        client.initialize()
        text = (
            "def circle_area(radius):\n    return 3 * radius * radius\n\n\n"
            "def circle_name():\n    return 'circle'\n\n\ntotal = circle"
        )
        client.open(URI, "python", text)
        items = {item["label"]: item for item in client.completion(URI, end_of_text(text))["items"]}
        self.assertLessEqual({"circle_area", "circle_name"}, set(items))
        self.assertEqual(items["circle_area"]["detail"], "def circle_area(radius)")
        self.assertEqual(items["circle_area"]["kind"], 3)
        self.assertNotEqual(items["circle_area"]["sortText"], items["circle_name"]["sortText"])
        resolved = client.request("completionItem/resolve", items["circle_name"])
        self.assertIn("Line 5", resolved["documentation"]["value"])
        self.assertNotIn("circle", items)
        self.shut_down()

    def test_columns_count_utf16_units(self):
        client = self.client
        client.initialize(capabilities={"general": {"positionEncodings": ["utf-8", "utf-16"]}})
        text = "def total(values):\n    return '\U0001F600', sum(val"
        client.open(URI, "python", text)
        position = end_of_text(text)
        items = client.inline_completion(URI, position)["items"]
        self.assertTrue(items, "the model has nothing to say")
        self.check_range(items[0]["range"], position)
        client.edit(URI, items[0]["range"], items[0]["insertText"])
        self.assertEqual(client.texts[URI], text + items[0]["insertText"])
        self.shut_down()

    def test_every_request_of_a_fast_typist_is_answered(self):
        client = self.client
        client.initialize()
        client.open(URI, "python", lsp_client.SAMPLE)
        position = client.position_after(URI, lsp_client.BEFORE_CURSOR)
        asked = []
        for letter in "side = side":
            client.insert(URI, position, letter)
            position = {**position, "character": position["character"] + 1}
            for method in ("textDocument/inlineCompletion", "textDocument/completion"):
                params = {"textDocument": {"uri": URI}, "position": position, "context": {"triggerKind": 1}}
                asked.append(client.ask(method, params))
        cancelled = client.ask(
            "textDocument/inlineCompletion",
            {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 0}, "context": {"triggerKind": 0}},
        )
        client.notify("$/cancelRequest", {"id": cancelled})
        answers = {}
        while len(answers) < len(asked) + 1:
            message = client.next_message()
            if "method" not in message:
                self.assertNotIn(message["id"], answers)
                answers[message["id"]] = message
        for request_id in asked:
            self.assertIn("result", answers[request_id])
        self.assertIn(answers[cancelled].get("error", {}).get("code", 0), (0, -32800))
        self.shut_down()

    def test_progress_and_status_while_the_model_loads(self):
        client = self.client
        client.initialize(capabilities={"window": {"workDoneProgress": True}})
        client.wait_for("hearth/status", lambda status: status["state"] == "ready")
        status = client.request("hearth/status")
        self.assertEqual(status["state"], "ready")
        self.assertIn("hearth-code-20m", status["modelPath"])
        kinds = [params["value"]["kind"] for params in client.said_by("$/progress")]
        self.assertIn(kinds, ([], ["begin"], ["begin", "end"]))  # a fast machine has nothing to show
        self.shut_down()

    def test_the_log_holds_nothing_that_was_typed(self):
        client = self.client
        client.initialize()
        client.open(URI, "python", "hush = 'secret'\nhush.")
        client.inline_completion(URI, {"line": 1, "character": 5})
        client.send({"id": 99, "method": "textDocument/completion", "params": {"textDocument": "secret"}})
        self.assertEqual(client.answer(99)["error"]["code"], -32602)
        self.shut_down()
        self.assertNotIn("secret", self.server.log_text())
        self.assertNotIn("hush", self.server.log_text())


class EndingTest(unittest.TestCase):
    def start(self, *arguments):
        server = lsp_client.Server(*arguments)
        self.addCleanup(server.stop)
        return server

    def test_it_ends_when_standard_input_closes(self):
        server = self.start("--stdio")
        server.stdio().initialize()
        server.process.stdin.close()
        self.assertEqual(server.wait(), 1)

    def test_it_ends_when_the_clients_process_dies(self):
        server = self.start()
        editor = subprocess.Popen(["sleep", "1000"])
        server.stdio().initialize(process=editor.pid)
        self.assertIsNone(server.process.poll())
        editor.kill()
        editor.wait()
        self.assertEqual(server.wait(), 1)

    def test_a_model_that_is_missing_is_said_once(self):
        server = self.start("--model", "/no/such/model.gguf")
        client = server.stdio()
        client.initialize()
        client.open(URI, "python", lsp_client.SAMPLE)
        for _ in range(3):
            self.assertEqual(client.inline_completion(URI, {"line": 0, "character": 6})["items"], [])
            self.assertEqual(client.completion(URI, {"line": 0, "character": 6})["items"], [])
        self.assertEqual(client.request("hearth/status")["state"], "failed")
        messages = client.said_by("window/showMessage")
        self.assertEqual(len(messages), 1)
        self.assertIn("/no/such/model.gguf", messages[0]["message"])
        client.request("shutdown")
        client.notify("exit")
        self.assertEqual(server.wait(), 0)


if __name__ == "__main__":
    lsp_client.main()
