/**
 * The shell text around every command of a terminal. Invariants:
 *
 * 1. What is learned from a command (directory, variables, functions, aliases) leaves through a file
 *    that only this user can read, never through the output, so no output can forge or lose it.
 * 2. The file is complete only when it ends with the end mark; anything shorter is ignored.
 * 3. It is written when the shell ends in whatever way: normally, by `exit`, under `set -e`, by a
 *    signal it can catch, and before an `exec` that replaces it.
 *
 * Arguments of the script: state file, working directory, file with functions and aliases, command.
 */
export const endMark = "hermes-end";
export const unreachableMark = "hermes-no-directory";

/**
 * Names come through a file: every `$(…)` would be a process more, at the end of every command. An empty line parts variables and functions, another
 * one ends them; without it the file is not whole and neither is what is told.
 */
const bashSave = (to: string): string => `
__hermes_save() {
  { local code=$? __hermes_kind=v __hermes_name; set +eux; } 2>/dev/null
  [ "$__hermes_saved" = 1 ] && return "$code"
  __hermes_saved=1
  {
    { builtin compgen -e; builtin echo; builtin compgen -A function; builtin echo; } >|"$__hermes_names"
    builtin pwd -P
    builtin printf '\\0'
    while IFS= builtin read -r __hermes_name; do
      case $__hermes_kind$__hermes_name in
        v) __hermes_kind=f; builtin printf '\\0' ;;
        f) __hermes_kind=whole; builtin printf '\\0' ;;
        v*) builtin printf '%s=%s\\0' "$__hermes_name" "\${!__hermes_name}" ;;
        f__hermes_*) ;;
        f__*) builtin declare -f "$__hermes_name" ;;
        f_*) ;;
        f*) builtin declare -f "$__hermes_name" ;;
      esac
    done <"$__hermes_names"
    builtin alias -p
    [ "$__hermes_kind" = whole ] && builtin printf '\\0${endMark}'
  } 2>/dev/null ${to}
  return "$code"
}
trap __hermes_save EXIT
`;

const toFile = '>|"$__hermes_state"';

const begin = `exec 2>&1
__hermes_state=$1; __hermes_dir=$2; __hermes_functions=$3; __hermes_command=$4; __hermes_saved=0
__hermes_names=$1.names
`;

const enter = `
if ! cd -- "$__hermes_dir"; then printf '${unreachableMark}' >|"$__hermes_state"; trap - EXIT; exit 126; fi
`;

/** Before \`exec\` replaces the shell there is no exit to trap, so each command is looked at; only when the word occurs. */
const watchExec = `
trap 'case $BASH_COMMAND in "exec "*) __hermes_save; __hermes_saved=0 ;; esac' DEBUG
`;

/** A command in bash, in the foreground. */
export function foregroundScript(options: { readonly hasExec: boolean }): string {
  return `${begin}set --
if [ -r "$__hermes_functions" ]; then . "$__hermes_functions"; fi
shopt -s expand_aliases
${bashSave(toFile)}${enter}${options.hasExec ? watchExec : ""}
eval "$__hermes_command"
__hermes_save
exit $?`;
}

/**
 * A shell that was started before its command is known. It reads the state file and the command from standard input, each ended by a zero byte, and
 * goes on as any other, with an empty input; without a command it ends. Its arguments are the other two: working directory and functions.
 */
export function waitingScript(script: string): string {
  return `IFS= read -r -d '' __hermes_state && IFS= read -r -d '' __hermes_command || exit 0
exec </dev/null
SECONDS=0
set -- "$__hermes_state" "$1" "$2" "$__hermes_command"
${script}`;
}

/** What such a shell reads. */
export function waitingInput(state: string, command: string): string {
  return `${state}\0${command}\0`;
}

/**
 * The same for a terminal elsewhere, where what is learned leaves through descriptor 9 and saves a file and two programs. The command does
 * not have the descriptor. The first argument is the word that begins each piece, the fifth ends the names of its files beside that with the functions;
 * not for commands with `exec`, which lose it.
 */
export const describingScript = `${begin}__hermes_folder=\${3%/*}; __hermes_names=$__hermes_folder/names-$5
printf '%s' "$$" >|"$__hermes_folder/pid-$5"
set --
printf '%sP%s\\n%sR' "$__hermes_state" "$$" "$__hermes_state" >&9
if [ -r "$__hermes_functions" ]; then . "$__hermes_functions"; fi
shopt -s expand_aliases
${bashSave(">&9")}
if ! cd -- "$__hermes_dir"; then printf '${unreachableMark}' >&9; trap - EXIT; exit 126; fi
eval "$__hermes_command" 9>&-
__hermes_save
exit $?`;

/**
 * A command outside the wall. What was left behind inside it has no part in it: no functions and aliases are read, and nothing is
 * reported to a file that programs inside can touch. For any shell.
 */
export const outsideScript = `exec 2>&1
cd -- "$2" || exit 126
__hermes_command=$4
set --
eval "$__hermes_command"`;

/** A command in bash, in the background: nothing it changes comes back. */
export const backgroundScript = `${begin}set --
set +m
if [ -r "$__hermes_functions" ]; then . "$__hermes_functions"; fi
shopt -s expand_aliases
${enter}
unset __hermes_state __hermes_dir __hermes_functions __hermes_saved __hermes_names
eval "$__hermes_command"`;

/** The first shell of a terminal: sources what the user's own shell would, and reports what came of it. */
export function snapshotScript(initFiles: readonly string[]): string {
  const sources = initFiles.map((file) => `if [ -r ${quote(file)} ]; then . ${quote(file)} >/dev/null 2>&1; fi`);
  return `${begin}shopt -s expand_aliases
${bashSave(toFile)}
${sources.join("\n")}
{ set +eu; } 2>/dev/null
${enter}
exit 0`;
}

/** For a machine without bash: directory and exported variables only. */
export const plainShellScript = `${begin}
__hermes_save() { { pwd -P | tr '\\n' '\\0'; env -0; printf '\\0\\0\\0${endMark}'; } 2>/dev/null >|"$__hermes_state"; }
trap 'code=$?; __hermes_save; exit $code' EXIT
if [ -r "$__hermes_functions" ]; then . "$__hermes_functions"; fi
${enter}
eval "$__hermes_command"`;

/** One word for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
