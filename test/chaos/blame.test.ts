import { describe, expect, it } from "vitest";
import { type ReceivedRequest, says, slow } from "../fakes/model-server/index.ts";
import { hasPostgres, useDeployments } from "./setting.ts";

const setting = useDeployments();
const chats = [7, 8, 9, 1010];

/** One process on a file that is started again and again, or workers on a database beside an ingress that stays. */
async function served(isShared: boolean) {
  const world = await setting({ isShared });
  const gateway = world.deploy("telegram");
  if (isShared) await (await gateway.start(["ingress"])).ready("telegram");
  const machine = await gateway.machine();
  const start = () => gateway.start(isShared ? ["worker"] : [], machine);
  return { ...world, machine, start };
}

const saysPoison = ({ messages }: Pick<ReceivedRequest, "messages">): boolean =>
  JSON.stringify(messages).includes("poison");

describe.each([
  { on: "a file", isShared: false },
  { on: "PostgreSQL", isShared: true },
])("programs on $on that end with several chats in work", { timeout: 240_000 }, ({ isShared }) => {
  it.skipIf(isShared && !hasPostgres)(
    "three kills give up nothing, and every message is answered once [40:SCL-11] [40:A-SCL-1]",
    async () => {
      const { model, telegram, start, machine, shows } = await served(isShared);
      model.otherwise(slow(says("Never seen.")));
      for (const chatId of chats) telegram.text("hello", { chatId, from: chatId });
      // All of them together, then one at a time.
      for (const requests of [4, 5, 6]) {
        const worker = await start();
        await model.received(requests);
        await worker.kill();
      }
      model.otherwise(says("Here you are."));
      await start();
      for (const chatId of chats) await shows(["Here you are."], String(chatId));
      const { stdout } = await machine.run(["gateway", "queue", "list"]);
      expect(stdout).toContain("0 given up");
    },
  );

  it.skipIf(isShared && !hasPostgres)(
    "a message that ends its program whenever it is tried is given up after three times alone; the others are answered [40:SCL-11] [40:PRC-30] [40:A-SCL-12]",
    async () => {
      const { model, telegram, start, machine, shows, texts } = await served(isShared);
      let worker = await start();
      let isTogether = true;
      let kills = 0;
      const kill = (): void => void worker.child.kill("SIGKILL");
      model.otherwise((request) => {
        if (isTogether) return slow(says("Never seen."));
        if (!saysPoison(request)) return says("All is well.");
        kills += 1;
        kill();
        return slow(says("Never seen."));
      });
      for (const chatId of chats) telegram.text(chatId === 8 ? "poison" : "hello", { chatId, from: chatId });
      await model.received(4);
      isTogether = false;
      await worker.kill();
      for (const alone of [1, 2, 3]) {
        worker = await start();
        await expect.poll(() => kills, { timeout: 60_000 }).toBe(alone);
        await worker.kill();
      }
      worker = await start();
      for (const chatId of chats.filter((one) => one !== 8)) await shows(["All is well."], String(chatId));
      await expect.poll(() => texts("8").length, { timeout: 60_000 }).toBe(1);
      expect(texts("8")[0]).toContain("could not be answered");
      expect(model.requests.filter(saysPoison)).toHaveLength(4);
      const { stdout } = await machine.run(["gateway", "queue", "list"]);
      expect(stdout).toContain("1 given up");
    },
  );
});
