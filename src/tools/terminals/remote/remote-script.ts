/**
 * The shell text that runs inside a terminal elsewhere. Invariants:
 *
 * 1. What a command prints is on the standard output and nothing else is; what we learn of it (that it began, its number,
 *    what it left, its exit code) is on the standard error, which the command itself does not have.
 * 2. Every piece of that begins with a word that is new for each run.
 * 3. A command leads a process group, and carries a mark in its environment, so that it can be ended from outside.
 * 4. No value of a variable is in an argument: variables travel in a file that only this user can read.
 */

/** Name of the mark. Shells never keep variables that begin like this. */
const markName = "__hermes_run";

/** Makes the folder of a terminal and tells what is here, then what the person's own start files make of a shell. Arguments: word, id, snapshot script, start folder. */
export const openScript = `
exec 3>&2 2>/dev/null
word=$1 id=$2
tmp=\${TMPDIR:-/tmp}
case $tmp in /*) ;; *) tmp=/tmp ;; esac
dir=$tmp/hermes-remote-$id
(umask 077; mkdir -p "$dir") || { echo "no folder can be made below $tmp" >&3; exit 1; }
shell=$(command -v bash) || shell=/bin/sh
home=\${HOME:-/}
[ "$home" = / ] && [ "$(id -u)" = 0 ] && [ -d /root ] && home=/root
export HOME="$home"
start=$4
case $start in "") start=$home ;; "~") start=$home ;; "~/"*) start=$home/\${start#"~/"} ;; esac
setsid=$(command -v setsid)
printf '%sF%s\\0%s\\0%s\\0%s\\0%s\\0%s\\0' "$word" "$home" "$tmp" "$dir" "$shell" "$start" "$setsid" >&3
case $shell in
  */bash) ${markName}=$id "$shell" -l -c "$3" hermes "$dir/report-0" "$start" "" "" </dev/null >/dev/null 2>&1 3>&- ;;
  *) ${markName}=$id "$shell" -c "$5" hermes "$dir/report-0" "$start" "" ":" </dev/null >/dev/null 2>&1 3>&- ;;
esac
code=$?
printf '%sR' "$word" >&3
cat "$dir/report-0" >&3
rm -f "$dir/report-0" "$dir/report-0.names"
printf '%sE%s\\n' "$word" "$code" >&3
`;

/**
 * Runs a command to its end. Arguments: word, mark, folder, slot (names its files), shell, script, working directory, command, and `drains` when
 * what the command does not read of its input is read to the end: a client that still sends to nobody may lose what was said.
 */
export const runScript = `
exec 3>&2 2>/dev/null
word=$1 run=$4
printf '%sS\\n' "$word" >&3
export ${markName}="$2"
launch=
case $5 in */bash) set -m ;; *) command -v setsid >/dev/null && launch=setsid ;; esac
exec 4<&0
$launch "$5" -c "$6" hermes "$3/report-$run" "$7" "$3/state.sh" "$8" 2>&1 3>&- <&4 4<&- &
child=$!
echo "$child" >"$3/pid-$run"
printf '%sP%s\\n' "$word" "$child" >&3
wait "$child"
code=$?
printf '%sR' "$word" >&3
[ -e "$3/report-$run" ] && cat "$3/report-$run" >&3
rm -f "$3/report-$run" "$3/report-$run.names" "$3/pid-$run" "$3/command-$run.sh"
printf '%sE%s\\n' "$word" "$code" >&3
[ -n "$9" ] && cat >/dev/null
exit "$code"
`;

/**
 * The same with one program less, for a script that tells itself what it leaves: the shell that waits is the small one of the system, and whoever
 * leads the group of the command is the command's own. Needs `setsid`. In the foreground, because what a plain shell starts in the background ignores interrupts.
 */
export const describedRunScript = `
exec 3>&2 2>/dev/null
printf '%sS\\n' "$1" >&3
export ${markName}="$2"
(exec setsid "$5" -c "$6" hermes "$1" "$7" "$3/state.sh" "$8" "$4" 2>&1 9>&3 3>&-)
code=$?
printf '%sE%s\\n' "$1" "$code" >&3
[ -n "$9" ] && cat >/dev/null
exit "$code"
`;

/** Runs a command under the pseudo-terminal it was started with. Arguments: mark, folder, run, shell, script, working directory, command. */
export const ptyScript = `
export ${markName}="$1" PYTHONUNBUFFERED=1 TERM=xterm-256color
stty rows 30 cols 120 2>/dev/null
echo "$$" >"$2/pid-$3"
case $4 in */bash) exec "$4" -l -i -c "$5" hermes /dev/null "$6" "$2/state.sh" "$7" ;; esac
exec "$4" -c "$5" hermes /dev/null "$6" "$2/state.sh" "$7"
`;

/** Ends a run, whoever left its group included. Arguments: folder, run (empty: all of the terminal), mark, tenths of a second between asking and forcing. */
export const killScript = `
pid=
[ -n "$2" ] && pid=$(cat "$1/pid-$2" 2>/dev/null)
case $pid in *[!0-9]*|0|1) pid= ;; esac
marked() {
  [ -d /proc/self ] || return 0
  grep -lsF -- "${markName}=$3" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ number _; do
    case $number in "$$"|''|*[!0-9]*|1) ;; *) echo "$number" ;; esac
  done
}
alive() { { [ -n "$pid" ] && kill -s 0 -- "-$pid" 2>/dev/null; } || [ -n "$(marked "$@")" ]; }
[ -n "$pid" ] && kill -s TERM -- "-$pid" 2>/dev/null
for one in $(marked "$@"); do kill -s TERM "$one" 2>/dev/null; kill -s CONT "$one" 2>/dev/null; done
left=$4
while [ "$left" -gt 0 ] && alive "$@"; do sleep 0.1 2>/dev/null || { sleep 1; left=$((left - 9)); }; left=$((left - 1)); done
[ -n "$pid" ] && kill -s KILL -- "-$pid" 2>/dev/null
# Again until none is left: what was forced may have started another meanwhile, and on a busy machine dies later.
rounds=60
while [ "$rounds" -gt 0 ] && forced=$(marked "$@") && [ -n "$forced" ]; do
  for one in $forced; do kill -s KILL "$one" 2>/dev/null; done
  rounds=$((rounds - 1))
  sleep 0.05 2>/dev/null || sleep 1
done
if [ -z "$2" ]; then case $1 in */hermes-remote-?*) rm -rf -- "$1" ;; esac; fi
exit 0
`;

/** Waits for the end of its input. When that comes without a farewell its owner died: everything of the terminal ends. Arguments: id, kill script. */
export const guardScript = `
trap '' HUP INT TERM PIPE
tmp=\${TMPDIR:-/tmp}
case $tmp in /*) ;; *) tmp=/tmp ;; esac
read -r farewell
[ "$farewell" = q ] && exit 0
sh -c "$2" hermes "$tmp/hermes-remote-$1" "" "$1-" 10
`;

/** Names the folders of all terminals that were opened here and not closed. */
export const leftoversScript = `
tmp=\${TMPDIR:-/tmp}
case $tmp in /*) ;; *) tmp=/tmp ;; esac
for folder in "$tmp"/hermes-remote-*; do [ -d "$folder" ] && [ -O "$folder" ] && echo "$folder"; done
exit 0
`;

/** Writes what comes in to a file of the terminal's folder. Argument: the file. */
export const keepScript = `umask 077; mkdir -p "\${1%/*}"; cat >"$1.new" && mv -f "$1.new" "$1"`;
