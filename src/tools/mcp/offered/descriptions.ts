const maxDescriptionChars = 2_048;

/** Idioms by which a description tries to steer the model rather than describe a tool. */
const idioms: readonly (readonly [string, RegExp])[] = [
  [
    "overrides instructions",
    /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|system)\b.{0,30}\b(?:instructions?|prompts?|rules?)\b/is,
  ],
  ["changes identity", /\byou are (?:now|no longer)\b|\bact as (?:if you|a different)\b/i],
  [
    "contains role tags",
    /<\/?(?:system|assistant|user|important|instructions?)\b[^>]*>|\[\/?INST\]|<\|im_(?:start|end)\|>/i,
  ],
  [
    "asks for concealment",
    /\b(?:do not|don't|never)\b.{0,20}\b(?:tell|mention|inform|reveal|show)\b.{0,30}\b(?:user|human|anyone|them)\b/is,
  ],
  ["contains network commands", /\b(?:curl|wget|nc|ncat)\s+(?:-\S+\s+)*\S*(?:https?:|\d{1,3}\.)/i],
  ["refers to decoding or execution", /\bbase64\s+(?:-d|--decode)\b|\b(?:eval|exec)\s*\(|\|\s*(?:ba|z)?sh\b/i],
];

export interface DescriptionReading {
  readonly text: string;
  /** What is suspicious about it; empty for an honest one. */
  readonly findings: readonly string[];
}

/** A description as the model may see it. One of an untrusted server that tries to steer is replaced. */
export function readDescription(
  raw: string | undefined,
  tool: { readonly server: string; readonly name: string; readonly isTrusted: boolean },
): DescriptionReading {
  const plain = `Tool ${tool.name} of the MCP server ${tool.server}.`;
  const input = raw === undefined || raw.trim() === "" ? plain : raw;
  const findings = idioms.flatMap(([finding, pattern]) => (pattern.test(input) ? [finding] : []));
  if (tool.isTrusted) return { text: input, findings };
  if (findings.length > 0) return { text: `${plain} (Its own description was withheld.)`, findings };
  const clean = [...input].filter((character) => !isInvisible(character)).join("");
  return { text: clean.length > maxDescriptionChars ? `${clean.slice(0, maxDescriptionChars - 1)}…` : clean, findings };
}

const invisibleRanges: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe007f],
];

/** Control and formatting characters, which a person who reads the description would not see. */
function isInvisible(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return invisibleRanges.some(([from, to]) => code >= from && code <= to);
}
