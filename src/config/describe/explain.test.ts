import { expect, test } from "vitest";
import { TempHome } from "../testing.ts";
import { explain, explanationLines } from "./explain.ts";

test("[20:R7.26] says which place won and which lost", async () => {
  using temp = new TempHome({ "config.yaml": "# x\nagent:\n  max_turns: 12\n" });
  const loaded = await temp.load({
    env: { ...temp.env, HERMES_MAX_ITERATIONS: "5" },
    flags: [{ key: "agent.max_turns", value: 3, flag: "--max-turns" }],
  });
  expect(explain(loaded, "agent.max_turns")).toEqual({
    key: "agent.max_turns",
    value: 3,
    source: { kind: "flag", flag: "--max-turns" },
    losing: [
      { source: { kind: "file", file: temp.home.config, key: "agent.max_turns", line: 3 }, value: 12 },
      {
        source: { kind: "environment", variable: "HERMES_MAX_ITERATIONS", origin: "shell", beatsFile: false },
        value: 5,
      },
      { source: { kind: "default" }, value: 90 },
    ],
  });
  expect(explanationLines(explain(loaded, "agent.max_turns"))).toEqual([
    "agent.max_turns = 3",
    "  from option --max-turns",
    `  not used: 12 from ${temp.home.config}, line 3`,
    "  not used: 5 from variable HERMES_MAX_ITERATIONS (environment)",
    "  not used: 90 from default",
  ]);
});

test("a key nobody set comes from the default", async () => {
  using temp = new TempHome();
  expect(explanationLines(explain(await temp.load(), "agent.max_turns"))).toEqual([
    "agent.max_turns = 90",
    "  from default",
  ]);
  expect(explanationLines(explain(await temp.load(), "model.max_tokens"))).toEqual([
    "model.max_tokens = (not set)",
    "  from default",
  ]);
});

test("a value that moved is shown where the file has it", async () => {
  using temp = new TempHome({ "config.yaml": "x_: 1\nmodel: gpt-5\n" });
  expect(explain(await temp.load(), "model.default").source).toMatchObject({ kind: "file", key: "model", line: 2 });
});

test("credentials are masked in every place, also inside a group", async () => {
  using temp = new TempHome({
    "config.yaml": "platforms:\n  telegram:\n    token: sk-file-1\n",
    ".env": "TELEGRAM_BOT_TOKEN=sk-env-2\n",
  });
  const loaded = await temp.load();
  const token = explain(loaded, "platforms.telegram.token");
  expect([token.value, token.losing.map((location) => location.value)]).toEqual(["***", ["***"]]);
  const shown = ["platforms", "platforms.telegram", "platforms.telegram.token"].flatMap((key) =>
    explanationLines(explain(loaded, key)),
  );
  expect(shown.join("\n")).not.toContain("sk-");
});
