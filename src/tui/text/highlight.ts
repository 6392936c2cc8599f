import type { HLJSApi, LanguageFn } from "highlight.js";
import { defined } from "#foundation/defined";
import type { Highlight } from "./markdown.ts";
import type { Line, Span } from "./styled.ts";

type Module = { readonly default: LanguageFn };

/** The languages worth their weight; each is loaded when a block of it is written. */
const languages: Readonly<Record<string, () => Promise<Module>>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  go: () => import("highlight.js/lib/languages/go"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

const aliases: Readonly<Record<string, string>> = {
  sh: "bash",
  shell: "bash",
  zsh: "bash",
  console: "bash",
  "c++": "cpp",
  cs: "csharp",
  docker: "dockerfile",
  golang: "go",
  toml: "ini",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  jsonc: "json",
  kt: "kotlin",
  make: "makefile",
  py: "python",
  rb: "ruby",
  rs: "rust",
  ts: "typescript",
  tsx: "typescript",
  html: "xml",
  svg: "xml",
  yml: "yaml",
};

const maxHighlighted = 50_000;

/** Colours code once its language is loaded; asking for one starts loading it. */
export class Highlighter {
  readonly #onLoaded: () => void;
  #api: HLJSApi | undefined;
  readonly #state = new Map<string, "loading" | "ready" | "failed">();

  constructor(onLoaded: () => void) {
    this.#onLoaded = onLoaded;
  }

  readonly highlight: Highlight = (name, code) => {
    const language = aliases[name] ?? name;
    if (this.isLoading(name) || this.#state.get(language) !== "ready" || code.length > maxHighlighted) return undefined;
    const result = this.#api?.highlight(code, { language, ignoreIllegals: true });
    return result === undefined ? undefined : rowsOf(result.value);
  };

  /** Whether it is worth waiting for the colours of this language. */
  isLoading(name: string): boolean {
    const language = aliases[name] ?? name;
    if (!Object.hasOwn(languages, language)) return false;
    if (!this.#state.has(language)) void this.#load(language);
    return this.#state.get(language) === "loading";
  }

  async #load(language: string): Promise<void> {
    this.#state.set(language, "loading");
    try {
      const load = languages[language];
      const [core, module] = await Promise.all([import("highlight.js/lib/core"), load?.()]);
      this.#api ??= core.default;
      if (module !== undefined) this.#api.registerLanguage(language, module.default);
      this.#state.set(language, "ready");
    } catch {
      // Code without colours is still code.
      this.#state.set(language, "failed");
    }
    this.#onLoaded();
  }
}

const styleOf: Readonly<Record<string, string>> = {
  keyword: "code-keyword",
  built_in: "code-title",
  literal: "code-number",
  number: "code-number",
  string: "code-string",
  regexp: "code-string",
  comment: "code-comment",
  doctag: "code-comment",
  title: "code-title",
  function: "code-title",
  type: "code-type",
  class: "code-type",
  attr: "code-title",
  attribute: "code-title",
  name: "code-keyword",
  tag: "code-keyword",
  symbol: "code-number",
  variable: "code-type",
  meta: "code-meta",
  section: "code-title",
  addition: "diff-add",
  deletion: "diff-remove",
};

/** The library answers in HTML; only its own spans and five entities occur in it. */
function rowsOf(html: string): Line[] {
  const rows: Span[][] = [[]];
  const open: (string | undefined)[] = [];
  for (const part of html.split(/(<span class="[^"]*">|<\/span>)/)) {
    if (part.startsWith("<span")) {
      const scope = /hljs-([\w-]+)/.exec(part)?.[1] ?? "";
      open.push(styleOf[scope] ?? open.at(-1));
      continue;
    }
    if (part === "</span>") {
      open.pop();
      continue;
    }
    const style = open.at(-1);
    for (const [index, text] of decode(part).split("\n").entries()) {
      if (index > 0) rows.push([]);
      if (text !== "") rows.at(-1)?.push({ text, ...defined({ style }) });
    }
  }
  return rows;
}

function decode(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
}
