import { expect, test } from "vitest";
import { sha256, signAws } from "./aws-signature.ts";

/** The account, the bucket and the moment of the examples that the documentation of S3 gives. */
const keys = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
const scope = { region: "us-east-1", service: "s3", nowMs: Date.UTC(2013, 4, 24) };
const at = (path: string): URL => new URL(`https://examplebucket.s3.amazonaws.com${path}`);

test.each([
  ["GET", "/test.txt", { Range: "bytes=0-9" }, "", "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"],
  [
    "PUT",
    "/test%24file.text",
    { Date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
    "Welcome to Amazon S3.",
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
  ["GET", "/?lifecycle", {}, "", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
  ["GET", "/?max-keys=2&prefix=J", {}, "", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
] as const)("published example of S3: %s %s [40:SCL-6]", (method, path, headers, body, expected) => {
  const request = { method, url: at(path), headers: { ...headers, "x-amz-content-sha256": sha256(body) }, body };
  const { Authorization } = signAws(request, keys, scope);
  expect(/Signature=(\w+)/u.exec(Authorization ?? "")?.[1]).toBe(expected);
  expect(signAws({ ...request, body: Buffer.from(body) }, keys, scope)).toEqual(signAws(request, keys, scope));
});
