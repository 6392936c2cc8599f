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

const bashSave = (to: string): string => `
__hermes_save() {
  { local code=$?; set +eux; } 2>/dev/null
  [ "$__hermes_saved" = 1 ] && return "$code"
  __hermes_saved=1
  {
    builtin printf '%s\\0' "$(builtin pwd -P)"
    while IFS= builtin read -r name; do builtin printf '%s=%s\\0' "$name" "\${!name}"; done < <(builtin compgen -e)
    builtin printf '\\0'
    while IFS= builtin read -r name; do
      case $name in __hermes_*) ;; __*) builtin declare -f "$name" ;; _*) ;; *) builtin declare -f "$name" ;; esac
    done < <(builtin compgen -A function)
    builtin printf '\\0'
    builtin alias -p
    builtin printf '\\0${endMark}'
  } 2>/dev/null ${to}
  return "$code"
}
trap __hermes_save EXIT
`;

const toFile = '>|"$__hermes_state"';

const begin = `exec 2>&1
__hermes_state=$1; __hermes_dir=$2; __hermes_functions=$3; __hermes_command=$4; __hermes_saved=0
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
 * The same for a terminal elsewhere, where what is learned leaves through descriptor 9 and saves a file and two programs. The command does
 * not have the descriptor. The first argument is the word that begins each piece; not for commands with `exec`, which lose it.
 */
export const describingScript = `${begin}set --
printf '%sP%s\\n%sR' "$__hermes_state" "$$" "$__hermes_state" >&9
if [ -r "$__hermes_functions" ]; then . "$__hermes_functions"; fi
shopt -s expand_aliases
${bashSave(">&9")}
if ! cd -- "$__hermes_dir"; then printf '${unreachableMark}' >&9; trap - EXIT; exit 126; fi
eval "$__hermes_command" 9>&-
__hermes_save
exit $?`;

/** A command in bash, in the background: nothing it changes comes back. */
export const backgroundScript = `${begin}set --
set +m
if [ -r "$__hermes_functions" ]; then . "$__hermes_functions"; fi
shopt -s expand_aliases
${enter}
unset __hermes_state __hermes_dir __hermes_functions __hermes_saved
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
