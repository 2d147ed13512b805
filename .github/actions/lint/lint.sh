#!/usr/bin/env bash
# Lints the runs of $FILES with the values of $SET; annotations go to standard output, where GitHub reads them.
set -uo pipefail
# Globs are read by shardwise; nothing in an input is read by the shell.
set -f
case "${FAIL:=findings}" in findings|unreadable|never) ;; *) echo "::error::fail must be findings, unreadable or never, not $FAIL."; exit 2 ;; esac
options=(--each --output-format github)
for pair in ${SET:-}; do options+=(--set "$pair"); done
for code in ${SELECT:-}; do options+=(--select "$code"); done
for code in ${IGNORE:-}; do options+=(--ignore "$code"); done
# shellcheck disable=SC2086
shardwise lint "${options[@]}" -- ${FILES:-.}
status=$?
case "$FAIL:$status" in never:*|unreadable:1) exit 0 ;; *) exit "$status" ;; esac
