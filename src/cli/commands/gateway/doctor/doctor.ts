import { formatWarning } from "#config";
import { systemClock } from "#foundation/time/clock";
import { accessWarnings, enabledPlatforms, Pairing, settingWarnings } from "#gateway";
import { exitCodes, type Invocation } from "../../../command.ts";
import { hasFlag } from "../../../invocation.ts";
import { Output } from "../../../output/output.ts";
import { loadSettings } from "../../../support/settings.ts";
import type { Check } from "../../doctor/check.ts";
import { writeChecks } from "../../doctor/report.ts";
import { examinePlatforms } from "./platforms.ts";
import { examinePorts } from "./ports.ts";
import { examineProcess, readProcesses } from "./processes.ts";
import { examineQueues } from "./queues.ts";
import { clockCheck, TimeTeller } from "./wall-clock.ts";

/** `hermes gateway doctor`: looks at everything the gateway stands on, and changes nothing. */
export async function gatewayDoctor(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { home, loaded } = await loadSettings(invocation, { isQuiet: true });
  const { config } = loaded;
  const platforms = await enabledPlatforms(config);
  const processes = await readProcesses(home);
  const time = new TimeTeller();
  const pairing = new Pairing(home.pairing, systemClock);
  const patient = { config, env: loaded.environment.variables, home, processes, platforms, invocation };
  const checks: readonly Check[] = [
    ...loaded.warnings.map((warning): Check => {
      const state = warning.severity === "error" ? "failed" : "warning";
      return { section: "Configuration", name: "setting", state, detail: formatWarning(warning) };
    }),
    ...(await accessWarnings(config, platforms, pairing)).map(
      (detail): Check => ({ section: "Configuration", name: "who may write", state: "warning", detail }),
    ),
    ...settingWarnings(config, platforms).map(
      (detail): Check => ({ section: "Configuration", name: "setting", state: "warning", detail }),
    ),
    ...(await examineProcess(patient)),
    ...(await examinePlatforms(patient, { time, isOffline: hasFlag(invocation, "offline") })),
    ...(await examinePorts(patient)),
    ...(await examineQueues(patient)),
    clockCheck(time.aheadMs),
  ];
  const count = (state: Check["state"]): number => checks.filter((check) => check.state === state).length;
  out.document({ checks, failed: count("failed"), warnings: count("warning") });
  writeChecks(out, checks);
  return count("failed") > 0 ? exitCodes.failed : exitCodes.ok;
}
