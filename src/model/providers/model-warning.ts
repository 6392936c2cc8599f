/** Models made for conversation rather than for driving tools, as a whole segment of the name. */
const nonAgentic = /(?:^|[/:])(?:[a-z0-9.]*-)?hermes-[34](?=$|[-:/.@])/i;

/** A sentence to show next to the choice, or undefined. It warns and does not stop anybody. */
export function modelWarning(model: string): string | undefined {
  if (!nonAgentic.test(model)) return undefined;
  return `${model} is a conversation model and often fails at calling tools; pick a model made for agents.`;
}
