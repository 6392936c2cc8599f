import type { KeyPath } from "#config";

/** One setting of the old home in our words, or why it has none. */
export type WantedSetting = { readonly item: string } & (
  | { readonly kind: "set"; readonly path: KeyPath; readonly value: unknown; readonly note?: string }
  /** Added to the list that is here. */
  | { readonly kind: "add"; readonly path: KeyPath; readonly values: readonly string[] }
  | { readonly kind: "refused"; readonly why: string }
);

/** A name, an address or an id: one line of moderate length. */
export function plainText(value: unknown, maxLength = 400): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return text === "" || text.length > maxLength || /\p{Cc}/u.test(text) ? undefined : text;
}

export function plainTexts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set(value.flatMap((one) => plainText(one) ?? []))].slice(0, 1_000);
}

export function webAddress(value: unknown): string | undefined {
  const text = plainText(value, 2_000);
  if (text === undefined || !URL.canParse(text)) return undefined;
  const { protocol, username, password } = new URL(text);
  return ["http:", "https:"].includes(protocol) && username === "" && password === "" ? text : undefined;
}
