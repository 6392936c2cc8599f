// @ts-expect-error plain script without types: it runs before anything is installed
import { ensureBuilt } from "../scripts/lib/run.mjs";

/** End-to-end tests run the built program; a direct `vitest run` must not test an old one. */
export async function setup(): Promise<void> {
  await ensureBuilt();
}
