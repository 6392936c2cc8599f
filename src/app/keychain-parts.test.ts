import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { activeProvider } from "#model";
import { openHermes } from "./hermes.ts";
import { temporaryStage } from "./testing.ts";

/** The program of the Secret Service, keeping its one item in a file. */
const secretTool = `#!/bin/sh
case "$1" in
  store) cat > "$HOME/kept" ;;
  lookup) [ -f "$HOME/kept" ] && cat "$HOME/kept" ;;
esac
`;

it.skipIf(process.platform !== "linux")(
  "logins are in the system's keychain where the settings want it [20:R3.48]",
  async () => {
    await using stage = await temporaryStage({ "config.yaml": "security:\n  credential_store: keychain\n" });
    const bin = path.join(stage.folder, "bin");
    await mkdir(bin);
    await writeFile(path.join(bin, "secret-tool"), secretTool);
    await chmod(path.join(bin, "secret-tool"), 0o755);
    const env = { ...stage.env, PATH: `${bin}:${stage.env["PATH"]}` };
    const options = { env, cwd: stage.folder, version: "test", isIncognito: true, onNotice: () => undefined };
    {
      await using hermes = await openHermes(options);
      await hermes.models.context.authFile.update(({ raw }) => ({ raw: { ...raw, active_provider: "nous" } }), never);
    }
    expect(existsSync(path.join(stage.home, "auth.json"))).toBe(false);
    expect(await readFile(path.join(stage.folder, "kept"), "utf8")).toContain("nous");
    await using again = await openHermes(options);
    expect(activeProvider(await again.models.context.authFile.read(never))).toBe("nous");
  },
);
