import { once } from "node:events";
import { createServer } from "node:net";
import { describe } from "#foundation/errors";
import type { Check } from "../../doctor/check.ts";
import type { GatewayPatient } from "./processes.ts";

const section = "Ports";

/** Platforms that are called from outside listen here: each on a port of its own, and one that is free. */
export async function examinePorts({ config, platforms, processes }: GatewayPatient): Promise<readonly Check[]> {
  const { telegram, slack, feishu, sms, whatsapp, wecom_callback: wecom, bluebubbles, webhook } = config;
  const listening: Readonly<Record<string, number | undefined>> = {
    telegram: telegram.webhook_url === "" ? undefined : telegram.webhook_port,
    slack: slack.connection_mode === "webhook" ? slack.webhook_port : undefined,
    feishu: feishu.connection_mode === "webhook" ? feishu.webhook_port : undefined,
    sms: sms.webhook_port,
    whatsapp: whatsapp.backend === "cloud" ? whatsapp.webhook_port : undefined,
    wecom_callback: wecom.port,
    bluebubbles: bluebubbles.webhook_port,
    webhook: webhook.port,
  };
  const byPort = new Map<number, string[]>();
  for (const { id, label } of platforms) {
    const port = listening[id];
    if (port !== undefined && port !== 0) byPort.set(port, [...(byPort.get(port) ?? []), label]);
  }
  const checks: Check[] = [];
  for (const [port, labels] of byPort) {
    const name = `${port} (${labels.join(", ")})`;
    if (labels.length > 1)
      checks.push({
        section,
        name,
        state: "failed",
        detail: "used by more than one",
        hint: "Set another port for one.",
      });
    else if (processes.pids.length === 0) {
      const why = await whyTaken(port);
      checks.push({ section, name, state: why === undefined ? "ok" : "failed", detail: why ?? "free" });
    }
  }
  return checks;
}

async function whyTaken(port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port);
    await once(server, "listening");
    return undefined;
  } catch (error) {
    return describe(error);
  } finally {
    server.close();
  }
}
