import { expect, it } from "vitest";
import { Scope } from "#foundation/lifecycle/disposal";
import { says, startModelServer } from "../fakes/model-server/index.ts";
import { startWeixinServer } from "../fakes/platforms/weixin-server.ts";
import { Stage } from "./support/stage.ts";

it("a person scans the code, writes, and is answered by the program [40:ADP-1]", async () => {
  await using scope = new Scope();
  const model = scope.adopt(await startModelServer());
  const weixin = scope.adopt(await startWeixinServer());
  const config = [
    `model: { provider: custom, default: test-model, base_url: "${model.chatBaseUrl}", context_length: 128000 }`,
    `weixin: { base_url: "${weixin.url}", cdn_base_url: "${weixin.url}/c2c", allow_all_users: true }`,
  ].join("\n");
  const home = scope.adopt(await Stage.open({ config }));
  weixin.scan();
  const setup = await home.run(["gateway", "setup", "weixin"]);
  expect(setup.stdout).toContain(`${weixin.url}/qr1`);
  expect(setup.stdout).not.toContain(weixin.token);
  model.script(says("Hello Ada."));
  home.start(["gateway", "run"]);
  await expect
    .poll(() => weixin.calls.some(({ path }) => path.endsWith("/getupdates")), { timeout: 30_000 })
    .toBe(true);
  weixin.text("hi");
  await expect.poll(() => weixin.shown(), { timeout: 30_000 }).toEqual(["Hello Ada."]);
});
