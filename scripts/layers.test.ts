import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { faultOf, findLayerFaults } from "./layers.ts";

const root = mkdtempSync(path.join(tmpdir(), "hermes-layers-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
};

describe("the layer checker", () => {
  it.each([
    ["model/client.ts", "#store", "model may not import store"],
    ["foundation/text/json.ts", "#conversation", "foundation may not import conversation"],
    ["agent/loop.ts", "#store", "agent may not import store"],
    ["agent/loop.ts", "#model/client", "only the door #model may be imported"],
    ["agent/loop.ts", "../model/client.ts", "a relative import may not leave its subsystem; use the door"],
    ["agent/loop.ts", "#tools/testing", "only the door #tools may be imported"],
    ["store/open.test.ts", "#tools/testing", "store may not import tools"],
    ["model/a/b.ts", "#model", "inside a subsystem, import the file, not the door"],
    ["attic/x.ts", "#foundation/text/json", "src/attic is not a subsystem; add it to scripts/layers.ts"],
  ])("refuses %s importing %s", (file, specifier, problem) => {
    expect(faultOf(file, specifier)).toBe(problem);
  });

  it.each([
    ["model/client.ts", "#conversation"],
    ["model/client.ts", "#foundation/http"],
    ["foundation/http/request.ts", "#foundation/lifecycle/abort"],
    ["model/protocols/a.ts", "../request.ts"],
    ["session/service.ts", "#agent"],
    ["cli/main.ts", "#app"],
    ["agent/loop.test.ts", "../../test/fakes/model-server/index.ts"],
    ["agent/loop.test.ts", "#tools/testing"],
    ["plugins/testing.ts", "#tools/testing"],
    ["model/client.ts", "node:fs"],
  ])("accepts %s importing %s", (file, specifier) => {
    expect(faultOf(file, specifier)).toBeUndefined();
  });

  it("finds static, type-only, re-exported, side-effect and dynamic imports with their lines", () => {
    write(
      "model/bad.ts",
      [
        'import { a } from "#store";',
        'import type {\n  B,\n} from "#tools";',
        'export { c } from "#agent";',
        'import "../store/x.ts";',
        'const d = await import("#session");',
        'import { fine } from "#conversation";',
      ].join("\n"),
    );
    expect(findLayerFaults(root).map((fault) => [fault.line, fault.specifier])).toEqual([
      [1, "#store"],
      [4, "#tools"],
      [5, "#agent"],
      [6, "../store/x.ts"],
      [7, "#session"],
    ]);
  });

  it("passes on this repository, run as the gate runs it", () => {
    const script = path.join(import.meta.dirname, "check-layers.ts");
    expect(() => execFileSync(process.execPath, ["--import", "tsx", script], { stdio: "pipe" })).not.toThrow();
  });
});
