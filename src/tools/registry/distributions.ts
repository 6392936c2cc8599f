import { UserError } from "#foundation/errors";
import { nearest } from "#foundation/text/text";

type Distributions = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Chances in percent that a toolset is part of one rollout, drawn independently. */
export const distributions: Distributions = {
  default: { web: 100, vision: 100, image_gen: 100, terminal: 100, file: 100, moa: 100, browser: 100 },
  image_gen: { image_gen: 90, vision: 90, web: 55, terminal: 45, moa: 10 },
  research: { web: 90, browser: 70, vision: 50, moa: 40, terminal: 10 },
  science: { web: 94, terminal: 94, file: 94, vision: 65, browser: 50, image_gen: 15, moa: 10 },
  development: { terminal: 80, file: 80, moa: 60, web: 30, vision: 10 },
  safe: { web: 80, browser: 70, vision: 60, image_gen: 60, moa: 50 },
  balanced: { web: 50, vision: 50, image_gen: 50, terminal: 50, file: 50, moa: 50, browser: 50 },
  minimal: { web: 100 },
  terminal_only: { terminal: 100, file: 100 },
  terminal_web: { terminal: 100, file: 100, web: 100 },
  creative: { image_gen: 90, vision: 90, web: 30 },
  reasoning: { moa: 90, web: 30, terminal: 20 },
  browser_use: { browser: 100, web: 80, vision: 70 },
  browser_only: { browser: 100 },
  browser_tasks: { browser: 97, vision: 12, terminal: 15 },
  terminal_tasks: { terminal: 97, file: 97, web: 97, browser: 75, vision: 50, image_gen: 10 },
  mixed_tasks: { browser: 92, terminal: 92, file: 92, web: 35, vision: 15, image_gen: 15 },
};

/** A distribution that comes with the program or that the person named in `toolset_distributions`. */
export function findDistribution(name: string, own: Distributions = {}): Readonly<Record<string, number>> {
  const known = { ...distributions, ...own };
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  if (found !== undefined) return found;
  const meant = nearest(name, Object.keys(known));
  throw new UserError(`Unknown distribution: ${name}`, {
    hint: `${meant === undefined ? "" : `Did you mean "${meant}"? `}Known: ${Object.keys(known).join(", ")}`,
    exitCode: 2,
  });
}

/** Draws the toolsets of one rollout; never none: the likeliest stands in when nothing was drawn. */
export function drawToolsets(chances: Readonly<Record<string, number>>, random: () => number): readonly string[] {
  const drawn = Object.entries(chances).filter(([, percent]) => random() * 100 < percent);
  if (drawn.length > 0) return drawn.map(([toolset]) => toolset);
  const [likeliest] = Object.entries(chances).sort(([, left], [, right]) => right - left);
  return likeliest === undefined ? [] : [likeliest[0]];
}
