"""A language server that is not Hearth, for what editors do with two: it follows documents, and completes
`other_server` anywhere."""

import json
import sys

CAPABILITIES = {"textDocumentSync": 1, "completionProvider": {}}
RESULTS = {
    "initialize": {"capabilities": CAPABILITIES, "serverInfo": {"name": "other"}},
    "textDocument/completion": [{"label": "other_server"}],
    "shutdown": None,
}


def answer(message):
    method = message.get("method")
    if method in RESULTS:
        return {"result": RESULTS[method]}
    return {"error": {"code": -32601, "message": f"there is no {method}"}}


def main():
    while line := sys.stdin.buffer.readline():
        length = int(line.split(b":")[1])
        while sys.stdin.buffer.readline().strip():
            pass
        message = json.loads(sys.stdin.buffer.read(length))
        if message.get("method") == "exit":
            return
        if "id" in message and "method" in message:
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer(message)}).encode()
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            sys.stdout.buffer.flush()


main()
