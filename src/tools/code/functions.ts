/** The tools a script may call, and how; a script gets those of them that its agent has. */
export interface ScriptFunction {
  readonly tool: string;
  readonly parameters: readonly Parameter[];
  /** What is said about it to the model. */
  readonly about: string;
}

interface Parameter {
  readonly name: string;
  /** A literal that reads the same in Python and JSON, or absent when it must be given. `null`: left out unless given. */
  readonly fallback?: string | number | null;
}

const need = (name: string): Parameter => ({ name });
const may = (name: string, fallback: string | number | null = null): Parameter => ({ name, fallback });

const scriptFunctions: readonly ScriptFunction[] = [
  { tool: "web_search", parameters: [need("query"), may("limit", 5)], about: "search the web" },
  { tool: "web_extract", parameters: [need("urls")], about: "read web pages (a list of addresses)" },
  { tool: "read_file", parameters: [need("path"), may("offset", 1), may("limit", 500)], about: "read lines of a file" },
  { tool: "write_file", parameters: [need("path"), need("content")], about: "write a whole file" },
  {
    tool: "search_files",
    parameters: [
      need("pattern"),
      may("target"),
      may("path"),
      may("file_glob"),
      may("limit"),
      may("offset"),
      may("output_mode"),
      may("context"),
    ],
    about: "search in files or for files",
  },
  {
    tool: "patch",
    parameters: [may("path"), may("old_string"), may("new_string"), may("replace_all"), may("mode"), may("patch")],
    about: "edit a file",
  },
  {
    tool: "terminal",
    parameters: [need("command"), may("timeout"), may("workdir")],
    about: "run a command and wait for it",
  },
];

/** Nothing in common means no functions, never all of them. */
export function functionsFor(enabled: ReadonlySet<string>): readonly ScriptFunction[] {
  return scriptFunctions.filter((one) => enabled.has(one.tool));
}

/** `read_file(path, offset=1, limit=500)`. */
export function signature(one: ScriptFunction): string {
  const parameters = one.parameters.map((parameter) => {
    if (parameter.fallback === undefined) return parameter.name;
    return `${parameter.name}=${parameter.fallback === null ? "None" : JSON.stringify(parameter.fallback)}`;
  });
  return `${one.tool}(${parameters.join(", ")})`;
}

/** What a script may not ask of a tool although the model may. */
const withheld: Readonly<Record<string, readonly string[]>> = {
  terminal: ["background", "pty", "notify_on_complete", "watch_patterns"],
};

export function allowedArguments(
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const hidden = withheld[tool] ?? [];
  return Object.fromEntries(Object.entries(args).filter(([name]) => !hidden.includes(name)));
}
