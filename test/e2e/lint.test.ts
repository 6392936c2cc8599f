import { expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { modelConfig, Stage } from "./support/stage.ts";

type Received = { readonly messages: readonly Record<string, unknown>[] };

it("files are checked for syntax after an edit, and only what the edit broke is an error [30:8.3]", async () => {
  await using model = await startModelServer({ strict: true });
  const more = 'lint: { note: "grep -q signed {file} || { echo unsigned; exit 1; }" }\n';
  const files = { "old.py": "def f(:\n    pass\nx = 1\n", "good.py": "x = 1\n" };
  await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, more), files });
  const said: unknown[] = [];
  const lintOf = ({ messages }: Received): unknown => {
    const answer = JSON.parse(String(messages.at(-1)?.["content"])) as Record<string, unknown>;
    return answer["lint"];
  };
  const edit = (path: string, before: string, after: string) =>
    calls("patch", { path, old_string: before, new_string: after });
  const steps = [
    calls("write_file", { path: "a.json", content: '{"a": 1,}' }),
    calls("write_file", { path: "a.yaml", content: "a: [1, 2\nb: 3\n" }),
    calls("write_file", { path: "a.sh", content: "if true; then echo\n" }),
    calls("write_file", { path: "b.py", content: "x = 1\n" }),
    calls("read_file", { path: "good.py" }),
    edit("good.py", "x = 1", "x = (1"),
    calls("read_file", { path: "old.py" }),
    edit("old.py", "x = 1", "x = 2"),
    calls("write_file", { path: "a.note", content: "words\n" }),
  ];
  model.script(...steps, says("Done."));
  await stage.ask("go");
  for (const at of [2, 3, 4, 5, 7, 9, 10]) said.push(lintOf(await model.received(at)));
  const [json, yaml, shell, python, broken, older, own] = said.map((one) => JSON.stringify(one));
  for (const one of [json, yaml, shell, broken]) expect(one).toContain('"status":"error"');
  expect(python).toContain('"status":"ok"');
  expect(broken).toContain("SyntaxError");
  expect(older).toContain("had a syntax problem before this edit");
  expect(own).toMatch(/error.*unsigned/u);
});
