import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { absolutePath, defaultConfig } from "#config";
import { never } from "#foundation/lifecycle/abort";
import { FakeClock } from "#foundation/testing/fake-clock";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { urlRules } from "./site-rules.ts";
import { checkUrl } from "./urls.ts";

const { security } = await defaultConfig();
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hermes-sites-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function rulesOf(list: Partial<typeof security.website_blocklist>) {
  const clock = new FakeClock();
  const logger = memoryLogger();
  const settings = { ...security, website_blocklist: { ...security.website_blocklist, enabled: true, ...list } };
  const rules = urlRules(settings, {
    denied: [],
    clock,
    logger,
    absolute: (file) => absolutePath(file, folder, folder),
  });
  const judge = async (host: string) =>
    (await checkUrl(`https://${host}/`, { ...rules, resolve: () => Promise.resolve(["93.184.216.34"]) }, never)).kind;
  return { clock, logger, rules, judge };
}

describe("blocked sites", () => {
  it("come from the settings and from files, which are read again after half a minute [30:5.9]", async () => {
    await writeFile(path.join(folder, "list"), "bad.test\n");
    const { clock, judge } = rulesOf({ domains: ["x.test"], shared_files: ["~/list"] });
    expect([await judge("a.x.test"), await judge("bad.test"), await judge("new.test")]).toEqual([
      "refused",
      "refused",
      "allowed",
    ]);
    await writeFile(path.join(folder, "list"), "new.test\n");
    expect(await judge("new.test")).toBe("allowed");
    await clock.advance(30_000);
    expect([await judge("bad.test"), await judge("new.test")]).toEqual(["allowed", "refused"]);
  });

  it("in a file that cannot be read are missed with a warning, or block everything [30:5.9]", async () => {
    const open = rulesOf({ shared_files: ["missing"] });
    expect(await open.judge("x.test")).toBe("allowed");
    expect(open.logger.lines).toMatchObject([{ level: "warn" }]);
    const closed = rulesOf({ shared_files: ["missing"], fail_closed: true });
    expect(await closed.judge("x.test")).toBe("refused");
  });

  it("are visited while the list is off [30:5.9]", async () => {
    const { judge } = rulesOf({ enabled: false, domains: ["x.test"] });
    expect(await judge("x.test")).toBe("allowed");
  });
});
