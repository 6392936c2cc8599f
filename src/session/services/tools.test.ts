import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { toolService } from "./tools.ts";

/** A list that becomes another with the next refresh. */
async function told(before: readonly string[], after: readonly string[]): Promise<string | undefined> {
  let names = new Set(before);
  const unused = () => Promise.resolve("");
  const shown = {
    get listing() {
      return { names } as never;
    },
    isCurrent: false,
    refresh: () => {
      names = new Set(after);
      return Promise.resolve(true);
    },
  };
  return await toolService({ shown, setEnabled: unused, mcpServers: () => [], reloadMcp: unused }).refresh(never);
}

describe("what is said when tools come and go", () => {
  it("names a few", async () => {
    expect(await told(["a", "b"], ["b", "c"])).toBe("Tools changed: new: c; gone: a. /tools lists them.");
  });

  it("counts many, so that it stays one line", async () => {
    const many = Array.from({ length: 31 }, (_, index) => `tool_${index}`);
    expect(await told([...many, "b"], ["b"])).toBe("Tools changed: 31 gone. /tools lists them.");
  });

  it("says nothing where nothing changed", async () => {
    expect(await told(["a"], ["a"])).toBeUndefined();
  });
});
