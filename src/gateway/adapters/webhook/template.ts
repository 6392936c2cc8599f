import { isRecord } from "#foundation/text/json";

const longestValue = 2_000;
const longestPayload = 4_000;

/** `{a.b.0}` becomes what the payload holds there, `{__raw__}` the whole payload; what it does not hold stays as written. */
export function fillTemplate(template: string, payload: unknown): string {
  return template.replace(/\{([\w.-]+)\}/gu, (written, path: string) => {
    if (path === "__raw__") return payloadText(payload);
    const value = path.split(".").reduce(step, payload);
    if (value === undefined) return written;
    return typeof value === "object" && value !== null ? JSON.stringify(value).slice(0, longestValue) : String(value);
  });
}

export function payloadText(payload: unknown): string {
  return JSON.stringify(payload, undefined, 2).slice(0, longestPayload);
}

function step(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^\d+$/u.test(key) ? value[Number(key)] : undefined;
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
