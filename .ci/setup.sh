# What `tide` and `tests/run` share: the packages that are needed, and the build itself.
# To be sourced, with `root` set to the repository. All words go to stderr: stdout is the script's.

export PATH  # Where the environment is empty, bash has a path for itself and hands none on.

build_packages=(
  g++ cmake ninja-build ccache
  liblua5.4-dev libdnnl-dev libopenblas-dev llvm-19-dev libzstd-dev zlib1g-dev
  nlohmann-json3-dev libzip-dev libpng-dev libjpeg62-turbo-dev libreadline8
  libonnx-dev libprotobuf-dev xeus-dev
)
test_packages=(
  catch2 lua5.4 dpkg-dev luarocks gnuplot-nox
  chromium python3-jupyter-kernel-test python3-nbconvert python3-pyte
)

# Installs those of the named Debian packages that are missing, or says how to and gives up.
install_packages() {
  command -v dpkg-query >/dev/null || return 0  # Not Debian: CMake will name what it does not find.
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    {
      echo "tide needs packages that are not installed. As root:"
      echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    } >&2
    return 1
  fi
  echo "installing: ${missing[*]}" >&2
  local said
  # What apt and dpkg say matters only if they fail.
  if ! said=$({
    apt-get -qq update &&
      DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends "${missing[@]}"
  } 2>&1 </dev/null); then
    echo "$said" >&2
    return 1
  fi
}

# configure PRESET [CMake options]: makes the build folder of a preset, or brings it up to date.
configure() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" "$@" >&2)
}

# build PRESET [targets]: builds all, or the targets.
build() {
  local preset=$1
  shift
  (cd "$root" && cmake --build --preset "$preset" ${1:+--target "$@"} >&2)
}
