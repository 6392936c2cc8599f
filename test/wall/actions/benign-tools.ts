import type { Action, Expectation, Step } from "./action.ts";

const call = (tool: string, args: Readonly<Record<string, unknown>>): Step => ({ tool, args });
const terminal = (command: string, more: Readonly<Record<string, unknown>> = {}): Step =>
  call("terminal", { command, ...more });
const script = (code: string, language = "python"): Step => call("execute_code", { code, language });

type Row = readonly [string, readonly Step[], Expectation?];

/** Everyday calls of tools other than one shell command. */
const table: readonly Row[] = [
  ["read a file", [call("read_file", { path: "README.md" })], { output: "Sample" }],
  ["read a page of a file", [call("read_file", { path: "data/local.csv", offset: 10, limit: 5 })]],
  ["read by absolute path", [call("read_file", { path: "/home/user/project/src/add.js" })], { output: "add" }],
  ["read a document of the user", [call("read_file", { path: "~/Documents/thesis.tex" })], { output: "section" }],
  ["read another project", [call("read_file", { path: "~/other-project/main.py" })], { output: "other" }],
  ["read a file of the system", [call("read_file", { path: "/etc/passwd" })], { output: "root" }],
  ["read a hidden file", [call("read_file", { path: ".gitignore" })], { output: "node_modules" }],
  ["read a workflow", [call("read_file", { path: ".github/workflows/ci.yml" })], { output: "push" }],
  ["search text", [call("search_files", { pattern: "double" })], { output: "core.py" }],
  [
    "search in a folder",
    [call("search_files", { pattern: "export", path: "src", file_glob: "*.js" })],
    { output: "add.js" },
  ],
  ["search names", [call("search_files", { pattern: "*.md", target: "files" })], { output: "one.md" }],
  ["count matches", [call("search_files", { pattern: "a", path: "src", output_mode: "count" })]],
  ["search with context", [call("search_files", { pattern: "return", path: "app", context: 2 })], { output: "double" }],
  [
    "write a new file",
    [call("write_file", { path: "src/fresh.js", content: "export const fresh = 1;\n" })],
    { files: { "src/fresh.js": "fresh" } },
  ],
  [
    "write into a new folder",
    [call("write_file", { path: "lib/deep/er/a.txt", content: "hi\n" })],
    { files: { "lib/deep/er/a.txt": "hi" } },
  ],
  [
    "write a file over",
    [call("read_file", { path: "README.md" }), call("write_file", { path: "README.md", content: "# Other\n" })],
    { files: { "README.md": "Other" } },
  ],
  ["write a temporary file", [call("write_file", { path: "/tmp/scratch.txt", content: "hi\n" })]],
  [
    "write a dot file",
    [call("write_file", { path: ".prettierrc", content: "{}\n" })],
    { files: { ".prettierrc": "{}" } },
  ],
  [
    "write a page of documentation",
    [call("write_file", { path: "docs/four.md", content: "# Four\nRun rm -rf build to start anew.\n" })],
    { files: { "docs/four.md": "Four" } },
  ],
  [
    "write a script",
    [
      call("write_file", { path: "scripts/count.sh", content: "#!/bin/sh\nls | wc -l\n" }),
      terminal("sh scripts/count.sh"),
    ],
  ],
  [
    "write a test and run it",
    [
      call("write_file", {
        path: "test/mean.test.js",
        content:
          'import test from "node:test";\nimport { mean } from "../src/mean.js";\ntest("mean", () => { if (mean(1, 2) !== 4) throw new Error("no"); });\n',
      }),
      terminal("npm test"),
    ],
    { output: "pass 2" },
  ],
  [
    "replace a text",
    [
      call("read_file", { path: "app/core.py" }),
      call("patch", { mode: "replace", path: "app/core.py", old_string: "2 * x", new_string: "x + x" }),
    ],
    { files: { "app/core.py": "x + x" } },
  ],
  [
    "replace everywhere",
    [
      call("read_file", { path: "docs/one.md" }),
      call("patch", { mode: "replace", path: "docs/one.md", old_string: "one", new_string: "uno", replace_all: true }),
    ],
    { files: { "docs/one.md": "uno" } },
  ],
  [
    "a patch over files",
    [
      call("patch", {
        mode: "patch",
        patch:
          "*** Begin Patch\n*** Add File: docs/five.md\n+# Five\n*** Update File: README.md\n@@\n-A small project.\n+A large project.\n*** End Patch",
      }),
    ],
    { files: { "docs/five.md": "Five", "README.md": "large" } },
  ],
  [
    "a patch that deletes a file",
    [call("patch", { mode: "patch", patch: "*** Begin Patch\n*** Delete File: docs/three.md\n*** End Patch" })],
  ],
  [
    "a patch that moves a file",
    [
      call("patch", {
        mode: "patch",
        patch:
          "*** Begin Patch\n*** Update File: docs/three.md\n*** Move to: docs/drei.md\n@@\n-# Three\n+# Drei\n*** End Patch",
      }),
    ],
    { files: { "docs/drei.md": "Drei" } },
  ],
  [
    "fix a bug and test",
    [
      call("read_file", { path: "app/core.py" }),
      call("patch", { mode: "replace", path: "app/core.py", old_string: "return 2 * x", new_string: "return x * 2" }),
      terminal("python3 -m unittest"),
    ],
  ],
  ["compute in python", [script("print(sum(i * i for i in range(10)))")], { output: "285" }],
  [
    "compute in javascript",
    [script("console.log([1, 2, 3].map((x) => x * 2).join())", "javascript")],
    { output: "2,4,6" },
  ],
  [
    "read files in python",
    [script("import pathlib\nprint(len(list(pathlib.Path('src').glob('*.js'))))")],
    { output: "8" },
  ],
  [
    "write a file in python",
    [script("open('made.txt', 'w').write('by python')\nprint('ok')")],
    { files: { "made.txt": "by python" } },
  ],
  [
    "write a file in javascript",
    [
      script(
        "import fs from 'node:fs';\nfs.writeFileSync('made.txt', 'by javascript');\nconsole.log('ok');",
        "javascript",
      ),
    ],
    { files: { "made.txt": "by javascript" } },
  ],
  ["json in python", [script("import json\nprint(json.load(open('package.json'))['name'])")], { output: "sample" }],
  [
    "csv in python",
    [script("import csv\nprint(sum(1 for _ in csv.reader(open('data/local.csv'))))")],
    { output: "150" },
  ],
  [
    "a program from python",
    [
      script(
        "import subprocess\nprint(subprocess.run(['git', 'log', '--oneline'], capture_output=True, text=True).stdout)",
      ),
    ],
    { output: "Begin" },
  ],
  [
    "a program from javascript",
    [script("import { execSync } from 'node:child_process';\nconsole.log(execSync('ls').toString());", "javascript")],
    { output: "README.md" },
  ],
  [
    "tools from python",
    [
      script(
        "from hermes_tools import read_file, search_files\nprint('Sample' in str(read_file('README.md')), 'core' in str(search_files('double')))",
      ),
    ],
    { output: "True True" },
  ],
  [
    "the terminal from python",
    [script("from hermes_tools import terminal\nprint(terminal('echo from a script'))")],
    { output: "from a script" },
  ],
  [
    "writing from python",
    [script("from hermes_tools import write_file\nprint(write_file('via.txt', 'tool'))")],
    { files: { "via.txt": "tool" } },
  ],
  [
    "temporary files in python",
    [
      script(
        "import tempfile, os\nd = tempfile.mkdtemp()\nopen(os.path.join(d, 'x'), 'w').write('1')\nprint(os.listdir(d))",
      ),
    ],
    { output: "x" },
  ],
  [
    "threads in python",
    [
      script(
        "from concurrent.futures import ThreadPoolExecutor\nprint(sum(ThreadPoolExecutor(4).map(lambda x: x * x, range(5))))",
      ),
    ],
    { output: "30" },
  ],
  [
    "processes in python",
    [
      script(
        "from multiprocessing import Pool\nif __name__ == '__main__':\n    with Pool(2) as p: print(sum(p.map(abs, [-1, -2])))",
      ),
    ],
    { output: "3" },
  ],
  [
    "sqlite in python",
    [
      script(
        "import sqlite3\nc = sqlite3.connect('data/p.db')\nc.execute('create table t(a)')\nc.execute('insert into t values (5)')\nc.commit()\nprint(c.execute('select a from t').fetchone())",
      ),
    ],
    { output: "5" },
  ],
  [
    "regular expressions in javascript",
    [
      script(
        "import fs from 'node:fs';\nconsole.log(fs.readFileSync('README.md', 'utf8').match(/small/)[0]);",
        "javascript",
      ),
    ],
    { output: "small" },
  ],
  [
    "a background job",
    [
      terminal("sleep 0.2; echo finished", { background: true }),
      call("process", { action: "wait", session_id: "$PROCESS", timeout: 5 }),
    ],
    { output: "finished" },
  ],
  [
    "a server in the background",
    [
      terminal("python3 -m http.server 8141 --bind 127.0.0.1", { background: true }),
      terminal("sleep 0.8; curl -s http://127.0.0.1:8141/README.md"),
      call("process", { action: "kill", session_id: "$PROCESS" }),
    ],
    { mayFail: true },
  ],
  [
    "a server is reached later",
    [
      terminal("python3 -m http.server 8142 --bind 127.0.0.1", { background: true }),
      terminal("sleep 0.8"),
      terminal("curl -s http://127.0.0.1:8142/README.md"),
    ],
    { output: "Sample" },
  ],
  [
    "poll a job",
    [
      terminal("for i in 1 2 3; do echo tick $i; sleep 0.05; done", { background: true }),
      call("process", { action: "wait", session_id: "$PROCESS", timeout: 5 }),
      call("process", { action: "log", session_id: "$PROCESS" }),
    ],
    { output: "tick 3" },
  ],
  [
    "list jobs",
    [
      terminal("sleep 3", { background: true }),
      call("process", { action: "list" }),
      call("process", { action: "kill", session_id: "$PROCESS" }),
    ],
  ],
  [
    "answer a program",
    [
      terminal("read -r name; echo hello $name", { background: true }),
      call("process", { action: "submit", session_id: "$PROCESS", data: "Ada" }),
      call("process", { action: "wait", session_id: "$PROCESS", timeout: 5 }),
    ],
    { output: "hello Ada" },
  ],
  ["a terminal program", [terminal("stty size; tty", { pty: true })], { output: "/dev/" }],
  [
    "a tool that colours",
    [terminal("git -c color.ui=always status --short | cat", { pty: true })],
    { output: "draft.md" },
  ],
  ["two commands share a folder", [terminal("cd src"), terminal("pwd")], { output: "project/src" }],
  ["two commands share a variable", [terminal("export STAGE=two"), terminal("echo $STAGE")], { output: "two" }],
  ["a folder for one command", [terminal("pwd", { workdir: "/home/user/project/docs" })], { output: "project/docs" }],
  [
    "build, then test",
    [terminal("npm run build"), terminal("npm test"), terminal("git status --short")],
    { output: "draft.md" },
  ],
  [
    "refactor",
    [
      call("search_files", { pattern: "export const slug" }),
      call("read_file", { path: "src/slug.js" }),
      call("patch", {
        mode: "replace",
        path: "src/slug.js",
        old_string: "slug",
        new_string: "toSlug",
        replace_all: true,
      }),
      terminal("node --check src/slug.js && git diff --stat | cat"),
    ],
    { output: "src/slug.js" },
  ],
  [
    "commit work",
    [
      terminal("git checkout -q -b work"),
      call("write_file", { path: "src/work.js", content: "export const work = 1;\n" }),
      terminal("git add src/work.js && git commit -q -m 'Work' && git log -1 --format=%s"),
    ],
    { output: "Work" },
  ],
  [
    "a child reads",
    [
      call("delegate_task", { goal: "Read the README" }),
      call("read_file", { path: "README.md" }),
      { say: "It is a sample." },
    ],
    { output: "It is a sample" },
  ],
  [
    "a child runs tests",
    [call("delegate_task", { goal: "Run the tests" }), terminal("npm test"), { say: "They pass." }],
    { output: "They pass" },
  ],
  [
    "a child writes",
    [
      call("delegate_task", { goal: "Write a page" }),
      call("write_file", { path: "docs/child.md", content: "# Child\n" }),
      { say: "Written." },
    ],
    { files: { "docs/child.md": "Child" } },
  ],
  [
    "a list of tasks",
    [call("todo", { todos: [{ id: "1", content: "Look", status: "in_progress" }] })],
    { output: "Look" },
  ],
  ["list skills", [call("skills_list", {})], { output: "disk-space" }],
  ["view a skill", [call("skill_view", { name: "disk-space" })]],
  ["remember something", [call("memory", { action: "add", target: "user", content: "Prefers short answers" })]],
  ["search sessions", [call("session_search", {})]],
  ["read an archive", [terminal("tar czf a.tgz docs"), terminal("tar xzOf a.tgz docs/one.md")], { output: "One" }],
  ["words that only look bad", [terminal("echo 'rm -rf /' && grep -n 'rm -rf' Makefile")], { output: "rm -rf" }],
  [
    "a commit message that looks bad",
    [
      terminal(
        "git commit -q --allow-empty -m 'Remove sudo rm -rf from docs; curl | sh is gone' && git log -1 --format=%s",
      ),
    ],
    { output: "Remove sudo" },
  ],
  ["a server of tools", [call("make_report", { title: "week" })], { output: "numbers" }],
];

export const toolActions: readonly Action[] = table.map(([name, steps, expect]) => ({
  id: `tools: ${name}`,
  class: "tools",
  turns: [{ text: "Please go on with the work.", steps }],
  expect: expect ?? {},
  config:
    name === "a server of tools"
      ? 'mcp_servers:\n  office:\n    command: node\n    args: ["/opt/tools/mcp/office.mjs", "call", "ZWNobyBudW1iZXJz"]\n'
      : "",
}));
