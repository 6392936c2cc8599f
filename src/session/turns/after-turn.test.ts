import { describe, expect, it } from "vitest";
import { says } from "../../../test/fakes/model-server/index.ts";
import { openHarness, say } from "../testing/harness.ts";

describe("after the first exchange", () => {
  it("a title is asked for, but not for a session that ends with the answer", async () => {
    const asked: string[] = [];
    const suggest = () => {
      asked.push("title");
      return Promise.resolve("Greetings");
    };
    await using stage = await openHarness({
      settings: { suggestsTitles: true },
      services: () => ({ titles: { suggest } }),
    });
    stage.server.otherwise(says("Hello."));
    const short = await stage.open({ isInteractive: false });
    await say(short, "hi");
    await short[Symbol.asyncDispose]();
    expect(asked).toEqual([]);
    const long = await stage.open();
    await say(long, "hi");
    await expect.poll(() => long.info.title).toBe("Greetings");
    expect(asked).toEqual(["title"]);
  });
});
