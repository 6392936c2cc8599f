import { isRecord } from "#foundation/text/json";
import type { Plugins } from "#plugins";
import type { TuiExtension } from "#tui";

const powers = ["extraWidgets", "registerKeybindings", "buildLayout", "processCommand", "styles"] as const;

/** The extensions that plugins bring for the terminal. What is none is said and left out. */
export async function pluginExtensions(
  plugins: Pick<Plugins, "terminalExtensions">,
  say: (text: string) => void,
): Promise<readonly TuiExtension[]> {
  const found: TuiExtension[] = [];
  for (const part of await plugins.terminalExtensions()) {
    if (part.kind === "left-out") say(`The terminal part of the plugin ${part.plugin} is not used: ${part.reason}.`);
    else
      for (const input of part.extensions) {
        const named = withName(input, part.plugin);
        if (isExtension(named)) found.push(named);
        else say(`An extension of the plugin ${part.plugin} is not used: none of ${powers.join(", ")} is a function.`);
      }
  }
  return found;
}

/** A fault names the extension; one without a name has that of its plugin. */
function withName(input: unknown, plugin: string): unknown {
  if (typeof input !== "object" || input === null) return input;
  const { name } = input as { readonly name?: unknown };
  if (typeof name === "string" && name !== "") return input;
  return isRecord(input) ? { ...input, name: plugin } : input;
}

/** What plugins export is not checked by a compiler; an instance of a class counts as well. */
function isExtension(value: unknown): value is TuiExtension {
  if (typeof value !== "object" || value === null) return false;
  const methods = powers.map((power) => (value as Readonly<Record<string, unknown>>)[power]);
  const input = methods.filter((method) => method !== undefined);
  return input.length > 0 && input.every((method) => typeof method === "function");
}
