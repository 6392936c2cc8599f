import { randomFillSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fails, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

/** Pixels that no compression makes smaller. */
function noisyPng(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  randomFillSync(rows);
  for (let row = 0; row < height; row += 1) rows[row * (1 + width * 3)] = 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const idat = deflateSync(rows, { level: 1 });
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", idat), chunk("IEND", Buffer.alloc(0))]);
}

const images = (body: string): readonly string[] => body.match(/data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+/g) ?? [];

describe("an image that is too large for the model", () => {
  it("is made smaller before it is sent, and once more when the provider still refuses it [10:ERR-6] [10:ERR-15]", async () => {
    await using server = await startModelServer();
    await using stage = await Stage.open({
      config: `${modelConfig(server.chatBaseUrl)}\ndisplay: { image_mode: native }\n`,
    });
    await writeFile(path.join(stage.work, "noise.png"), noisyPng(1_700, 1_500));
    server.script(fails(400, { message: "image exceeds 2 MB maximum size" }), says("Noise."));
    const ran = await stage.run(["chat", "-q", "what is this?", "-Q", "--image", "noise.png"]);
    expect(ran).toMatchObject({ code: 0, stdout: "Noise.\n" });
    const sizes = server.requests.map(({ rawBody }) => images(rawBody).map((url) => [url.slice(0, 15), url.length]));
    const [[first] = [], [second] = []] = sizes;
    expect(first).toEqual(["data:image/jpeg", expect.any(Number)]);
    expect(first?.[1]).toBeLessThan(7_000_000);
    expect(second).toEqual(["data:image/jpeg", expect.any(Number)]);
    expect(second?.[1]).toBeLessThan(1_400_000);
  });
});
