# Installing what is missing, for bootstrap. Each step looks first and is quick when there is nothing to do.

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# missing_packages LIST...: the packages of these lists that are not there, one a line.
missing_packages() {
  local package command
  cat "$@" | sed -e 's/#.*//' | while read -r package command; do
    [ -n "$package" ] || continue
    [ -n "$command" ] && command -v "$command" >/dev/null && continue
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed' || echo "$package"
  done
}

# install_packages LIST...: false when something could not be had.
install_packages() {
  local missing
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  say "Installing" $missing
  command -v apt-get >/dev/null || { warn "no apt-get here: install these yourself:" $missing; return 1; }
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq || warn "apt-get update failed"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing \
    >"$build/apt.log" 2>&1 </dev/null || { tail -n 15 "$build/apt.log" >&2; return 1; }
}

# The tests' Python packages, in build/venv.
install_python_packages() {
  local wanted=tests/requirements.txt installed=$build/venv/requirements.txt
  cmp -s "$wanted" "$installed" && return 0
  say "Installing the tests' Python packages"
  python3 -m venv "$build/venv" &&
    "$build/venv/bin/python" -m pip install -q --require-hashes --no-deps -r "$wanted" </dev/null &&
    cp "$wanted" "$installed"
}

# install_npm_packages FOLDER: what FOLDER/package-lock.json names.
install_npm_packages() {
  cmp -s "$1/package-lock.json" "$1/node_modules/.installed-lock.json" && return 0
  say "Installing the npm packages of $1"
  npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null &&
    cp "$1/package-lock.json" "$1/node_modules/.installed-lock.json"
}
