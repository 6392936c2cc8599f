import type { Config } from "#config";
import type { Platform } from "../../platform/platform.ts";
import { homeChannel } from "../../targets/target.ts";

/** Which platforms there are, and where results of jobs can go, for a model that makes jobs and writes messages. */
export function surroundings(platforms: readonly Platform[], config: Config): string {
  const listed = platforms.map(({ id, label }) => {
    const home = homeChannel(config, id);
    const named = home === undefined || home.name === "" ? "" : ` (${home.name})`;
    return `${label} (\`${id}\`${home === undefined ? ", no home channel" : `, home channel${named}`})`;
  });
  return [
    `Connected chat platforms: ${listed.join(", ")}.`,
    "Jobs deliver to `origin` (this chat), `local` (a file only), a platform by its id (its home channel), or `platform:chat`.",
  ].join(" ");
}
