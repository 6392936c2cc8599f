import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { localFacts } from "./local-facts.ts";

let folder: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hermes-facts-")));
  fs.mkdirSync(path.join(folder, "work"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

describe("what judging a command looks up on this machine", () => {
  it("finds programs of the system, not those in folders a session may write", () => {
    for (const location of ["bin", "work/bin"]) {
      fs.mkdirSync(path.join(folder, location), { recursive: true });
      fs.writeFileSync(path.join(folder, location, `tool-of-${location.replace("/", "-")}`), "", { mode: 0o755 });
    }
    const searchPath = [path.join(folder, "work/bin"), path.join(folder, "bin"), "."].join(path.delimiter);
    const { resolve } = localFacts({ searchPath, writable: [path.join(folder, "work")], sinceMs: 0 });
    expect(resolve?.("tool-of-bin")).toBe(path.join(folder, "bin/tool-of-bin"));
    expect(resolve?.("tool-of-work-bin")).toBeUndefined();
    expect(resolve?.(path.join(folder, "work/bin/tool-of-work-bin"))).toBeUndefined();
  });

  it("follows links, also above a file that does not exist yet", () => {
    fs.symlinkSync(path.join(folder, "work"), path.join(folder, "link"));
    const { realPath } = localFacts({ searchPath: "", writable: [], sinceMs: 0 });
    expect(realPath?.(path.join(folder, "link/a/b"))).toBe(path.join(folder, "work/a/b"));
  });

  it("reads scripts written since the session began, and no others", () => {
    const script = path.join(folder, "work/a.sh");
    fs.writeFileSync(script, "rm -r src\n");
    const at = fs.statSync(script).mtimeMs;
    expect(localFacts({ searchPath: "", writable: [], sinceMs: at - 1 }).readWritten?.(script)).toBe("rm -r src\n");
    expect(localFacts({ searchPath: "", writable: [], sinceMs: at + 1 }).readWritten?.(script)).toBeUndefined();
    expect(localFacts({ searchPath: "", writable: [], sinceMs: 0 }).readWritten?.(`${script}x`)).toBeUndefined();
  });
});
