# What the demo shows, for bootstrap.

show_completions() {
  local model
  for model in hearth-code-135m hearth-code-20m; do
    say "Completions by $model"
    python3 .ci/show_completions.py "$hearth" "$model" ||
      { [ "$model" != hearth-code-20m ] && warn "no completions by $model"; }
  done
}
