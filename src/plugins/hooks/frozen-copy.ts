import { isPlainObject } from "#foundation/text/json";

/**
 * A copy nobody can change: plain data is copied and frozen all the way down. Live objects (a gateway,
 * a store) are handed on as they are, since a copy of them would be no use.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value, new Map()) as T;
}

function copy(value: unknown, seen: Map<object, unknown>): unknown {
  if (Array.isArray(value)) {
    const known = seen.get(value);
    if (known !== undefined) return known;
    const list: unknown[] = [];
    seen.set(value, list);
    for (const item of value) list.push(copy(item, seen));
    return Object.freeze(list);
  }
  if (!isPlainObject(value)) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  const record: Record<string, unknown> = {};
  seen.set(value, record);
  for (const [key, inner] of Object.entries(value)) {
    // A key such as `__proto__` must become data, not a prototype.
    Object.defineProperty(record, key, { value: copy(inner, seen), enumerable: true, writable: false });
  }
  return Object.freeze(record);
}
