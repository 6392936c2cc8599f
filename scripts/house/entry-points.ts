import type { SourceTree } from "./source-tree.ts";

/** Files whose exports are for other programs (`exports` of package.json). */
export const publishedFiles: readonly string[] = ["src/app/library.ts", "src/tui/index.ts"];

/** Interfaces whose members plugins, people's environments, programs around Hermes or the language call: no caller of ours is needed. */
export const calledFromOutside: ReadonlySet<string> = new Set([
  "InputArea",
  "PluginContext",
  "ProviderCommand",
  "Setting", // Its one member exists for the type only.
  "ToolContext",
  "ValueOf",
  "WellFormable",
]);

/** Interfaces that plugins, programs around Hermes, people's files or the language fill: nobody of ours needs to supply a port. */
export const implementedOutside: ReadonlySet<string> = new Set([
  "AllowEntry",
  "CommandIo",
  "CreateHermesOptions",
  "KeybindingOptions",
  "Style",
  "TurnRequest",
  "Widget",
  "ContextEngine",
  "ImageGenProvider",
  "MemoryProvider",
  "ProviderCommand",
  "RunTuiOptions",
  "Setting",
  "ValueOf",
  "WellFormable",
]);

/** Files that are started rather than imported: all scripts, and sources that another file names as a program or a bundle. */
export function entryFiles(tree: SourceTree): readonly string[] {
  const entries = new Set<string>(publishedFiles);
  for (const file of tree.files.values()) {
    if (!file.path.startsWith("src/")) entries.add(file.path);
    const imported = new Set(file.imports.map(({ specifier }) => specifier));
    for (const { text } of file.texts) {
      if (imported.has(text)) continue;
      const named = /^(?:\.{0,2}\/)*([\w./-]+\.(?:tsx?|js))$/.exec(text)?.[1];
      if (named === undefined) continue;
      for (const candidate of [named, nextTo(file.path, text)]) if (tree.files.has(candidate)) entries.add(candidate);
    }
  }
  return [...entries];
}

/** A program is named by its built file, which lies where its source does. */
function nextTo(file: string, text: string): string {
  const url = new URL(text, `file:///${file}`);
  return decodeURIComponent(url.pathname.slice(1)).replace(/\.js$/, ".ts");
}
