import type { SecretSpan } from "./redact-spans.ts";

/**
 * What keys and passwords look like when nobody told us their value. Rules for these patterns:
 *
 * 1. Group 1 is what gives the secret away and stays; group 2 is the secret.
 * 2. Each takes time linear in the text: repetitions are bounded, or cannot be entered twice at one place.
 * 3. A mask is not a secret: redacting what was redacted changes nothing.
 * 4. A pattern runs only where a few characters say that it may match: compiling one takes a process longer
 *    than searching a line with it, and most processes write only a few lines.
 */
interface ShapeRule {
  readonly pattern: RegExp;
  readonly rank: "shape" | "context";
  /** Pieces, in lower case: every secret that the rule finds comes with at least one of each group. */
  readonly signs: readonly (readonly string[])[];
  /** The mask, or undefined when this is no secret after all. */
  mask(value: string, lead: string): string | undefined;
}

export const plainMask = "***";
const fewestShown = 18;

export function findShapes(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  const lower = text.toLowerCase();
  for (const rule of isFormBody(text) ? [...shapeRules, formField] : shapeRules) {
    if (!mayMatch(rule, lower)) continue;
    for (const match of text.matchAll(rule.pattern)) {
      const [, lead = "", value = ""] = match;
      const isHarmless = value === "" || isMask(value) || (rule.rank === "context" && isReference(value));
      const mask = isHarmless ? undefined : rule.mask(value, lead);
      if (mask === undefined) continue;
      const start = match.index + lead.length;
      spans.push({ start, end: start + value.length, from: match.index, mask, rank: rule.rank });
    }
  }
  return spans;
}

/** Whether a text, in lower case, has the signs of the rule. */
export function mayMatch({ signs }: Pick<ShapeRule, "signs">, lower: string): boolean {
  return signs.every((group) => group.some((sign) => lower.includes(sign)));
}

/** Enough of a long key to recognise which one it was; nothing of a short one. */
function maskKey(key: string): string {
  return key.length < fewestShown ? plainMask : `${key.slice(0, 4)}...${key.slice(-4)}`;
}

