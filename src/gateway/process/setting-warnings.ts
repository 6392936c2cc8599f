import { type Config, isPlatformId } from "#config";
import type { Platform } from "../platform/platform.ts";

/** What the owner should know about settings that do not go together, before anything is served. */
export function settingWarnings(config: Config, platforms: readonly Platform[]): readonly string[] {
  return [...portWarnings(config, platforms), ...mountWarnings(config)];
}

/** Two that want to listen on one port: the second could not be connected. */
function portWarnings(config: Config, platforms: readonly Platform[]): readonly string[] {
  const wanted = new Map<number, string[]>();
  const want = (name: string, port: number | undefined): void => {
    if (port !== undefined && port > 0) wanted.set(port, [...(wanted.get(port) ?? []), name]);
  };
  for (const { id, label } of platforms) want(label, portOf(config, id));
  if (config.platforms["api_server"]?.enabled === true) want("the API server", config.api_server.port);
  return [...wanted]
    .filter(([, names]) => names.length > 1)
    .map(([port, names]) => `${names.join(" and ")} both want port ${port}. Give one of them another port.`);
}

/** The port that calls of this platform come in on, where it is called at all. */
function portOf(config: Config, id: string): number | undefined {
  if (!isPlatformId(id)) return undefined;
  if (id === "telegram") return config.telegram.webhook_url === "" ? undefined : config.telegram.webhook_port;
  if (id === "feishu" || id === "slack")
    return config[id].connection_mode === "webhook" ? config[id].webhook_port : undefined;
  const settings: object = config[id];
  if ("webhook_port" in settings && typeof settings.webhook_port === "number") return settings.webhook_port;
  return "port" in settings && typeof settings.port === "number" ? settings.port : undefined;
}

/** What is made inside a container can be sent from where both sides see it. */
function mountWarnings({ terminal }: Config): readonly string[] {
  if (terminal.backend !== "docker") return [];
  if (terminal.docker_volumes.some((mount) => /:\/outputs?(?:\/|:|$)/u.test(mount))) return [];
  return [
    "Commands run in Docker, and no folder is mounted at /output: files made there cannot be sent. Add one to terminal.docker_volumes, such as /srv/output:/output.",
  ];
}
