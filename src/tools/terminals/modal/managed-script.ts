/** Outputs no longer than this come with the end of a command. */
export const mostInline = 192 * 1024;

/**
 * What runs around a program behind the subscription's Modal. A command there takes one text as its input, and gives one text when it has
 * ended; so a program writes to files, which other commands read while it runs:
 *
 * - `o` and `e` hold its outputs. `o` is filled through a pipe by a writer that stops while much is unread (`a`: how much was taken). When the
 *   program has ended, a mark goes through the same pipe: what stands before it is whole, and what comes after it is of somebody who stayed behind.
 * - `in.0`, `in.1` … are pieces of its input, in order; `in.end` says that there are no more.
 * - At its end stand the exit code and both sizes on one line, and, where they are short, both outputs as base64 on the next two: the folder is
 *   gone then.
 *
 * Both outputs of a command are one text, so nothing here may complain. What runs beside the
 * program takes its files by `exec`: a shell that redirects in any other way may keep the output of the command open, and the command unended.
 * Arguments: the folder, `pipe` or `ignore`, the mark, the program, its arguments.
 */
export const managedScript = `
exec 2>/dev/null
dir=$1 mode=$2 mark=$3; shift 3
umask 077; mkdir -p "$dir"; mkfifo "$dir/p"; : >"$dir/o"; : >"$dir/e"
size() { wc -c <"$dir/$1" | tr -d ' '; }
keep() {
  had=-1
  while now=$(size o); [ "$now" != "$had" ]; do
    had=$now
    dd bs=65536 count=256 >>"$dir/o" 2>/dev/null
    [ -d "$dir" ] || { cat >/dev/null; return; }
    while [ $(($(size o) - $(cat "$dir/a" 2>/dev/null || echo 0))) -gt ${64 * 1_048_576} ]; do : >"$dir/full"; sleep 0.1; done
    rm -f "$dir/full"
  done
  : >"$dir/o.end"
}
feed() {
  n=0
  while :; do
    end=; [ -e "$dir/in.end" ] && end=yes
    while [ -e "$dir/in.$n" ]; do cat "$dir/in.$n" || return; rm -f "$dir/in.$n"; n=$((n + 1)); done
    [ -n "$end" ] && return
    sleep 0.02
  done
}
( exec <"$dir/p" >/dev/null 2>&1; keep ) &
exec 9>"$dir/p"
feeder=
if [ "$mode" = pipe ]; then
  mkfifo "$dir/i"
  ( exec >"$dir/i" 9>&-; feed ) & feeder=$!
  "$@" <"$dir/i" >"$dir/p" 2>"$dir/e" 9>&-
else
  "$@" </dev/null >"$dir/p" 2>"$dir/e" 9>&-
fi
code=$?
[ -n "$feeder" ] && kill "$feeder" 2>/dev/null
from=$(size o)
printf %s "$mark" >&9
exec 9>&-
until [ -e "$dir/o.end" ] || [ ! -d "$dir" ] || tail -c "+$((from + 1))" "$dir/o" | LC_ALL=C grep -qaF -- "$mark"; do sleep 0.02; done
out=$(size o) err=$(size e)
echo "$code $out $err"
if [ $((out + err)) -le ${mostInline} ]; then
  base64 -w 0 "$dir/o"; echo; base64 -w 0 "$dir/e"; echo
  rm -rf -- "$dir"
fi
`;

/** Reads what came since: the errors first, so that what is told there never overtakes output. Arguments: folder, position in `e`, in `o`, the most of each. */
export const readScript = `
exec 2>/dev/null
tail -c "+$(($2 + 1))" "$1/e" | head -c "$4" | base64 -w 0; echo
tail -c "+$(($3 + 1))" "$1/o" | head -c "$4" | base64 -w 0; echo
echo "$3" >"$1/a.new" && mv -f "$1/a.new" "$1/a"
`;

/** Takes a piece of the input. Arguments: folder, its number, and `end` after the last one. */
export const inputScript = `
exec 2>/dev/null
umask 077; mkdir -p "$1"
if [ "$2" = end ]; then : >"$1/in.end"; else base64 -d >"$1/in.new" && mv -f "$1/in.new" "$1/in.$2"; fi
`;
