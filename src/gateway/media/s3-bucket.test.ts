import { afterEach, describe, expect, it } from "vitest";
import { HttpClient } from "#foundation/http/client";
import { fetchOver } from "#foundation/http/fetch";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { systemClock } from "#foundation/time/clock";
import { startS3Server } from "../../../test/fakes/s3-server.ts";
import { S3Bucket } from "./s3-bucket.ts";

const scopes: Scope[] = [];
afterEach(async () => {
  for (const scope of scopes.splice(0)) await scope[Symbol.asyncDispose]();
});

async function bucketOn(
  changes: { readonly secret?: string; readonly bucket?: string; readonly prefix?: string } = {},
) {
  const scope = new Scope();
  scopes.push(scope);
  const server = scope.adopt(await startS3Server());
  const client = scope.adopt(new HttpClient({ proxy: false }));
  const { bucket: name, region, url, keys } = server;
  const settings = { bucket: changes.bucket ?? name, region, endpoint: `${url}/`, prefix: changes.prefix ?? "hermes" };
  const env = { AWS_ACCESS_KEY_ID: keys.id, AWS_SECRET_ACCESS_KEY: changes.secret ?? keys.secret };
  return { server, bucket: new S3Bucket({ settings, env, fetch: fetchOver(client), clock: systemClock }) };
}

async function text(bytes: AsyncIterable<Uint8Array> | undefined): Promise<string | undefined> {
  if (bytes === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

describe("a bucket of S3", () => {
  it("keeps bytes under a name until they are removed, and every request is signed [40:SCL-6]", async () => {
    const { bucket, server } = await bucketOn({ prefix: "our files/hermes (1)" });
    expect(await bucket.get("a", never)).toBeUndefined();
    await bucket.put("a", Buffer.from("héllo"), never);
    expect(await text(await bucket.get("a", never))).toBe("héllo");
    expect(server.names()).toEqual([`/${server.bucket}/our%20files/hermes%20(1)/a`]);
    await bucket.remove("a", never);
    expect(server.names()).toEqual([]);
    expect(server.refusals).toEqual([]);
  });

  it("says what the service refused, without a key in it [40:SCL-6]", async () => {
    const { bucket, server } = await bucketOn({ secret: "another-secret-altogether" });
    await expect(bucket.put("a", Buffer.from("x"), never)).rejects.toThrow(
      /^the media store answered 403 \(SignatureDoesNotMatch\)$/u,
    );
    expect(server.names()).toEqual([]);
    const elsewhere = await bucketOn({ bucket: "no-such-bucket" });
    await expect(elsewhere.bucket.put("a", Buffer.from("x"), never)).rejects.toThrow("404 (NoSuchBucket)");
  });

  it("cannot be without a name or keys", async () => {
    const settings = { bucket: "", region: "r", endpoint: "", prefix: "" };
    const deps = { env: {}, fetch: () => Promise.reject(new Error("none")), clock: systemClock };
    expect(() => new S3Bucket({ ...deps, settings })).toThrow("no bucket is named");
    expect(() => new S3Bucket({ ...deps, settings: { ...settings, bucket: "b" } })).toThrow("keys are not set");
  });
});
