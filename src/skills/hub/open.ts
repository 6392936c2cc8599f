import type { HermesHome } from "#foundation/files/paths";
import type { Clock } from "#foundation/time/clock";
import { childEnvironment, createSafeFetch, systemResolve } from "#tools";
import type { SkillLibrary } from "../library/library.ts";
import { SkillTrash } from "../tools/trash.ts";
import { SkillHub } from "./hub.ts";
import { HubFetch } from "./hub-fetch.ts";
import { HubLock } from "./lockfile.ts";
import { allSources } from "./sources/all.ts";
import { Taps } from "./taps.ts";

export interface HubOptions {
  readonly home: HermesHome;
  readonly clock: Clock;
  readonly library: SkillLibrary;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the person is, for folders and archives they name. */
  readonly cwd: string;
  readonly userHome: string;
  /** Skills that came with the program. */
  readonly shippedFolder: string | undefined;
}

/** The hubs of a home; nothing is asked before something is looked for. */
export function openHub({ home, clock, library, env, cwd, userHome, shippedFolder }: HubOptions): SkillHub {
  const taps = new Taps(home);
  const safeFetch = createSafeFetch({ allowPrivate: false, sites: [], resolve: systemResolve });
  const sources = allSources({
    fetch: new HubFetch({ fetch: safeFetch, home, clock }),
    taps,
    shippedFolders: shippedFolder === undefined || shippedFolder === "" ? [] : [shippedFolder],
    own: { cwd, userHome, env: childEnvironment(env, { policy: "minimal" }) },
    githubToken: () => env["GITHUB_TOKEN"] ?? env["GH_TOKEN"],
  });
  const trash = new SkillTrash(home, clock);
  return new SkillHub({ home, clock, lock: new HubLock(home, clock), library, sources, trash, taps });
}
