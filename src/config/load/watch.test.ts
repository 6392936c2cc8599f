import { expect, test } from "vitest";
import { Channel } from "#foundation/lifecycle/channel";
import { TempHome } from "../testing.ts";
import { type ConfigChange, changedSettings, watchConfig } from "./watch.ts";

test("[20:R7.7] a change is seen, with the time from which it counts", async () => {
  using temp = new TempHome({ "config.yaml": "display:\n  compact: false\n" });
  const changes = new Channel<ConfigChange>();
  const initial = await temp.load();
  const stop = new AbortController();
  await using _watch = watchConfig(initial, {
    home: temp.home,
    env: temp.env,
    signal: stop.signal,
    onChange: (change) => changes.push(change),
    onError: (error) => changes.fail(error),
  });
  const next = async () => (await changes[Symbol.asyncIterator]().next()).value;
  temp.write("config.yaml", "display:\n  compact: true\nmodel: x\nstore:\n  url: postgres://h\n");
  expect((await next())?.changed).toEqual([
    { key: "model.default", reload: "next-session" },
    { key: "display.compact", reload: "now" },
    { key: "store.url", reload: "restart" },
  ]);
  // While the file is broken the settings stay; the next good one is compared with the last good one.
  temp.write("config.yaml", "display: [\n");
  temp.write("config.yaml", "display:\n  compact: true\nmodel: z\nstore:\n  url: postgres://h\n");
  expect((await next())?.changed).toEqual([{ key: "model.default", reload: "next-session" }]);
});

test("two loads of the same file differ in nothing", async () => {
  using temp = new TempHome({
    "config.yaml": "model: {api_key: a}\nplatforms: {telegram: {extra: {x_token: q, list: [1]}}}\n",
  });
  const [first, second] = [await temp.load(), await temp.load()];
  expect(await changedSettings(first.config, second.config)).toEqual([]);
  temp.write("config.yaml", "model: {api_key: b}\nplatforms: {telegram: {extra: {x_token: r, list: [2]}}}\n");
  const third = await temp.load();
  expect((await changedSettings(first.config, third.config)).map(({ key }) => key)).toEqual([
    "model.api_key",
    "platforms.telegram.extra.x_token",
    "platforms.telegram.extra.list",
  ]);
});
