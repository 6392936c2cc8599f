import { describe, expect, test } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { KeyScopeError } from "../credentials/scoped.ts";
import { builtinProviders } from "../providers/records/builtin.ts";
import { codeAssistMarker, codeAssistUrl } from "../providers/records/logins.ts";
import { listChoices } from "./choose/picker.ts";
import { worldFor } from "./testing/provider-world.ts";
import { headersFor, openWorld, resolved } from "./testing/world.ts";

/** Every record that can be reached with a key or a login, each in a world where only its own credential exists. */
const reachable = builtinProviders.filter((one) => !["external_process", "none"].includes(one.authKind));

/** The marker address of Code Assist stands for a real one. */
const realUrl = (url: string): string => (url === codeAssistMarker ? codeAssistUrl : url);

describe.each(reachable.map((one) => [one.id, one] as const))(
  "[20:R2.17] %s keeps the contract of providers",
  (_id, profile) => {
    test("by its id and by every alias it resolves to itself", async () => {
      using world = await worldFor(profile);
      for (const name of [profile.id, profile.id.toUpperCase(), ...profile.aliases]) {
        const { target, requestedProvider } = await resolved({ provider: name, model: "some-model" }, world.context);
        expect([target.provider, target.providerLabel, requestedProvider]).toEqual([profile.id, profile.label, name]);
      }
    });

    test("its default model, wire, address and name for itself", async () => {
      using world = await worldFor(profile);
      const wanted =
        profile.curatedModels.length === 0 ? { provider: profile.id, model: "m" } : { provider: profile.id };
      const { target } = await resolved(wanted, world.context);
      expect(target.model).toBe(profile.curatedModels[0] ?? "m");
      if (profile.protocol !== undefined && profile.protocolRules === undefined && !/gpt-5/.test(target.model))
        expect(target.protocol).toBe(profile.protocol);
      expect(URL.canParse(target.baseUrl)).toBe(true);
      expect(target.baseUrl).not.toMatch(/\/$|\?/);
      expect(target.headers["User-Agent"]).toMatch(/^HermesAgent\//);
      for (const [name, value] of Object.entries(profile.headers ?? {})) expect(target.headers[name]).toBe(value);
      expect(target.limits.contextWindow).toBeGreaterThan(0);
    });

    test("its credential goes to its own host and to no other", async () => {
      using world = await worldFor(profile);
      const { target } = await resolved(
        { provider: profile.id, model: profile.curatedModels[0] ?? "m" },
        world.context,
      );
      expect(target.credential.allowedHosts.length).toBeGreaterThan(0);
      if (profile.id !== "copilot") {
        const headers = await headersFor(target, `${realUrl(target.baseUrl)}/anything`);
        expect(Object.keys(headers).length).toBeGreaterThan(0);
      }
      const host = new URL(realUrl(target.baseUrl)).hostname;
      const foreign = [
        "https://example.com/v1",
        `https://${host}.evil.test/v1`,
        `https://evil.test/${host}/v1`,
        `https://${host}@evil.test/`,
        `http://${host}/v1`,
        "http://localhost:1/v1",
      ];
      for (const url of foreign) await expect(headersFor(target, url)).rejects.toThrow(KeyScopeError);
    });

    test("it stands in the menu once it has a credential, and not before", async () => {
      // Other programs' logins are looked at only for somebody who chose the provider.
      if (["copilot", "qwen-oauth"].includes(profile.id)) return;
      using world = await worldFor(profile);
      const entry = (await listChoices(world.context, {}, never)).find((one) => one.provider === profile.id);
      expect(entry).toMatchObject({ label: profile.label, models: [...profile.curatedModels] });
      using empty = openWorld({});
      expect(await listChoices(empty.context, {}, never)).toEqual([]);
    });
  },
);
