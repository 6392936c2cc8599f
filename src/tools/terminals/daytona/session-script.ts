/**
 * What runs around a program in a session of Daytona. A session hands on lines of text: it adds a line break to a last line without one and has no end
 * of the input. So every byte travels as a line of base64, each block as it comes, and input is told line by line:
 *
 * - `b<base64>`: these bytes; `f<path>`: the bytes of that file, which was uploaded; `q`: the end.
 * - On the standard error stands `!ready` when input is taken, base64 of what the program says there, and `=<code>` at its end.
 * - An output that comes faster than it can be sent for some megabytes goes to a file from then on, and at its end `@<path>` says where.
 *
 * Lines are short enough to be written in one piece, because a session mixes both outputs in one file. Arguments: `pipe` or `ignore`, the program, its arguments.
 */
export const sessionScript = `
mode=$1; shift
dir=$(mktemp -d "\${TMPDIR:-/tmp}/hermes-io-XXXXXXXX") || exit 1
trap 'rm -rf -- "$dir"' EXIT
mkfifo "$dir/o" "$dir/e" "$dir/i"
lines() {
  full=0
  while [ "$full" -lt 80 ]; do
    block=$(dd bs=49152 count=1 2>/dev/null | base64 -w 3600)
    [ -n "$block" ] || return
    if [ "\${#block}" -gt 65000 ]; then full=$((full + 1)); else full=0; fi
    printf '%s\\n' "$block"
  done
  cat >"$dir.$1" && echo "@$dir.$1"
}
input() {
  while IFS= read -r line; do
    case $line in
      b*) printf '%s' "\${line#b}" | base64 -d ;;
      f*) cat -- "\${line#f}"; rm -f -- "\${line#f}" ;;
      q) break ;;
    esac
  done
}
exec 4<&0
lines out <"$dir/o" 4<&- & out=$!
lines err <"$dir/e" >&2 4<&- & err=$!
feeder=
if [ "$mode" = pipe ]; then
  input <&4 >"$dir/i" 2>/dev/null & feeder=$!
  echo '!ready' >&2
  "$@" <"$dir/i" >"$dir/o" 2>"$dir/e" 4<&-
else
  "$@" </dev/null >"$dir/o" 2>"$dir/e" 4<&-
fi
code=$?
[ -n "$feeder" ] && kill "$feeder" 2>/dev/null
wait "$out" "$err"
echo "=$code" >&2
`;
