"""`hearth tokenize` with the default model against Hugging Face's tokenizers on the same vocabulary: source
code of this machine, every script of Unicode, and random mixtures; and back to the same bytes.

Usage: tokenizer_against_hf_test.py [MODEL]   (a GGUF with the pre-tokenizer smollm)
"""
import itertools
import os
import pathlib
import random
import subprocess
import sys
import unicodedata

SKIPPED = 77
SOURCE = pathlib.Path(__file__).resolve().parents[2]
CODE_FOLDERS = (SOURCE, "/usr/lib/python3", "/usr/lib/python3.11", "/usr/include", "/usr/share/nvim", "/usr/share/perl")
CODE_SUFFIXES = {".py", ".h", ".hpp", ".cpp", ".c", ".cc", ".md", ".sh", ".lua", ".vim", ".pl", ".pm", ".js", ".ts",
                 ".json", ".cmake", ".go", ".rs", ".css", ".html"}
CODE_BYTES = 2_500_000
FILE_BYTES = 60_000


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def default_model():
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local/share")
    return os.path.join(data, "hearth/models/hearth-code-135m.gguf")


def strings_of(reader, key):
    field = reader.fields[key]
    return [bytes(field.parts[i]).decode() for i in field.data]


def hugging_face_tokenizer(tokens, merges):
    from tokenizers import Tokenizer, models, pre_tokenizers
    pairs = [tuple(merge.split(" ")) for merge in merges]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True),
         pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    return tokenizer


def code_texts():
    total = 0
    for folder in CODE_FOLDERS:
        share = 0
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if share > CODE_BYTES / len(CODE_FOLDERS):
                break
            if path.suffix not in CODE_SUFFIXES or not path.is_file() or path.stat().st_size > FILE_BYTES:
                continue
            try:
                text = path.read_bytes().decode()
            except (OSError, UnicodeDecodeError):
                continue
            share += len(text)
            yield text
        total += share
    assert total > 500_000, "too little source code on this machine"


def assigned_characters():
    for code_point in itertools.chain(range(0x20, 0xD800), range(0xE000, 0x20000), range(0xE0000, 0xE0200)):
        character = chr(code_point)
        large = 0x3400 <= code_point < 0xA000 or 0xAC00 <= code_point < 0xD7A4 or code_point >= 0x17000
        if unicodedata.category(character) in ("Cn", "Co") or (large and code_point % 97):
            continue
        yield character


def script_texts():
    for c in assigned_characters():
        yield f"a{c} 1{c}! {c}{c} '{c}  {c}\n {c}7 x{c}y"


def random_texts(count):
    rng = random.Random(7)
    characters = list(assigned_characters())
    ascii_parts = ["'s", "'RE", "'ll", " ", "  ", "    ", "\t", "\n", "\r\n", "0", "42", "def ", "=>", "::", "_", "//",
                   "foo", "Bar", "\u00a0", "\u2028", "\u3000", "é", "e\u0301", "😶‍🌫️"]
    for _ in range(count):
        yield "".join(rng.choice(ascii_parts) if rng.random() < 0.7 else rng.choice(characters)
                      for _ in range(rng.randrange(1, 40)))


def missing_bytes(tokens):
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    names = {**{byte: chr(byte) for byte in printable}, **{byte: chr(256 + i) for i, byte in enumerate(others)}}
    known = set(tokens)
    return {byte for byte, name in names.items() if name not in known}


def documents(texts, missing, size=1_000_000):
    document, length = [], 0
    for text in texts:
        document.append("".join(c for c in text if not missing.intersection(c.encode())))
        length += len(text)
        if length > size:
            yield "\n".join(document)
            document, length = [], 0
    if document:
        yield "\n".join(document)


def hearth(binary, model, *arguments, given):
    command = [binary, "tokenize", "--model", model, *arguments]
    return subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True, timeout=120).stdout


def describe_difference(ours, theirs, tokens):
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    show = lambda ids: " ".join(f"{i}({tokens[i]})" for i in ids[max(0, at - 5):at + 6])
    return f"token {at}: hearth {show(ours)}\n  tokenizers {show(theirs)}"


def main():
    model = sys.argv[1] if len(sys.argv) > 1 else default_model()
    binary = os.environ.get("HEARTH_BINARY", "hearth")
    try:
        import gguf
        import tokenizers  # noqa: F401
    except ImportError as missing_package:
        skip(f"the Python package {missing_package.name} is not installed")
    if not os.path.exists(model):
        skip(f"the default model is not there: {model}")
    reader = gguf.GGUFReader(model)
    tokens = strings_of(reader, "tokenizer.ggml.tokens")
    reference = hugging_face_tokenizer(tokens, strings_of(reader, "tokenizer.ggml.merges"))
    missing = missing_bytes(tokens)
    failures, lines, count = 0, 0, 0
    for kind, texts in (("code", code_texts()), ("scripts", script_texts()), ("mixtures", random_texts(5000))):
        for document in documents(texts, missing):
            given = document.encode()
            printed = hearth(binary, model, given=given)
            ours = [int(word) for word in printed.split()]
            theirs = reference.encode(document, add_special_tokens=False).ids
            lines += document.count("\n") + 1
            count += len(theirs)
            if ours != theirs:
                failures += 1
                print(f"{kind}: {describe_difference(ours, theirs, tokens)}")
            if hearth(binary, model, "--decode", given=printed) != given:
                failures += 1
                print(f"{kind}: does not decode to the same bytes")
    print(f"{lines} lines, {count} tokens, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
