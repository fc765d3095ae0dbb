#!/usr/bin/env bash
# The portable kernels on 64-bit ARM: cross-built, and against the reference under qemu.
set -euo pipefail

for tool in aarch64-linux-gnu-g++ qemu-aarch64-static; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
[ -d /usr/src/googletest ] || { echo "skipped: GoogleTest's source is not installed"; exit 77; }

source=$(dirname "$(readlink -f "$0")")
build=$HEARTH_BUILD_DIR/aarch64
export CCACHE_BASEDIR=$(dirname "$(dirname "$(dirname "$source")")") CCACHE_NOHASHDIR=1
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" --target kernels_test -- --quiet

# Not those that try every machine's threads and splits: emulation makes hours of them.
qemu-aarch64-static "$build/kernels_test" --gtest_brief=1 \
  --gtest_filter='CpuIsa.*:CpuParity.*:Matmul.*:OutputHead.*:PagePool.*:Quantize*:RmsNorm.*:SiluGate.*:ReluSquared.*:ToF16.*:SuperBlock.*:Statistics.*'
