#!/usr/bin/env bash
# Lints every file of $FILES with the values of $SET; annotations go to standard output, where GitHub reads them.
set -uo pipefail
shopt -s globstar nullglob
case "${FAIL:=findings}" in findings|unreadable|never) ;; *) echo "::error::fail must be findings, unreadable or never, not $FAIL."; exit 2 ;; esac
values=()
read -r -d '' -a pairs <<<"${SET:-}" || true
for pair in ${pairs[@]+"${pairs[@]}"}; do values+=(--set "$pair"); done
# The globs of the input are meant to be expanded; nothing else in it is read by the shell.
# shellcheck disable=SC2206
files=($FILES)
if [ ${#files[@]} -eq 0 ]; then echo "::error::No file matches ${FILES//$'\n'/ }."; exit 2; fi
found=0 unreadable=0
for file in "${files[@]}"; do
  shardwise lint --format github ${values[@]+"${values[@]}"} -- "$file"
  case $? in 0) ;; 1) found=$((found + 1)) ;; *) unreadable=$((unreadable + 1)) ;; esac
done
echo "${#files[@]} files: $found with findings, $unreadable could not be read."
case "$FAIL" in
  findings) [ $((found + unreadable)) -eq 0 ] ;;
  unreadable) [ "$unreadable" -eq 0 ] ;;
  never) true ;;
esac
