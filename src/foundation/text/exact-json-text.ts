import { type ExactJson, ExactNumber } from "./exact-json.ts";

/**
 * Writes JSON the way the existing training data has it: `", "` and `": "` as separators, non-ASCII
 * literally, integers exactly, floats as shortest round-trip text that shows it is a float.
 * Non-finite numbers are `null`, because JSON has no other word for them.
 */
export function exactJsonText(value: ExactJson): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Number.isInteger(value) ? integerText(value) : floatText(value);
  if (value instanceof ExactNumber) return numberText(value.text);
  if (value instanceof Map) {
    const members = [...value].map(([key, member]) => `${JSON.stringify(key)}: ${exactJsonText(member)}`);
    return `{${members.join(", ")}}`;
  }
  return `[${(value as readonly ExactJson[]).map(exactJsonText).join(", ")}]`;
}

/** The same on several lines, two spaces to a level, for files that people read. */
export function exactJsonLines(value: ExactJson, indent = ""): string {
  const isMap = value instanceof Map;
  if (!isMap && !Array.isArray(value)) return exactJsonText(value);
  const inner = `${indent}  `;
  const members = isMap
    ? [...value].map(([key, member]) => `${JSON.stringify(key)}: ${exactJsonLines(member as ExactJson, inner)}`)
    : (value as readonly ExactJson[]).map((member) => exactJsonLines(member, inner));
  if (members.length === 0) return isMap ? "{}" : "[]";
  const [open, close] = isMap ? "{}" : "[]";
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indent}${close}`;
}

/** A number that is written as a float, also when it is whole. */
export function exactFloat(value: number): ExactNumber {
  return new ExactNumber(floatText(value));
}

/** Plain values (as `JSON.parse` gives them) in the same form. */
export function toExact(value: unknown): ExactJson {
  if (value === null || typeof value === "boolean" || typeof value === "string" || typeof value === "number")
    return value;
  if (Array.isArray(value)) return value.map(toExact);
  if (value instanceof ExactNumber || value instanceof Map) return value as ExactJson;
  if (typeof value === "object") {
    return new Map(
      Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => [key, toExact(member)]),
    );
  }
  return null;
}

function numberText(source: string): string {
  return /[.eE]/.test(source) ? floatText(Number(source)) : BigInt(source).toString();
}

function integerText(value: number): string {
  return Object.is(value, -0) ? "0" : BigInt(value).toString();
}

/** Exponent form only from 1e+16 upward and below 1e-4, with at least two digits of exponent. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return "null";
  if (Object.is(value, -0)) return "-0.0";
  const [mantissa = "0", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= 16 || exponent < -4) {
    const sign = exponent < 0 ? "-" : "+";
    return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace("-", "").replace(".", "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}
