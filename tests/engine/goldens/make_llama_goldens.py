#!/usr/bin/env python3
"""What llama.cpp answers, kept as figures: greedy continuations of prompts cut from this repository.

    make_llama_goldens.py LLAMA_SERVER MODEL.gguf OUT.json [--prompts N] [--tokens N] [--text TEXT]

Starts LLAMA_SERVER on a loopback port with one slot and one sequence, and writes one object:
{"prompts": [{"prompt": [ids], "next": [ids], "gap": [natural-log gap between the two best]}]}.
llama_agreement_test.cpp reads it.
"""
import argparse, json, pathlib, random, socket, subprocess, time, urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
SUFFIXES = {".cpp", ".h", ".py", ".lua", ".el", ".ts", ".js", ".vim", ".md"}


def post(port, path, body):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def texts(count):
    rng = random.Random(1)
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [f for f in listed.split("\n") if pathlib.Path(f).suffix in SUFFIXES and (ROOT / f).stat().st_size > 200]
    while count:
        text = (ROOT / rng.choice(files)).read_text()
        end = rng.randrange(len(text))
        if end > 200:
            count -= 1
            yield text[max(0, end - rng.randrange(200, 900)):end]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server"), parser.add_argument("model"), parser.add_argument("out")
    parser.add_argument("--prompts", type=int, default=50), parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--text")
    options = parser.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([options.server, "-m", options.model, "--host", "127.0.0.1", "--port", str(port), "-np", "1",
                               "-c", "2048", "-t", "2", "--no-warmup"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5)
                break
            except OSError:
                if server.poll() is not None:
                    raise SystemExit("the server ended")
                time.sleep(0.2)
        rows = []
        for text in [options.text] if options.text else texts(options.prompts):
            prompt = post(port, "/tokenize", {"content": text, "add_special": options.text is not None})["tokens"]
            answer = post(port, "/completion", {"prompt": prompt, "n_predict": options.tokens, "temperature": 0, "n_probs": 2,
                                                "samplers": ["top_k"], "top_k": 1, "ignore_eos": True, "cache_prompt": False,
                                                "return_tokens": True})
            steps = answer["completion_probabilities"]
            gaps = [round(s["top_logprobs"][0]["logprob"] - s["top_logprobs"][1]["logprob"], 4) for s in steps]
            rows.append({"prompt": prompt, "next": [s["id"] for s in steps], "gap": gaps})
            print(len(rows), len(prompt), repr(answer["content"][:60]))
    finally:
        server.terminate()
    with open(options.out, "w") as out:
        out.write('{"prompts": [\n' + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]}\n")


if __name__ == "__main__":
    main()
