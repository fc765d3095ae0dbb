say() { echo "$@"; }
