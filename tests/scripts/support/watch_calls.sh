#!/bin/sh
# Runs a program that notes its calls in a file, and ends it (SIGABRT) when a call hangs: when
# nothing was noted for so many seconds.
#
#   watch_calls.sh FILE SECONDS PROGRAM [ARGUMENT...]
file=$1 seconds=$2
shift 2
"$@" &
program=$!
while kill -0 $program 2>/dev/null; do
  sleep 1
  noted=$(stat -c %Y "$file" 2>/dev/null || date +%s)
  [ $(($(date +%s) - noted)) -le "$seconds" ] || kill -ABRT $program
done
wait $program
