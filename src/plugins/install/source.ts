import path from "node:path";

/** Where a plugin is to come from. */
export type PluginOrigin =
  | { readonly kind: "npm"; readonly spec: string }
  | { readonly kind: "git"; readonly url: string; readonly warning?: string }
  | { readonly kind: "folder"; readonly path: string };

export type InstallSource = PluginOrigin | { readonly kind: "invalid"; readonly reason: string };

/** Reads what a person typed: `npm:<package>`, `owner/repo`, a git address, or a path that starts with `.`, `/` or `~`. */
export function readInstallSource(
  input: string,
  location: { readonly cwd: string; readonly home: string },
): InstallSource {
  const text = input.trim();
  if (text === "" || text.startsWith("-") || hasControl(text))
    return { kind: "invalid", reason: `"${text}" names no plugin` };
  if (text.startsWith("npm:")) {
    const spec = text.slice(4);
    return packageName(spec) === undefined
      ? { kind: "invalid", reason: `"${spec}" is not a package, as in npm:name or npm:@scope/name@1.2.0` }
      : { kind: "npm", spec };
  }
  if (/^[./~]/.test(text)) return { kind: "folder", path: folderOf(text, location) };
  if (/^(?:https|ssh):\/\/[^-]/.test(text) || /^[\w.-]+@[\w.-]+:/.test(text)) return { kind: "git", url: text };
  if (/^(?:http|file):\/\//.test(text))
    return { kind: "git", url: text, warning: `${text} does not prove where it comes from` };
  if (/^[\w.-]+\/[\w.-]+$/.test(text)) return { kind: "git", url: `https://github.com/${text}.git` };
  return {
    kind: "invalid",
    reason: `"${text}" is no owner/repo, git address, npm:package or path (a path starts with . or /)`,
  };
}

/** The name in `name`, `name@range` or `@scope/name@range`. */
export function packageName(spec: string): string | undefined {
  return /^((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:@[\w.^~<>=*-]+)?$/.exec(spec)?.[1];
}

function folderOf(text: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  return text === "~" || text.startsWith("~/") ? path.join(home, text.slice(1)) : path.resolve(cwd, text);
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
