/**
 * Text from outside that speaks like an instruction or reaches for secrets. One table serves the context files a
 * project ships (`context`) and the notes the model writes for itself (`memory`).
 *
 * 1. Every check is linear in the length of the text: a pattern with a gap in the middle works on one line or one
 *    paragraph at a time and looks for its second half only once, behind the first match of its first half.
 * 2. Wording is compared after compatibility normalisation, so full-width or ligature letters hide nothing;
 *    invisible characters are looked for in the text as it came.
 * 3. The scan errs towards blocking: what it names is shown to a person, who can reword the sentence.
 */
export type ThreatKind = "context" | "memory";

/** The ids of every threat found in `text`, each once, in the order of the table. */
export function scanThreats(text: string, kind: ThreatKind): readonly string[] {
  const wording = text.normalize("NFKC").replaceAll("\r\n", "\n");
  const found = new Set<string>();
  for (const threat of threats) {
    if (!threat.kinds.includes(kind) || found.has(threat.id)) continue;
    if (threat.pattern.test(threat.raw === true ? text : wording)) found.add(threat.id);
  }
  return [...found];
}

interface Threat {
  readonly id: string;
  readonly kinds: readonly ThreatKind[];
  /** A regular expression without the `g` and `y` flags, or anything else that answers the same question. */
  readonly pattern: { test(text: string): boolean };
  /** Look at the text as it came, before normalisation. */
  readonly raw?: boolean;
}

const both: readonly ThreatKind[] = ["context", "memory"];
const contextOnly: readonly ThreatKind[] = ["context"];
const memoryOnly: readonly ThreatKind[] = ["memory"];

const secretVariable = /\$\{?(?:env:)?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)/i;

const threats: readonly Threat[] = [
  {
    id: "prompt_injection",
    kinds: both,
    pattern:
      /\bignore\s+(?:(?:any|of|the|your|my|these|those)\s+){0,3}(?:previous|all|above|prior)\s+(?:(?:of|the|your|my|these|those|previous|above|prior)\s+){0,3}instructions/i,
  },
  {
    id: "role_hijack",
    kinds: memoryOnly,
    pattern: /\byou\s+are\s+now\s+\S/i,
  },
  {
    id: "disregard_rules",
    kinds: both,
    pattern:
      /\bdisregard\s+(?:your|all|any)\s+(?:(?:of|the|your|previous|prior|above|other)\s+){0,3}(?:instructions|rules|guidelines)/i,
  },
  { id: "sys_prompt_override", kinds: both, pattern: /\bsystem\s+prompt\s+override/i },
  {
    id: "bypass_restrictions",
    kinds: both,
    pattern:
      /\bact\s+as\s+(?:if|though)\s+you\s+(?:have\s+no|don['’]?t\s+have|do\s+not\s+have)\s+(?:any\s+)?(?:restrictions|limits|rules)/i,
  },
  { id: "deception_hide", kinds: both, pattern: /\b(?:do\s+not|don['’]?t)\s+tell\s+the\s+user/i },
  {
    id: "html_comment_injection",
    kinds: contextOnly,
    pattern: { test: (text) => comments(text).some((comment) => commentWords.test(comment)) },
  },
  {
    id: "hidden_div",
    kinds: contextOnly,
    pattern: { test: (text) => [...text.matchAll(divTag)].some(([tag]) => displayNone.test(tag)) },
  },
  {
    id: "translate_execute",
    kinds: contextOnly,
    pattern: inEach(paragraphs, [/\btranslate\s/i, /\sinto\s/i, /\sand\s+(?:then\s+)?(?:execute|run|eval)/i]),
  },
  { id: "exfil_curl", kinds: both, pattern: inEach(commandLines, [/\bcurl(?:\.exe)?\s/i, secretVariable]) },
  { id: "exfil_wget", kinds: memoryOnly, pattern: inEach(commandLines, [/\bwget(?:\.exe)?\s/i, secretVariable]) },
  {
    id: "read_secrets",
    kinds: contextOnly,
    pattern: inEach(commandLines, [/\bcat\s/i, /\.env\b|credentials|\.netrc|\.pgpass/i]),
  },
  {
    id: "read_secrets",
    kinds: memoryOnly,
    pattern: inEach(commandLines, [/\bcat\s/i, /\.env\b|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc/i]),
  },
  { id: "ssh_backdoor", kinds: memoryOnly, pattern: /authorized_keys/i },
  { id: "ssh_access", kinds: memoryOnly, pattern: /(?:~|\$HOME|\$\{HOME\})\/\.ssh\b/i },
  {
    id: "hermes_env",
    kinds: memoryOnly,
    pattern: /(?:\.hermes|\$HERMES_HOME|\$\{HERMES_HOME\})\/\.env\b/i,
  },
  {
    id: "invisible_unicode",
    kinds: both,
    raw: true,
    pattern: /[\u{200B}-\u{200D}\u{2060}\u{FEFF}\u{202A}-\u{202E}]/u,
  },
];

const commentWords = /ignore|override|system|secret|hidden/i;
/** Quoted attribute values may hold `>`; an unclosed quote simply ends the tag. */
const divTag = /<div\b(?:"[^"]*"|'[^']*'|[^"'>])*/gi;
const displayNone = /display\s*:\s*none/i;

/** True when one piece of the text holds the patterns one after the other. */
function inEach(split: (text: string) => readonly string[], sequence: readonly RegExp[]): Threat["pattern"] {
  return { test: (text) => split(text).some((piece) => holdsInOrder(piece, sequence)) };
}

/** The earliest match of each pattern leaves the most room for the next, so one pass decides. */
function holdsInOrder(piece: string, sequence: readonly RegExp[]): boolean {
  let rest = piece;
  for (const pattern of sequence) {
    const match = pattern.exec(rest);
    if (match === null) return false;
    // The last character stays: the blank behind one word is also the blank before the next.
    rest = rest.slice(match.index + Math.max(1, match[0].length - 1));
  }
  return true;
}

/** Lines as a shell reads them: one that ends in a backslash goes on. */
function commandLines(text: string): readonly string[] {
  return text.replaceAll("\\\n", " ").split("\n");
}

function paragraphs(text: string): readonly string[] {
  return text.split(/\n[ \t]*\n/);
}

/** The insides of HTML comments; one that never ends reaches to the end of the text, as a browser reads it. */
function comments(text: string): readonly string[] {
  const found: string[] = [];
  let from = text.indexOf("<!--");
  while (from >= 0) {
    const end = text.indexOf("-->", from);
    if (end < 0) return [...found, text.slice(from)];
    found.push(text.slice(from, end));
    from = text.indexOf("<!--", end);
  }
  return found;
}
