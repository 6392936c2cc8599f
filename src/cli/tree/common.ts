import type { Flag } from "../command.ts";

/** Options that mean the same wherever they occur. */
export const yesFlag: Flag = { name: "yes", short: "y", kind: "switch", about: "Do not ask first" };

export const limitFlag = (usual: number): Flag => ({
  name: "limit",
  kind: "text",
  value: "<n>",
  about: `Show at most this many (${usual})`,
});

export const sourceFlag: Flag = {
  name: "source",
  kind: "text",
  value: "<name>",
  about: "Only sessions of this surface: cli, telegram, cron, …",
};
