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
    breakConnection: () => server.dropPolls(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

// Messages sent while nobody listened [40:A-MX-1] and repeated transactions [40:A-MX-5] are part of the suite.
describePlatform(platform, startKit);

it("does not start when rooms would have to be encrypted [40:A-MX-2]", async () => {
  await using kit = await startKit();
  const settings = { "matrix.encryption": true };
  await expect(connectedTo(platform, { ...kit, settings })).rejects.toMatchObject({ isRetryable: false });
});
