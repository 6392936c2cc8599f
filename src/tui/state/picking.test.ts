import { expect, it } from "vitest";
import { shownItems } from "./picking.ts";

it("a list shows first what is called as was typed, then what only speaks of it", () => {
  const items = [
    { label: "command_allowlist", detail: "[]", help: "Runs without asking." },
    { label: "display.skin", detail: "default", help: "Colours." },
    { label: "terminal.timeout", detail: "180", help: "Seconds." },
  ];
  const names = (query: string) => shownItems({ title: "", items, query, index: 0 }).map(({ label }) => label);
  expect(names("skin")).toEqual(["display.skin", "command_allowlist"]);
  expect(names("")).toEqual(items.map(({ label }) => label));
});
