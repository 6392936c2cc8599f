import { join } from "node:path";
import { readTextFile, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import type { RegisterCli } from "../../cli-extension.ts";
import type { ProviderHost } from "../../provider.ts";

const file = "honcho.json";
const modes = ["hybrid", "context", "tools"];

/** `hermes honcho status` and `hermes honcho mode`; the provider itself is not loaded for them. */
export function honchoCli(host: ProviderHost): { readonly registerCli: RegisterCli } {
  return {
    registerCli(command) {
      command.subcommand({
        name: "status",
        description: "Where Honcho is, and under which names",
        async run() {
          const settings = await read(host);
          const key = host.variables["HONCHO_API_KEY"] ?? "";
          const rows = [
            ["address", host.variables["HONCHO_BASE_URL"] || settings["baseUrl"] || "https://api.honcho.dev"],
            ["key", key === "" ? "none" : "HONCHO_API_KEY"],
            ["workspace", settings["workspace"] ?? "hermes"],
            ["you", settings["peerName"] ?? "user"],
            ["Hermes", settings["aiPeer"] ?? "hermes"],
            ["mode", settings["recallMode"] ?? "hybrid"],
          ];
          for (const [name, value] of rows) process.stdout.write(`${String(name).padEnd(10)} ${String(value)}\n`);
          return 0;
        },
      });
      command.subcommand({
        name: "mode",
        description: "What Honcho is for: hybrid, context or tools",
        async run([mode = ""]) {
          if (!modes.includes(mode)) {
            process.stderr.write(`The mode is one of ${modes.join(", ")}.\n`);
            return 2;
          }
          const text = `${JSON.stringify({ ...(await read(host)), recallMode: mode }, undefined, 2)}\n`;
          await writeFileAtomic(join(host.hermesHome, file), text, { mode: 0o600 });
          process.stdout.write(`From the next session on: ${mode}.\n`);
          return 0;
        },
      });
    },
  };
}

async function read({ hermesHome }: ProviderHost): Promise<Readonly<Record<string, unknown>>> {
  const parsed = parseJson((await readTextFile(join(hermesHome, file), { maxBytes: 65_536 })) ?? "{}");
  return parsed.ok && isRecord(parsed.value) ? parsed.value : {};
}
