def title(text): return text
