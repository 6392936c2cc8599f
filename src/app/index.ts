/** The composition root: everything is built here once, handed over, and disposed in reverse. */

export { type Hermes, type HermesOptions, openHermes } from "./hermes.ts";
export { openJobs } from "./open-cron.ts";
export { packageFolder } from "./package-folder.ts";
