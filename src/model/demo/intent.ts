/** What the demo model can do with tools. */
export type Task =
  | { readonly kind: "list"; readonly path: string }
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "search"; readonly pattern: string; readonly path: string }
  | { readonly kind: "replace"; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "remember"; readonly fact: string }
  | { readonly kind: "recall"; readonly query: string }
  | { readonly kind: "plan"; readonly items: readonly string[] }
  | { readonly kind: "delegate"; readonly goal: string }
  | { readonly kind: "program"; readonly topic: string };

/** What a person asked the demo model for, as far as its few rules can tell. */
export type Intent = Task | { readonly kind: "greeting" } | { readonly kind: "unknown" };

interface Rule {
  readonly pattern: RegExp;
  intent(groups: Readonly<Record<string, string | undefined>>): Intent;
}

/** A path or command in backticks or quotes keeps its spaces; bare, it ends at the next space. */
const target = "(?:`(?<a>[^`]+)`|\"(?<b>[^\"]+)\"|'(?<c>[^']+)'|(?<d>\\S+))";
const quoted = (name: string) => `(?:\`(?<${name}a>[^\`]*)\`|"(?<${name}b>[^"]*)"|'(?<${name}c>[^']*)')`;
const pick = (groups: Readonly<Record<string, string | undefined>>, prefix = ""): string =>
  (groups[`${prefix}a`] ?? groups[`${prefix}b`] ?? groups[`${prefix}c`] ?? groups[`${prefix}d`] ?? "")
    .trim()
    .replace(/^@file:/, "");
const rule = (source: string, intent: Rule["intent"]): Rule => ({ pattern: new RegExp(source, "is"), intent });

/** In order; the first that matches wins, so the narrow ones stand before the wide ones. */
const rules: readonly Rule[] = [
  rule("^\\s*(?:hi|hello|hey|good (?:morning|evening)|help|what can you do)\\b", () => ({ kind: "greeting" })),
  rule("\\bdelegate\\b(?:\\s+(?:this|a task|the task))?\\s*[:,]?\\s*(?:to\\s+)?(?<goal>.+)", (groups) => ({
    kind: "delegate",
    goal: (groups.goal ?? "").trim(),
  })),
  rule("^\\s*remember\\b(?:\\s+that)?\\s*:?\\s*(?<fact>.+)", (groups) => ({
    kind: "remember",
    fact: (groups.fact ?? "").trim(),
  })),
  rule(
    "\\b(?:recall|what did (?:we|i|you)\\b.*\\b(?:about|on)|earlier session\\S*(?:\\s+about)?)\\s*:?\\s*(?<query>.*)",
    (groups) => ({ kind: "recall", query: (groups.query ?? "").replace(/[?.!]+$/, "").trim() }),
  ),
  rule("^\\s*(?:make a |write a |create a )?plan\\b\\s*(?:for|to|:)?\\s*(?<items>.+)", (groups) => ({
    kind: "plan",
    items: splitItems(groups.items ?? ""),
  })),
  rule(
    "\\b(?:replace|change)\\s+" +
      quoted("from") +
      "\\s+(?:with|to|by|into)\\s+" +
      quoted("to") +
      "\\s+in\\s+(?:the file\\s+)?" +
      target,
    (groups) => ({ kind: "replace", path: pick(groups), from: pick(groups, "from"), to: pick(groups, "to") }),
  ),
  rule(
    `\\b(?:write|create|save)\\s+(?:a\\s+|the\\s+)?(?:new\\s+)?file\\s+(?:called\\s+|named\\s+)?${target}\\s*(?:with|containing|saying|:)\\s*(?:the (?:text|content)\\s*)?(?<content>.+)`,
    (groups) => ({ kind: "write", path: pick(groups), content: unquote(groups.content ?? "") }),
  ),
  rule(
    "\\b(?:write|make|create)\\b.*\\b(?:program|script)\\b(?:\\s+(?:that|which|to|for|printing|computing)\\s+(?<topic>.+))?",
    (groups) => ({ kind: "program", topic: (groups.topic ?? "").replace(/[.!]+$/, "").trim() }),
  ),
  rule(`\\b(?:run|execute)\\s+(?:the\\s+)?(?:command\\s+)?(?:\`(?<a>[^\`]+)\`|(?<d>.+))`, (groups) => ({
    kind: "run",
    command: pick(groups),
  })),
  rule(`\\b(?:search|grep|look)\\s+(?:for\\s+)?${target}(?:\\s+in\\s+(?:the\\s+)?(?<where>\\S+))?`, (groups) => ({
    kind: "search",
    pattern: pick(groups),
    path: location(groups.where),
  })),
  rule(
    "\\b(?:list|show)\\b.*?\\b(?:files|folder|directory|dir)\\b(?:.*?\\b(?:in|of)\\s+(?<where>\\S+))?",
    (groups) => ({
      kind: "list",
      path: location(groups.where),
    }),
  ),
  rule("\\bwhat files\\b(?:.*?\\bin\\s+(?<where>\\S+))?", (groups) => ({ kind: "list", path: location(groups.where) })),
  rule(`\\b(?:read|show|open|print|cat)\\s+(?:me\\s+)?(?:the\\s+)?(?:file\\s+)?${target}`, (groups) => ({
    kind: "read",
    path: pick(groups).replace(/[?!,]+$/, ""),
  })),
];

export function intentOf(text: string): Intent {
  for (const { pattern, intent } of rules) {
    const match = pattern.exec(text);
    if (match !== null) return intent(match.groups ?? {});
  }
  return { kind: "unknown" };
}

function location(word: string | undefined): string {
  const cleaned = (word ?? "").replace(/[`"'?!,]/g, "").replace(/\.$/, "");
  return cleaned === "" || /^(?:this|here|the|current|it)$/i.test(cleaned) ? "." : cleaned;
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return /^(["'`])([\s\S]*)\1$/.exec(trimmed)?.[2] ?? trimmed;
}

function splitItems(text: string): readonly string[] {
  const items = text
    .split(/\n|;|,|\d+\.\s|(?:\s+and then\s+)|(?:\s+then\s+)/)
    .map((item) => item.replace(/^[-*\s]+/, "").trim())
    .filter((item) => item !== "");
  return items.length === 0 ? [text.trim()] : items.slice(0, 12);
}
