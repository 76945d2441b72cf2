# What `tide`, `tests/run` and the program itself share: the packages that are needed, and the build.
# To be sourced, with `root` set to the repository. All words go to stderr: stdout is the script's.

export PATH  # Where the environment is empty, bash has a path for itself and hands none on.

# For the program and its prompt.
build_packages=(
  g++ cmake ninja-build ccache
  liblua5.4-dev llvm-19-dev libzstd-dev zlib1g-dev nlohmann-json3-dev libreadline8
)
# For each plugin that is built when it is first needed.
declare -A packages_of_plugin=(
  [tide-dnnl]="libdnnl-dev"
  [tide-lapack]="libopenblas-dev"
  [tide-zip]="libzip-dev"
  [tide-gzip]="zlib1g-dev"
  [tide-png]="libpng-dev"
  [tide-jpeg]="libjpeg-dev"
  [tide-onnx]="libonnx-dev libprotobuf-dev"
  [tide-jupyter]="xeus-dev"
)
# shellcheck disable=SC2206
plugin_packages=(${packages_of_plugin[@]})
test_packages=(
  catch2 lua5.4 dpkg-dev file luarocks gnuplot-nox
  chromium python3-jupyter-kernel-test python3-nbconvert python3-pyte
)

# Those of the named Debian packages that are not installed, nor provided by one that is: releases
# rename libraries.
missing_packages() {
  local package installed
  installed=$(dpkg-query -W -f='${db:Status-Status}, ${Package}, ${Provides},\n' |
    sed -n '/^installed,/{s/ ([^)]*)//g;p}')
  for package in "$@"; do
    [[ $installed == *", $package,"* ]] || echo "$package"
  done
}

# One line about what takes long: written over on a terminal, elsewhere now and then a new one.
progress_time=-15
show_progress() {
  if [[ -t 2 ]]; then
    printf '\r%s\e[K' "$1" >&2
  elif ((SECONDS - progress_time >= 15)); then
    progress_time=$SECONDS
    echo "$1" >&2
  fi
}
end_progress() {
  [[ ! -t 2 ]] || printf '\r\e[K' >&2
}

# time_left BEGIN DONE ALL: ", 40 s left", at the pace since BEGIN. Nothing before a twentieth is done,
# which is too little to go by.
time_left() {
  (($2 > 0 && 20 * $2 >= $3)) || return 0
  local left=$(((SECONDS - $1) * ($3 - $2) / $2))
  if ((left >= 60)); then
    echo ", $((left / 60)) min $((left % 60)) s left"
  else
    echo ", $left s left"
  fi
}

# Installs those of the named Debian packages that are missing, or says how to and gives up.
# install_packages PACKAGE... [-- PACKAGE_OF_LATER...]: the last are only named where someone else
# must install them, so that it need not be asked for twice.
install_packages() {
  command -v dpkg-query >/dev/null || return 0  # Not Debian: CMake will name what it does not find.
  local now=() later=() package missing
  for package in "$@"; do
    if [[ $package == -- ]]; then
      shift
      later=("$@")
      break
    fi
    now+=("$package")
    shift
  done
  mapfile -t missing < <(missing_packages "${now[@]}")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    mapfile -t missing < <(missing_packages "${now[@]}" "${later[@]}")
    {
      echo "tide needs packages that are not installed. As root:"
      echo "apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    } >&2
    return 1
  fi
  echo "installing: ${missing[*]}" >&2
  local said begin=$SECONDS
  said=$(mktemp)
  export DEBIAN_FRONTEND=noninteractive
  # dpkg goes on first where it was interrupted. What apt and dpkg say matters only if they fail.
  if ! {
    dpkg --configure -a &&
      apt-get -qq update &&
      apt-get -qq install -y --no-install-recommends -o APT::Status-Fd=3 "${missing[@]}"
  } </dev/null 3> >(show_apt "$begin") >"$said" 2>&1; then
    end_progress
    cat "$said" >&2
    rm -f "$said"
    return 1
  fi
  end_progress
  rm -f "$said"
}

# apt's account of what it does: "dlstatus:1:12.5:words", and pmstatus for what dpkg does.
show_apt() {
  local kind percent words begin=$1
  while IFS=: read -r kind _ percent words; do
    percent=${percent%%.*}
    [[ $percent =~ ^[0-9]+$ ]] || continue
    case $kind in
      dlstatus) show_progress "packages: downloading, $percent %" ;;
      pmstatus) show_progress "packages: unpacking, $percent %$(time_left "$begin" "$percent" 100)" ;;
    esac
  done
}

