/** A group that waits, as far as forming batches is concerned. */
export interface WaitingGroup {
  readonly tokens: readonly unknown[];
  readonly env_id?: number | null | undefined;
}

/** The share of every batch that an environment is promised. */
export interface Promised {
  readonly envId: number;
  readonly share: number;
}

/**
 * Takes a batch of exactly `size` sequences from the front of a queue, or nothing. Groups of equal size are packed until
 * they are as large as the largest group that waits, so group sizes should be powers of two that divide the batch.
 */
export function takeBatch<G extends WaitingGroup>(
  queue: readonly G[],
  size: number,
  promised: readonly Promised[] = [],
): { readonly batch: readonly G[]; readonly rest: readonly G[] } | undefined {
  if (queue.length === 0) return undefined;
  const indices = promised.length === 0 ? inOrder(queue, size) : withPromises(queue, size, promised);
  if (indices === undefined) return undefined;
  const taken = new Set(indices);
  return { batch: indices.flatMap((index) => queue[index] ?? []), rest: queue.filter((_, index) => !taken.has(index)) };
}

function inOrder(queue: readonly WaitingGroup[], size: number): readonly number[] | undefined {
  const packed = packs(queue, (_, group) => String(group.tokens.length));
  const taken: number[] = [];
  let sequences = 0;
  for (const index of packed) {
    taken.push(index);
    sequences += queue[index]?.tokens.length ?? 0;
    if (sequences >= size) break;
  }
  return sequences === size ? taken : undefined;
}

/** The places of all groups that are part of a full pack, pack by pack. */
function packs(
  queue: readonly WaitingGroup[],
  kindOf: (index: number, group: WaitingGroup) => string,
): readonly number[] {
  const largest = Math.max(...queue.map(({ tokens }) => tokens.length));
  const open = new Map<string, number[]>();
  const packed: number[] = [];
  for (const [index, group] of queue.entries()) {
    const kind = kindOf(index, group);
    const gathered = [...(open.get(kind) ?? []), index];
    const isFull = gathered.length * group.tokens.length === largest;
    if (isFull) packed.push(...gathered);
    open.set(kind, isFull ? [] : gathered);
  }
  return packed;
}

/** First what is promised to each environment, then the rest in the order of the queue. */
function withPromises(
  queue: readonly WaitingGroup[],
  size: number,
  promised: readonly Promised[],
): readonly number[] | undefined {
  const packed = packs(queue, (_, { tokens, env_id }) => `${env_id}/${tokens.length}`).filter(
    (index) => typeof queue[index]?.env_id === "number",
  );
  const lengthOf = (index: number): number => queue[index]?.tokens.length ?? 0;
  const ofEnv = (envId: number): readonly number[] => packed.filter((index) => queue[index]?.env_id === envId);
  const wanted = promised
    .map(({ envId, share }) => ({ envId, sequences: Math.floor(size * share) }))
    .filter(({ sequences }) => sequences > 0);
  if (wanted.some(({ envId }) => ofEnv(envId).length === 0)) return undefined;
  const total = wanted.reduce((sum, { sequences }) => sum + sequences, 0);
  const scale = total > size ? size / total : 1;
  const taken: number[] = [];
  let sequences = 0;
  for (const { envId, sequences: minimum } of wanted) {
    const own = ofEnv(envId);
    const least = scale === 1 ? minimum : Math.max(Math.min(...own.map(lengthOf)), Math.floor(minimum * scale));
    let input = 0;
    for (const index of own) {
      if (input >= least) break;
      if (sequences + lengthOf(index) > size) continue;
      taken.push(index);
      input += lengthOf(index);
      sequences += lengthOf(index);
    }
  }
  for (const index of [...packed].sort((left, right) => left - right)) {
    if (sequences === size) break;
    if (taken.includes(index) || sequences + lengthOf(index) > size) continue;
    taken.push(index);
    sequences += lengthOf(index);
  }
  return sequences === size ? taken : undefined;
}

/** Which groups of a buffer make up exactly `target` sequences: the first that fit, else any that do, early ones first. */
export function groupsSummingTo(sizes: readonly number[], target: number): readonly number[] {
  const greedy: number[] = [];
  let sum = 0;
  for (const [index, size] of sizes.entries()) {
    if (sum + size > target) continue;
    greedy.push(index);
    sum += size;
    if (sum === target) return greedy;
  }
  // reachable[i]: the sums that the first i groups can make.
  const reachable: Set<number>[] = [new Set([0])];
  for (const size of sizes) {
    const before = reachable.at(-1) ?? new Set<number>();
    reachable.push(new Set([...before, ...[...before].map((one) => one + size)].filter((one) => one <= target)));
  }
  if (reachable.at(-1)?.has(target) !== true) return [];
  const chosen: number[] = [];
  let left = target;
  for (let index = sizes.length - 1; index >= 0; index -= 1) {
    const size = sizes[index] ?? 0;
    if (left < size || reachable[index]?.has(left - size) !== true) continue;
    chosen.push(index);
    left -= size;
  }
  return chosen.sort((a, b) => a - b);
}
