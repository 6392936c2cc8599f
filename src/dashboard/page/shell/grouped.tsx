/** The items under what they have in common, in the order they come. */
export function grouped<T>(items: readonly T[], of: (item: T) => string): readonly (readonly [string, readonly T[]])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(of(item)) ?? [];
    groups.set(of(item), [...group, item]);
  }
  return [...groups];
}
