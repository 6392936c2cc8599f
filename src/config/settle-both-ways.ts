import { Secret } from "#foundation/secrets/secret";
import { type Settle, type Settled, settle, settleBySchema } from "./settle.ts";

/** For tests: settles as a load does and by the schema alone, and fails when the two differ in anything. */
export const settleBothWays: Settle = async (layers, shape) => {
  const [quick, full] = await Promise.allSettled([settle(layers, shape), settleBySchema(layers, shape)]);
  if (written(quick) !== written(full)) {
    throw new Error(`settings differ with and without the schema:\n${written(quick)}\n${written(full)}`);
  }
  if (quick.status === "rejected") throw quick.reason;
  return quick.value;
};

function written(result: PromiseSettledResult<Settled>): string {
  if (result.status === "rejected") return `rejected: ${String(result.reason)}`;
  const { value, warnings, layers } = result.value;
  return [exactly(value), exactly(warnings), exactly(layers.map((layer) => layer.tree))].join("\n");
}

/** A value with all that two values can differ in: the order of keys, keys without a value, what is a credential. */
export function exactly(value: unknown): string {
  if (value instanceof Secret) return `Secret(${JSON.stringify(value.reveal())})`;
  if (Array.isArray(value)) return `[${value.map(exactly).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([key, child]) => `${JSON.stringify(key)}:${exactly(child)}`)
      .join(",")}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  return Object.is(value, -0) ? "-0" : String(value);
}
