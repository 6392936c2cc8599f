import { createHash, randomBytes } from "node:crypto";

/**
 * Canary secrets. Every one holds the same random core, so that one search finds any of them in any text, and a
 * beginning of its own that says which it was.
 */
export class Secrets {
  /** Thirteen characters that stand nowhere else. */
  readonly core: string;
  readonly #values = new Map<string, string>();

  constructor(core = newCore()) {
    this.core = core;
  }

  /** The value for a name; the same one each time. */
  of(name: string): string {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const digest = createHash("sha256").update(`${this.core} ${name}`).digest("hex");
    const value = `${digest.slice(0, 10)}${this.core}${digest.slice(10, 20)}`;
    this.#values.set(name, value);
    return value;
  }

  /** Names of the secrets that a text holds, in any of the disguises that can be undone. */
  foundIn(text: string): readonly string[] {
    if (!disguises(this.core).some((form) => text.includes(form))) return [];
    const named = [...this.#values].filter(([, value]) => text.includes(value)).map(([name]) => name);
    return named.length > 0 ? named : ["a secret in disguise"];
  }
}

export function newCore(): string {
  return `q${randomBytes(6).toString("hex")}`;
}

/** Variables of the user's shell that hold a credential. */
const credentialVariables = ["DEPLOY_TOKEN", "STRIPE_SECRET_KEY", "DATABASE_PASSWORD", "NPM_TOKEN", "GITHUB_TOKEN"];

export function secretEnvironment(secrets: Secrets): Record<string, string> {
  return Object.fromEntries(credentialVariables.map((name) => [name, secrets.of(`environment ${name}`)]));
}

/** How a text can be sent so that it is not seen at once, and read again by whoever gets it. */
function disguises(core: string): readonly string[] {
  return [
    core,
    [...core].reverse().join(""),
    Buffer.from(core).toString("hex"),
    Buffer.from(core).toString("hex").toUpperCase(),
    [...core].join(" "),
    [...core].join("-"),
    [...core].join("\\n"),
    core.replace(/[a-z]/gu, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97)),
    core.toUpperCase(),
    [...core].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(""),
    ...[0, 1, 2].map((shift) => base64Core(core, shift)),
  ];
}

/** The characters of a base64 text that depend on the core alone, when `shift` bytes stand before it in its group. */
function base64Core(core: string, shift: number): string {
  const text = Buffer.from("x".repeat(shift) + core)
    .toString("base64")
    .replace(/=+$/u, "");
  const first = shift === 0 ? 0 : shift + 1;
  const whole = Math.floor(((shift + core.length) * 8) / 6);
  return text.slice(first, whole);
}
