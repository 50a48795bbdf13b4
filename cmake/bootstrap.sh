#!/usr/bin/env bash
# From a fresh Debian 12 or Ubuntu 24.04 machine to an answer:
#   cmake/bootstrap.sh run --model resnet50 --batch 32 --budget 500
#   cmake/bootstrap.sh test
# Installs the packages that are missing (as root or with sudo), builds the release preset, then runs the program with the
# arguments given, or all tests.
set -euo pipefail
cd "$(dirname "$0")/.."

build_packages=(g++ cmake ninja-build libcli11-dev nlohmann-json3-dev libfmt-dev)
test_packages=(catch2 python3 python3-jsonschema git)

usage() {
  echo "usage: cmake/bootstrap.sh run [ARGUMENTS OF gpuadvise] | cmake/bootstrap.sh test" >&2
  exit 2
}

installed() {
  dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q '^install ok installed$'
}

require() {
  local missing=()
  if ! command -v dpkg-query >/dev/null; then
    echo "bootstrap: no Debian packages here; make sure of: $*" >&2
    return
  fi
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "bootstrap: missing packages: ${missing[*]} (install them as root, then run this again)" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "bootstrap: installing ${missing[*]}" >&2
  if ! { "${as_root[@]}" apt-get update -qq && DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >&2; then
    echo "bootstrap: missing packages that could not be installed: ${missing[*]}" >&2
    exit 1
  fi
}

# Quiet unless it fails: the answer of `run` must not drown in build output.
build() {
  local log
  log=$(mktemp)
  if ! { cmake --preset "$1" && cmake --build --preset "$1" "${@:2}"; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}

[ $# -ge 1 ] || usage
action=$1
shift
case "$action" in
  run)
    require "${build_packages[@]}"
    build release --target gpuadvise_program
    exec build/release/gpuadvise "$@"
    ;;
  test)
    [ $# -eq 0 ] || usage
    require "${build_packages[@]}" "${test_packages[@]}"
    build release
    exec ctest --preset release --parallel "$(nproc)"
    ;;
  *) usage ;;
esac
