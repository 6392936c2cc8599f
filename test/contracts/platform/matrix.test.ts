import { expect, it } from "vitest";
import { loadPlatform } from "#gateway";
import { matrixRoom, startMatrixServer } from "../../fakes/platforms/matrix-server.ts";
import { connectedTo, describePlatform } from "./suite.ts";

const platform = await loadPlatform("matrix");

async function startKit() {
  const server = await startMatrixServer();
  return {
    env: { MATRIX_HOMESERVER: server.url, MATRIX_ACCESS_TOKEN: server.token },
    wrongEnv: { MATRIX_HOMESERVER: server.url, MATRIX_ACCESS_TOKEN: "wrong" },
    settings: {},
    chatId: matrixRoom,
    say: (body: string) => server.message({ body }),
    repeat: () => server.repeat(),
    sendFile: (bytes: Buffer, body: string) =>
      server.message({ msgtype: "m.file", body, url: `mxc://fake.example/${server.file(bytes)}` }),
    shown: server.shown,
    nextSend: server.nextSend,
    sends: server.sends,
    deliversAgain: true,
    breakConnection: () => server.dropPolls(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

// Messages sent while nobody listened [40:A-MX-1] and repeated transactions [40:A-MX-5] are part of the suite.
describePlatform(platform, startKit);

it("does not start when rooms would have to be encrypted and that cannot be had [40:A-MX-2]", async () => {
  await using kit = await startKit();
  const settings = { "matrix.encryption": true };
  // Nothing can be installed below a file.
  const unwritable = { ...kit, settings, packages: import.meta.filename };
  await expect(connectedTo(platform, unwritable)).rejects.toMatchObject({
    code: "matrix_encryption",
    isRetryable: false,
  });
});

it("what is said after the very first start is not missed, though nothing was heard before it ended [40:A-MX-1]", async () => {
  await using kit = await startKit();
  kit.say("from before");
  const first = await connectedTo(platform, kit);
  await first[Symbol.asyncDispose]();
  kit.say("while nobody listened");
  await using second = await connectedTo(platform, kit, first.ports.positions);
  await expect.poll(() => second.ports.admitted.map(({ text }) => text)).toEqual(["while nobody listened"]);
});
