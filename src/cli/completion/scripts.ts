import type { Invocation } from "../command.ts";
import { argument } from "../invocation.ts";
import { Output } from "../output/output.ts";

/** Prints the script of a shell. The script asks the program itself, so it knows every command there is. */
export async function completion(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const shell = argument(invocation, 0);
  const script = scripts[shell] ?? "";
  out.document({ shell, script });
  if (!out.isJson) await out.raw(script);
  return 0;
}

/** `__complete` prints one candidate per line, `word<TAB>description`; a line `:files` asks for names of files. */
const bash = `# Completion of hermes for bash. Use: eval "$(hermes completion bash)"
_hermes_complete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then
      mapfile -t -O "\${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o nosort -F _hermes_complete hermes
`;

const zsh = `#compdef hermes
# Completion of hermes for zsh. Use: eval "$(hermes completion zsh)"
_hermes() {
  local -a candidates
  local line word about files=0
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then files=1; continue; fi
    word="\${line%%$'\\t'*}"
    about="\${line#*$'\\t'}"
    candidates+=("\${word//:/\\\\:}:\${about}")
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#candidates} )) && _describe 'hermes' candidates
  (( files )) && _files
}
if [[ "\${funcstack[1]}" == "_hermes" ]]; then _hermes "$@"; else compdef _hermes hermes; fi
`;

const fish = `# Completion of hermes for fish. Save as ~/.config/fish/completions/hermes.fish
function __hermes_complete
    set -l words (commandline -opc) (commandline -ct)
    set -e words[1]
    for line in (hermes __complete $words 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c hermes -f -a '(__hermes_complete)'
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };
