import type { Context } from "hono";
import { UserError } from "#foundation/errors";
import { isRecord, parseJson } from "#foundation/text/json";

/** The object in the body of a request; an empty one where there is none. May be asked for more than once. */
export async function bodyOf(c: Context): Promise<Readonly<Record<string, unknown>>> {
  const parsed = parseJson(await c.req.text());
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}

/** The texts a request names in its body; what is missing or no text is refused. */
export async function textsIn<K extends string>(
  c: Context,
  ...names: readonly K[]
): Promise<Readonly<Record<K, string>>> {
  const body = await bodyOf(c);
  const texts = names.map((name) => {
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    if (typeof value !== "string") throw new UserError(`"${name}" must be a text.`, { code: "bad_request" });
    return [name, value] as const;
  });
  return Object.fromEntries(texts) as Record<K, string>;
}
