import { unconnected } from "./connected.ts";
import { unusedDoorExports } from "./doors.ts";
import type { Finding } from "./finding.ts";
import { crowdedFolders, cyclicFolders } from "./folders.ts";
import { innerLayerFaults } from "./inner-layers.ts";
import type { SourceTree } from "./source-tree.ts";
import { forgottenTimeLimits } from "./time-limits.ts";
import { bannedWords } from "./words.ts";

/** The gates of the house by name; each lists what it objects to. */
export const gates: Readonly<Record<string, (tree: SourceTree) => readonly Finding[]>> = {
  doors: unusedDoorExports,
  connected: unconnected,
  folders: crowdedFolders,
  cycles: cyclicFolders,
  "inner-layers": innerLayerFaults,
  words: bannedWords,
  "time-limits": forgottenTimeLimits,
};

/** How many findings each gate still has; `npm run check` fails on one more. Lower these as they are worked off. */
export const known: Readonly<Record<string, number>> = {
  connected: 0,
  folders: 0,
  cycles: 0,
  "inner-layers": 0,
};
