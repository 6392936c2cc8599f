import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

it("two profiles share nothing: settings, keys, memory, skills, sessions, jobs, logs [20:R7.18]", async () => {
  await using server = await startModelServer({ strict: true });
  await using stage = await Stage.open();
  const roots = { work: path.join(stage.home, "profiles", "work"), play: path.join(stage.home, "profiles", "play") };
  const of = (profile: string, ...args: string[]) => stage.run(["-p", profile, ...args]);
  const quiet = "auxiliary:\n  title_generation: {enabled: false}\n";
  for (const [profile, root] of Object.entries(roots)) {
    expect((await of("default", "profile", "create", profile, "--no-alias")).code).toBe(0);
    const key = `  api_key: \${LAB_API_KEY}\n`;
    await writeFile(path.join(root, "config.yaml"), `timezone: UTC\n${modelConfig(server.chatBaseUrl, key + quiet)}`);
    expect((await of(profile, "config", "set", "LAB_API_KEY", `sk-${profile}-0123456789`)).code).toBe(0);
  }
  server.script(
    calls("memory", { action: "add", target: "memory", content: "The office has a walnut tree." }),
    says("Noted."),
  );
  server.otherwise(says("Hello."));
  await of("work", "chat", "-q", "Remember the walnut tree.", "-Q");
  await of("work", "cron", "create", "every day at 9:00", "Water the walnut tree.");
  await of("work", "config", "set", "display.skin", "mono");
  await of("play", "chat", "-q", "Good evening.", "-Q");
  const asked = server.requests;
  expect(asked.map(({ headers }) => headers["authorization"])).toEqual([
    ...["Bearer sk-work-0123456789", "Bearer sk-work-0123456789", "Bearer sk-play-0123456789"],
  ]);
  expect(JSON.stringify(asked.at(-1)?.body)).not.toContain("walnut");
  const json = async (profile: string, ...args: string[]) =>
    JSON.parse((await of(profile, ...args, "--json")).stdout) as Record<string, unknown>;
  expect(await json("work", "status")).toMatchObject({ profile: "work", jobs: 1, sessions: { count: 1 } });
  expect(await json("play", "status")).toMatchObject({ profile: "play", jobs: 0, sessions: { count: 1 } });
  expect((await of("play", "config", "get", "display.skin")).stdout).toBe("default\n");
  expect(await stage.filesWith("walnut", roots.play)).toEqual([]);
  expect(await stage.filesWith("sk-work", roots.play)).toEqual([]);
  // Everything that was kept is below the profile, nothing in the root home.
  const left = (await stage.filesWith("walnut")).filter((file) => !file.startsWith("profiles/work/"));
  expect(left).toEqual([]);
});
