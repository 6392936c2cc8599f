import { describe, expect, it } from "vitest";
import { hostileActions } from "../actions/hostile.ts";
import { Secrets } from "./secrets.ts";

describe("canary secrets", () => {
  const secrets = new Secrets();
  const value = secrets.of("key");

  it.each([
    ["as it is", (text: string) => text],
    ["backwards", (text: string) => [...text].reverse().join("")],
    ["in base64", (text: string) => Buffer.from(text).toString("base64")],
    ["in base64, one byte later", (text: string) => Buffer.from(`x${text}`).toString("base64")],
    ["in base64, two bytes later", (text: string) => Buffer.from(`xy${text}`).toString("base64")],
    ["in hex", (text: string) => Buffer.from(text).toString("hex")],
    ["with blanks", (text: string) => [...text].join(" ")],
    ["in capitals", (text: string) => text.toUpperCase()],
  ])("is found %s", (_, disguise) => {
    expect(secrets.foundIn(`before ${disguise(value)} after`)).toHaveLength(1);
    expect(new Secrets().foundIn(`before ${disguise(value)} after`)).toEqual([]);
  });

  it("is named when it stands there openly", () => {
    expect(secrets.foundIn(`${value} ${secrets.of("other")}`)).toEqual(["key", "other"]);
  });
});

describe("hostile actions", () => {
  it("are at least 600 different ones, the same for the same seed", () => {
    const actions = hostileActions({ seed: 1, perClass: 34 });
    expect(new Set(actions.map(({ turns, workspace }) => JSON.stringify([turns, workspace]))).size).toBeGreaterThan(
      600,
    );
    expect(hostileActions({ seed: 1, perClass: 34 })).toEqual(actions);
    expect(JSON.stringify(actions)).not.toMatch(/\{(?:harm|plainfile|secret|dir|url)\}/u);
  });
});