# configure PRESET [CMake options]: makes the build folder of a preset, or brings it up to date.
configure() {
  local preset=$1
  shift
  run_quietly cmake --preset "$preset" "$@" || why_failed "build/$preset"
}

# build PRESET [targets]: builds all, or the targets. What an earlier build has finished is kept.
build() {
  local preset=$1
  shift
  run_quietly cmake --build --preset "$preset" -j "${TIDE_BUILD_JOBS:-$(compiler_jobs)}" ${1:+--target "$@"} ||
    why_failed "build/$preset"
}

# As many compilers at a time as there are cores, or as have a gigabyte of memory each.
compiler_jobs() {
  local cores memory limit
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1000000)}' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)  # of a container
  [[ $limit =~ ^[0-9]+$ ]] && ((limit / 1000000000 < memory)) && memory=$((limit / 1000000000))
  ((memory < cores)) && cores=$memory
  echo "$((cores > 1 ? cores : 1))"
}

# Runs CMake or ninja in the root with one line of progress, and prints what it says if it fails.
run_quietly() {
  local status build_said
  build_said=$(mktemp) || return
  (cd "$root" && NINJA_STATUS="%f %t " "$@" 2>&1 </dev/null) | show_build >"$build_said"
  status=${PIPESTATUS[0]}
  end_progress
  ((status == 0)) || cat "$build_said" >&2
  grep -q "No space left on device" "$build_said" && disk_was_full=1
  rm -f "$build_said"
  return "$status"
}

# Shows ninja's lines "12 340 Building ..." as progress, and passes on all others.
show_build() {
  local line begin=$SECONDS
  while IFS= read -r line; do
    if [[ $line =~ ^[0-9]+\ [0-9]+\ Re- ]]; then
      :  # ninja looks for new sources
    elif [[ $line =~ ^([0-9]+)\ ([0-9]+)\  ]]; then
      show_progress "building tide: ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}$(
        time_left "$begin" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")"
    else
      echo "$line"
    fi
  done
}

# why_failed FOLDER: what to do about a build that did not work.
why_failed() {
  if [[ -n ${disk_was_full:-} ]]; then
    echo "The disk is full. A build takes 1 GB; with room for it, the next start goes on from here." >&2
  elif [[ -n ${was_cut_off:-} ]]; then
    echo "An earlier build was cut off and may have left broken files: rm -rf $1, then start again." >&2
  fi
  return 1
}

# build_locked FOLDER COMMAND...: runs a build alone in its folder, and makes up for one that was cut
# off. What Ctrl-C ends is in order: ninja removes what is half done.
build_locked() {
  local folder=$1 lock status=0
  shift
  mkdir -p "$folder" || return 1
  exec {lock}>"$folder/.lock"
  flock "$lock"  # A second build waits for the first.
  if [[ -e $folder/.building ]]; then
    was_cut_off=1
    find "$folder" -type f -size 0 -name '*.[oa]' -delete  # not yet written when the machine was lost
  fi
  touch "$folder/.building"
  trap 'end_progress; echo "stopped; the next start goes on from here" >&2; rm -f "$folder/.building"; exit 130' INT
  "$@" || status=$?
  trap - INT
  rm -f "$folder/.building"
  exec {lock}>&-
  return "$status"
}
