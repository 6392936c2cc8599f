import path from "node:path";
import { pathToFileURL } from "node:url";
import { UserError } from "#foundation/errors";
import { importModule } from "#foundation/process/import-module";
import { isRecord } from "#foundation/text/json";
import { nearest } from "#foundation/text/similarity";
import type { Environment } from "../env/environment.ts";
import { agenticOpd } from "./agentic-opd.ts";
import { hermesSwe } from "./hermes-swe.ts";
import { openThoughtsLite, terminalBench } from "./terminal-bench.ts";
import { terminalTest } from "./terminal-test.ts";
import { webResearch } from "./web-research.ts";
import { ycBench } from "./yc-bench.ts";

/** The environments that come with the program. */
export const environments: readonly Environment[] = [
  terminalTest,
  hermesSwe,
  terminalBench,
  openThoughtsLite,
  ycBench,
  webResearch,
  agenticOpd,
];

/** One of ours by its name, or one of the person's own: a file that exports it as `environment`. */
export async function findEnvironment(name: string, cwd: string): Promise<Environment> {
  const known = environments.find((one) => one.name === name);
  if (known !== undefined) return known;
  if (!/\.[cm]?[jt]s$/.test(name)) {
    const meant = nearest(
      name,
      environments.map((one) => one.name),
    );
    throw new UserError(`There is no environment ${name}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`, {
      hint: "See them with: hermes env list. One of your own is named by its file: ./my-env.mjs",
      exitCode: 2,
    });
  }
  const loaded = await importModule(pathToFileURL(path.resolve(cwd, name)).href);
  const own: unknown = isRecord(loaded) ? loaded["environment"] : undefined;
  if (isRecord(own) && typeof own["name"] === "string" && typeof own["open"] === "function" && isRecord(own["config"]))
    return own as unknown as Environment;
  throw new UserError(`${name} exports no environment.`, {
    hint: "It needs: export const environment = { name, about, config, open }",
    exitCode: 2,
  });
}
