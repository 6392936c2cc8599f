/** A run that several machines work on: who has which piece, and what became of those that are done. */
export interface SharedRun<Outcome> {
  /** The right to work on a piece, held until it is disposed; undefined while somebody else has it. */
  claim(key: string): Promise<AsyncDisposable | undefined>;
  outcome(key: string): Promise<Outcome | undefined>;
  /** False when somebody else was faster: the first outcome stays. */
  finish(key: string, outcome: Outcome): Promise<boolean>;
  /** It is to be done again. */
  forget(key: string): Promise<void>;
}

/** Does a piece, or takes over what became of it elsewhere; `taken` while somebody else is at it. */
export async function workShared<Outcome>(
  shared: SharedRun<Outcome>,
  key: string,
  work: () => Promise<Outcome>,
): Promise<Outcome | "taken"> {
  const known = await shared.outcome(key);
  if (known !== undefined) return known;
  await using claim = await shared.claim(key);
  if (claim === undefined) return "taken";
  // Somebody may have finished it between the two looks.
  const outcome = (await shared.outcome(key)) ?? (await work());
  const isFirst = await shared.finish(key, outcome);
  return isFirst ? outcome : ((await shared.outcome(key)) ?? outcome);
}
