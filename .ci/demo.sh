# What the demo shows, for bootstrap: completions by the default model, where there is one, and by the
# embedded one.

show_completions() {
  if fetch_default_model; then
    say "Completions by the default model, hearth-code-135m"
    python3 .ci/show_completions.py "$hearth" hearth-code-135m
  fi
  say "Completions by the embedded model, hearth-code-20m"
  python3 .ci/show_completions.py "$hearth" hearth-code-20m
}
