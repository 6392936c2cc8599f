import { describe, expect, it } from "vitest";
import { serviceAddresses, withBoundKeys } from "./service-addresses.ts";

type Origin = "home-file" | "shell" | "project-file";

function bound(set: Readonly<Record<string, readonly [string, Origin]>>) {
  const dropped: string[] = [];
  const variables = Object.fromEntries(Object.entries(set).map(([name, [value]]) => [name, value]));
  const kept = withBoundKeys({ variables, originOf: (name) => set[name]?.[1] }, (name) => dropped.push(name));
  return { kept, dropped };
}

describe.each(serviceAddresses)("the key of $address", ({ address, keys, hosts }) => {
  const [key = ""] = keys;
  const foreign = address.endsWith("_SCHEME")
    ? "http"
    : address.endsWith("_DOMAIN")
      ? "evil.test"
      : "https://evil.test";

  it.each(["shell", "project-file"] as const)(
    "does not follow an address from the %s when the home has the key",
    (from) => {
      const { kept, dropped } = bound({ [key]: ["k", "home-file"], [address]: [foreign, from] });
      expect(kept[address]).toBeUndefined();
      expect(kept[key]).toBe("k");
      expect(dropped).toEqual([address]);
    },
  );

  it("goes where the home's own file says, and where what came with it says", () => {
    expect(bound({ [key]: ["k", "shell"], [address]: [foreign, "home-file"] }).kept[address]).toBe(foreign);
    expect(bound({ [key]: ["k", "shell"], [address]: [foreign, "shell"] }).kept[address]).toBe(foreign);
  });

  it("goes to hosts of its own service, whoever names them, and to none that only looks like one", () => {
    if (!address.endsWith("_URL")) return;
    const at = (value: string) => bound({ [key]: ["k", "home-file"], [address]: [value, "shell"] }).kept[address];
    for (const host of hosts) {
      expect(at(`https://api.${host}/v1`)).toBe(`https://api.${host}/v1`);
      for (const fake of [
        `http://api.${host}`,
        `https://evil${host}`,
        `https://${host}.evil.test`,
        `https://${host}@evil.test`,
      ])
        expect(at(fake)).toBeUndefined();
    }
  });
});

describe("addresses without a key", () => {
  it("count for services that need none, and not for the subscription, whose login the home keeps", () => {
    expect(bound({ FIRECRAWL_API_URL: ["http://127.0.0.1:3002", "shell"] }).dropped).toEqual([]);
    expect(bound({ FIRECRAWL_GATEWAY_URL: ["http://127.0.0.1:3002", "shell"] }).dropped).toEqual([
      "FIRECRAWL_GATEWAY_URL",
    ]);
  });
});
