import type { Invocation } from "../../command.ts";
import { launchd } from "./launchd.ts";
import type { Service } from "./service.ts";
import { systemd } from "./systemd.ts";

/** The service of this home, whether or not it is installed. */
export function serviceOf(invocation: Invocation, platform: NodeJS.Platform = process.platform): Service {
  return platform === "darwin" ? launchd(invocation) : systemd(invocation);
}
