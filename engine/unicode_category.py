#!/ usr / bin / env python3
"""Writes engine/unicode_ranges.h: python3 engine/unicode_category.py > engine/unicode_ranges.h

Wants the package unicodedata2 16.0.0: Unicode 16 is what Hugging Face's tokenizers 0.23 goes by.
"""
import unicodedata2

assert unicodedata2.unidata_version == "16.0.0"

#As engine / unicode_category.h numbers them.
LETTER, NUMBER, SPACE, PUNCTUATION = 1, 2, 4, 8
WHITE_SPACE = {*range(0x9, 0xE), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F,
               0x205F, 0x3000}


def category(code_point):
    if code_point in WHITE_SPACE:
        return SPACE
    return {"L": LETTER, "N": NUMBER, "P": PUNCTUATION}.get(unicodedata2.category(chr(code_point))[0], 0)


runs = []
for code_point in range(0x110000):
    value = category(code_point)
    if not runs or runs[-1][1] != value:
        runs.append((code_point, value))

print("// Made by engine/unicode_category.py: where each run of code points of one category begins, as")
print("// (first code point << 4 | category). Unicode 16.0.")
print("#pragma once\n\n#include <cstdint>\n\nnamespace hearth::engine {\n")
print("// clang-format off")
print(f"inline constexpr std::uint32_t kUnicodeRuns[{len(runs)}] = {{")
line = " "
for first, value in runs:
    item = f" {first << 4 | value:#x},"
    if len(line) + len(item) > 110:
        print(line)
        line = " "
    line += item
print(line + "\n};\n// clang-format on\n\n}  // namespace hearth::engine")
