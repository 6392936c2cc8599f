import { randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { readTextFile, resolveInside } from "#foundation/files/files";
import { parseJson } from "#foundation/text/json";

/** A tab that a plugin brings. */
export interface PluginTab {
  readonly name: string;
  readonly title: string;
  /** The page; what lies in its folder is served beside it. */
  readonly page: string;
  /** What the plugin wrote for its page to show; need not be there. */
  readonly dataFile: string;
}

const mostFileBytes = 5_000_000;
const mostDataBytes = 1_000_000;
const tabPath = "/tab/";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/**
 * On every file of a tab. The page is nobody's: it has no origin, so neither storage nor the page around it are in its reach, it may talk
 * to no address, and no other page may show it.
 */
export const tabHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "sandbox allow-scripts",
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  // A page without an origin counts as another site to its own files.
  "cross-origin-resource-policy": "cross-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), clipboard-read=(), clipboard-write=()",
};

export const isTabPath = (asked: string): boolean => asked.startsWith(tabPath);

/**
 * The files of tabs. A frame can send no token, so each plugin has a folder in the address that cannot be guessed and is made anew at every
 * start; it opens the files of that tab and nothing else.
 */
export class PluginTabs {
  readonly #tabs: () => readonly PluginTab[];
  readonly #folders = new Map<string, string>();

  constructor(tabs: () => readonly PluginTab[]) {
    this.#tabs = tabs;
  }

  list(): readonly { readonly name: string; readonly title: string; readonly address: string }[] {
    return this.#tabs().map(({ name, title, page }) => ({
      name,
      title,
      address: `${tabPath.slice(1)}${this.#folderOf(name)}/${encodeURIComponent(path.basename(page))}`,
    }));
  }

  async file(
    folder: string,
    name: string,
  ): Promise<{ readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined> {
    const tab = this.#tabs().find((one) => this.#folders.get(one.name) === folder);
    const type = types[path.extname(name)];
    if (tab === undefined || type === undefined) return undefined;
    const file = await resolveInside(path.dirname(tab.page), name).catch(() => undefined);
    const info = file === undefined ? undefined : await stat(file).catch(() => undefined);
    if (file === undefined || info?.isFile() !== true || info.size > mostFileBytes) return undefined;
    return { type, bytes: new Uint8Array(await readFile(file)) };
  }

  /** Null where the plugin has written nothing, or nothing that can be read. */
  async data(name: string): Promise<unknown> {
    const tab = this.#tabs().find((one) => one.name === name);
    const text = tab === undefined ? undefined : await readTextFile(tab.dataFile, { maxBytes: mostDataBytes });
    const parsed = text === undefined ? undefined : parseJson(text);
    return parsed?.ok === true ? parsed.value : null;
  }

  #folderOf(name: string): string {
    const known = this.#folders.get(name) ?? randomBytes(18).toString("base64url");
    this.#folders.set(name, known);
    return known;
  }
}
