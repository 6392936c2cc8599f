import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { never } from "#foundation/lifecycle/abort";
import { listChoices } from "../resolve/choose/picker.ts";
import { headersFor, openWorld, resolved } from "../resolve/testing/world.ts";
import { checkProfile } from "./check-profile.ts";
import { readNamedEndpoints } from "./custom.ts";
import { type ProviderProfile, profile } from "./provider.ts";
import { ProviderRegistry } from "./registry.ts";

const guide = readFileSync(join(import.meta.dirname, "../../../docs/guide/extending/add-a-provider.md"), "utf8");

/** The text of a block as it is printed. */
function block(heading: string): string {
  const text = new RegExp(`\`\`\`${heading}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
  if (text === "") throw new Error(`the guide has no block "${heading}"`);
  return text;
}

/** The code of a block, run as it is printed with these names at hand. */
function follow<T>(heading: string, names: Readonly<Record<string, unknown>>): T {
  return new Function(...Object.keys(names), `return ${block(heading)}`)(...Object.values(names)) as T;
}

describe("[20:R2.17] the guide, followed", () => {
  const acme = follow<ProviderProfile>("ts record", { profile });

  test("its record is sound and, once registered, chosen, listed and scoped like any other", async () => {
    expect(checkProfile(acme)).toEqual([]);
    const registry = new ProviderRegistry();
    using registration = registry.register(acme);
    using world = openWorld({ env: { ACME_API_KEY: "acme-0123456789" }, change: { registry } });
    const { target } = await resolved({}, world.context);
    expect(target).toMatchObject({
      provider: "acme",
      providerLabel: "Acme AI",
      model: "acme-large",
      protocol: "chat_completions",
      baseUrl: "https://api.acme.example/v1",
    });
    expect((await resolved({ provider: "acme-ai", model: "acme/acme-small" }, world.context)).target.model).toBe(
      "acme-small",
    );
    expect(await headersFor(target, "https://api.acme.example/v1/x")).toEqual({
      Authorization: "Bearer acme-0123456789",
    });
    await expect(headersFor(target, "https://api.acme.example.evil.test/v1/x")).rejects.toThrow("may not be sent");
    expect((await listChoices(world.context, {}, never)).map((one) => one.provider)).toEqual(["acme"]);
    registration[Symbol.dispose]();
    expect(registry.find("acme")).toBeUndefined();
  });

  test("its entry for config.yaml is a provider with a model and a key of its own", () => {
    const { custom_providers: list } = parse(block("yaml"));
    const read = readNamedEndpoints(list, undefined, new ProviderRegistry());
    expect([read.errors, read.warnings]).toEqual([[], []]);
    expect(read.endpoints).toMatchObject([
      { slug: "custom:acme", baseUrl: "https://api.acme.example/v1", keyEnv: "ACME_API_KEY", model: "acme-large" },
    ]);
  });

  test("every file and command it names exists", () => {
    const root = join(import.meta.dirname, "../../..");
    const paths = [...guide.matchAll(/`((?:src|test)\/[\w/.-]+)`/g)].map((match) => match[1] ?? "");
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) expect(() => readFileSync(join(root, path))).not.toThrow("ENOENT");
    for (const name of ["provider.ts", "quirks.ts", "records/builtin.ts", "records/logins.ts", "records.test.ts"]) {
      expect(readFileSync(join(import.meta.dirname, name), "utf8").length).toBeGreaterThan(0);
    }
  });
});
