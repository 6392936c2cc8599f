import { describe, expect, it } from "vitest";
import { pluginExtensions } from "./plugin-extensions.ts";

type Part = Awaited<ReturnType<Parameters<typeof pluginExtensions>[0]["terminalExtensions"]>>[number];

async function read(...parts: readonly Part[]) {
  const said: string[] = [];
  const plugins = { terminalExtensions: () => Promise.resolve(parts) };
  const found = await pluginExtensions(plugins, (text) => void said.push(text));
  return { names: found.map(({ name }) => name), said };
}

describe("extensions of the terminal that plugins bring", () => {
  it("are taken with their name or that of the plugin, objects and classes alike [20:R10.44]", async () => {
    class Panel {
      readonly name = "panel";
      extraWidgets() {
        return [];
      }
    }
    const plain = { styles: () => ({}) };
    const { names, said } = await read(
      { kind: "loaded", plugin: "a", extensions: [plain, new Panel()] },
      { kind: "loaded", plugin: "b", extensions: [{ name: "keys", registerKeybindings: () => undefined }] },
    );
    expect(names).toEqual(["a", "panel", "keys"]);
    expect(said).toEqual([]);
  });

  it("that are none are said and left out; the others stay [20:R10.44]", async () => {
    const { names, said } = await read(
      { kind: "left-out", plugin: "gone", reason: "broke" },
      { kind: "loaded", plugin: "odd", extensions: [null, 5, {}, { styles: "red" }, { styles: () => ({}) }] },
    );
    expect(names).toEqual(["odd"]);
    expect(said).toHaveLength(5);
    expect(said[0]).toBe("The terminal part of the plugin gone is not used: broke.");
  });
});