function isMask(value: string): boolean {
  return /^(?:\*{3}|\[redacted:|\S{4}\.\.\.\S{4}$)/.test(value);
}

/** A placeholder that names a secret without telling it: `$TOKEN`, `${TOKEN}`, `$(cmd)`, `{token}`, `<your token>`, `%TOKEN%`. */
function isReference(value: string): boolean {
  return /^["']?(?:\$\(|(?:\$\{?[A-Za-z_][\w.]*\}?|\{{1,2} ?[\w.]+ ?\}{0,2}|<[\w -]*>?|%\w+%)["']?$)/.test(value);
}

const always = (): string => plainMask;

/** What may follow a prefix, by the prefixes that begin a key and hardly anything else. The signs below name them too. */
const strongKeys = [
  "(?:sk-|github_pat_|xox[abprs]-|AIza|pplx-|bb_live_|sk_live_|sk_test_|rk_live_|pypi-|tvly-|syt_|retaindb_|hsk-|xai-)[A-Za-z0-9_-]{10,}",
  "(?:gh[oprsu]_|dop_v1_|doo_v1_|gsk_)[A-Za-z0-9]{10,}",
  "gAAAA[A-Za-z0-9_=-]{10,}",
  "SG\\.[A-Za-z0-9_.-]{9,}[A-Za-z0-9_-]",
  "(?:AKIA|ASIA)[A-Z0-9]{16}(?!\\w)",
  "eyJ[A-Za-z0-9_-]{10,}(?:\\.[A-Za-z0-9_-]+){0,2}",
];
const strongSigns = [
  ...[
    "sk-",
    "github_pat_",
    "xox",
    "aiza",
    "pplx-",
    "_live_",
    "sk_test_",
    "pypi-",
    "tvly-",
    "syt_",
    "retaindb_",
    "xai-",
  ],
  ...["gho_", "ghp_", "ghr_", "ghs_", "ghu_", "_v1_", "gsk_", "gaaaa", "sg.", "akia", "asia", "eyj"],
];
/** Prefixes that also begin ordinary names (`npm_configuration`); what follows must not read like words. */
const weakKeys = ["(?:npm_|hf_|r8_|mem0_|fc-|exa_)[A-Za-z0-9]{10,}", "(?:am_|fal_|brv_|sk_)[A-Za-z0-9_-]{10,}"];
const weakSigns = ["npm_", "hf_", "r8_", "mem0_", "fc-", "exa_", "am_", "fal_", "brv_", "sk_"];

const secretQueryNames =
  "access_token|refresh_token|id_token|token|api_key|apikey|client_secret|password|auth|jwt|session|secret|key|code|signature|x-amz-signature";

const secretFieldNames =
  "(?:x[_-])?(?:goog[_-])?api[_-]?key|(?:x[_-])(?:auth|access)[_-]token|(?:access|refresh|auth|id|bearer|bot|session|api|app|oauth)?[_-]?token|(?:client|app|shared|webhook|signing)?[_-]?secret|(?:secret|private|access|signing|encryption)[_-]?key|secret[_-]?access[_-]?key|passw(?:or)?d|passphrase|bearer|authorization|credentials?";
const wholeFieldName = new RegExp(`^(?:${secretFieldNames})$`, "i");

/** Whether a field of this name holds a secret: `apiKey`, `client_secret`; not `token_count`. */
export function isSecretName(name: string): boolean {
  return wholeFieldName.test(name);
}

/** What the names of fields and of variables that hold secrets have in common. */
const fieldSigns = ["key", "token", "secret", "passw", "passphrase", "bearer", "authorization", "credential"];
const assignedSigns = ["api", "token", "secret", "passw", "credential", "auth"];

export const shapeRules: readonly ShapeRule[] = [
  {
    // A complete block, or the part of one that was cut off.
    pattern:
      /()(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[\s\S]){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:\s|\\[nr]|[A-Za-z-]{2,20}: [^\n]{0,200}\n)*(?:[A-Za-z0-9+/=]{16,}(?:\s|\\[nr])*)*(?:[A-Za-z0-9+/=]+$)?))/g,
    rank: "shape",
    signs: [["-----begin "]],
    mask: () => "[redacted:private-key]",
  },
  {
    pattern: new RegExp(`(?<!\\w)()(${strongKeys.join("|")})`, "g"),
    rank: "shape",
    signs: [strongSigns],
    mask: maskKey,
  },
  {
    pattern: new RegExp(`(?<!\\w)()(${weakKeys.join("|")})`, "g"),
    rank: "shape",
    signs: [weakSigns],
    mask: (value) => (/[0-9A-Z]/.test(value.slice(value.search(/[_-]/))) ? maskKey(value) : undefined),
  },
  {
    // A bot token of Telegram, bare or in the path of its API: `/bot<id>:<token>/getMe`.
    pattern: /(?<![A-Za-z0-9])((?:bot)?\d{8,20}:)([A-Za-z0-9_-]{30,})/gi,
    rank: "shape",
    signs: [[":"]],
    mask: always,
  },
  {
    pattern:
      /(?<![\w"'])((?:proxy-)?authorization: {0,3}(?:bearer|basic|token|digest|negotiate|api-?key) +)([^\s"',;]{3,})/gi,
    rank: "context",
    signs: [["authorization:"]],
    mask: always,
  },
  {
    // Without a scheme only what looks random: `authorization: string` is a declaration.
    pattern: /(?<![\w"'])((?:proxy-)?authorization: {0,3})(?=[^\s"',;]{0,40}\d)([^\s"',;]{12,})/gi,
    rank: "context",
    signs: [["authorization:"]],
    mask: always,
  },
  {
    pattern: /(?<![\w"'-])((?:x-api-key|api-key|x-goog-api-key|x-auth-token|x-access-token): {0,3})([^\s"',;]{3,})/gi,
    rank: "context",
    signs: [["api-key:", "auth-token:", "access-token:"]],
    mask: always,
  },
  {
    pattern: /(?<!\w)(bearer +)([A-Za-z0-9._~+/=-]{8,})/gi,
    rank: "context",
    signs: [["bearer "]],
    // "Bearer authentication" is prose.
    mask: (value) => (/\d/.test(value) || value.length >= 24 ? plainMask : undefined),
  },
  fieldRule('"', ""),
  fieldRule("'", ""),
  fieldRule('"', "\\\\{1,3}"),
  {
    pattern: /(?<!\w)([A-Z][A-Z0-9_]{2,79}=)((?:"[^"\n]+)|(?:'[^'\n]+)|[^\s"'`;,)&|<>]+)/g,
    rank: "context",
    signs: [["="], assignedSigns],
    mask: maskAssigned,
  },
  {
    pattern: /(?<!\w)([A-Z][A-Z0-9_]{2,79} = )("[^"\n]+|'[^'\n]+)/g,
    rank: "context",
    signs: [[" = "], assignedSigns],
    mask: maskAssigned,
  },
  {
    pattern:
      /(?<![A-Za-z0-9])((?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?)(?:\+[a-z0-9]{1,20})?:\/\/[^\s:@/"'?#]{0,128}:)([^\s@"'<>]{1,256})(?=@)/gi,
    rank: "context",
    signs: [["://"], ["@"]],
    mask: always,
  },
  {
    pattern: /(?<![A-Za-z0-9])([a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/"'?#]{0,128}:)([^\s@/"'<>]{1,256})(?=@)/gi,
    rank: "context",
    signs: [["://"], ["@"]],
    mask: always,
  },
  {
    pattern: new RegExp(`([?&](?:${secretQueryNames})=)([^&\\s#"'<>]+)`, "gi"),
    rank: "context",
    signs: [["="], ["?", "&"]],
    mask: always,
  },
];

/** A field of JSON (also of JSON inside a JSON string, whose quotes are escaped) or of a Python dictionary. */
function fieldRule(quote: '"' | "'", escapes: string): ShapeRule {
  const mark = `${escapes === "" ? "(?<!\\\\)" : escapes}${quote}`;
  const content = `[^${quote}\\\\\\n]`;
  const value = escapes === "" ? `${content}*(?:\\\\[^\\n]${content}*)*` : `${content}+`;
  return {
    pattern: new RegExp(`(${mark}(?:${secretFieldNames})${mark}\\s{0,8}:\\s{0,8}${mark})(${value})`, "gi"),
    rank: "context",
    signs: [[quote], [":"], fieldSigns],
    mask: always,
  };
}

const assignedSecret = /API_?KEY|TOKEN|SECRET|PASSW(?:OR)?D|CREDENTIAL|AUTH(?!ORS?(?:_|$))/;
/** Names that hold counts and switches as often as secrets: MAX_TOKENS, AUTH_ENABLED. */
const oftenHarmless = /^(?:\d{1,9}|true|false|yes|no|on|off|null|none)$/i;

function maskAssigned(value: string, lead: string): string | undefined {
  const name = lead.slice(0, lead.search(/[ =]/));
  if (!assignedSecret.test(name)) return undefined;
  const quote = /^["']/.exec(value)?.[0] ?? "";
  const bare = value.slice(quote.length);
  if (isMask(bare)) return undefined;
  if (!/SECRET|PASSW|API_?KEY/.test(name) && oftenHarmless.test(bare)) return undefined;
  return quote + plainMask;
}

const formField: ShapeRule = {
  pattern: new RegExp(`((?:^|&)(?:${secretQueryNames})=)([^&]+)`, "gi"),
  rank: "context",
  signs: [["="]],
  mask: always,
};

/** A whole text of the form `a=1&b=2`, as a browser posts it. */
function isFormBody(text: string): boolean {
  return (
    text.length < 65_536 && text.includes("&") && /^[\w.%+~[\]-]+=[^\s&]*(?:&[\w.%+~[\]-]+=[^\s&]*)+$/.test(text.trim())
  );
}
