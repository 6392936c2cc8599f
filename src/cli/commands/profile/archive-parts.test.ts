import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli, temporaryHome } from "../../testing.ts";

let location: ReturnType<typeof temporaryHome>;
const inHome = (...parts: string[]) => path.join(location.home, ...parts);
const hermes = (...args: string[]) => runCli(args, { home: location.home });

beforeEach(() => {
  location = temporaryHome();
});
afterEach(() => location.remove());

describe("hermes profile export and import", () => {
  it("exports without credentials and imports under another name [20:R7.20]", async () => {
    await hermes("profile", "create", "coder", "--no-alias");
    writeFileSync(inHome("profiles", "coder", ".env"), "OPENAI_API_KEY=sk-secret\n");
    writeFileSync(inHome("profiles", "coder", "SOUL.md"), "I am a coder.\n");
    const archive = path.join(location.home, "..", "coder.tar.gz");
    expect((await hermes("profile", "export", "coder", "-o", archive)).code).toBe(0);
    expect((await hermes("profile", "import", archive, "--name", "copy")).code).toBe(0);
    expect(readFileSync(inHome("profiles", "copy", "SOUL.md"), "utf8")).toBe("I am a coder.\n");
    expect(existsSync(inHome("profiles", "copy", ".env"))).toBe(false);
  });
});
