import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer, type Server } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "#foundation/files/logger";
import { runProcess } from "#foundation/process/run";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { functionsFor } from "../code/functions.ts";
import { runScript } from "../code/run-script.ts";
import { defaultScriptOptions } from "../code/script-options.ts";
import { ScriptStart } from "../code/script-start.ts";
import type { Terminal } from "../contract/terminal.ts";
import { KnownRegistries } from "../network/registries.ts";
import { openLocalTerminal } from "../terminals/local/local-terminal.ts";
import { processStartedAtMs } from "../terminals/process-start-time.ts";
import { testScope } from "../testing.ts";
import { findEnforcer } from "./enforcer.ts";
import { Wall } from "./wall.ts";

/** Every probe tries to get out; a success prints SECRET or ESCAPED, or changes something outside. */
const signal = new AbortController().signal;
const reason = missingReason();
if (reason !== undefined) process.stderr.write(`sandbox probes are skipped: ${reason}\n`);

function missingReason(): string | undefined {
  if (process.platform !== "linux") return "they need Linux";
  try {
    execFileSync("bwrap", ["--unshare-user", "--disable-userns", "--unshare-pid", "--ro-bind", "/", "/", "true"], {
      stdio: "pipe",
    });
    return undefined;
  } catch (error) {
    return `bubblewrap does not work here (${error instanceof Error ? error.message.split("\n")[0] : "unknown"})`;
  }
}

let root: string;
let confined: Terminal;
let offline: Terminal;
let open: Terminal;
let outsider: ChildProcess;
let server: Server;
let port = 0;
let connections = 0;
const walls: Wall[] = [];

describe.skipIf(reason !== undefined)("[30:4.4] a command in the sandbox", () => {
  beforeAll(async () => {
    root = await realpath(await mkdtemp(path.join(os.tmpdir(), "hermes-probes-")));
    for (const folder of [
      "home/.ssh",
      "home/.aws",
      "home/.config/gh",
      "hermes/mcp-tokens",
      "work",
      "outside",
      "tmp/ssh-agent1",
    ]) {
      await mkdir(path.join(root, folder), { recursive: true });
    }
    const secrets = [
      "home/.ssh/id_rsa",
      "home/.aws/credentials",
      "home/.config/gh/hosts.yml",
      "home/.netrc",
      "hermes/.env",
      "hermes/auth.json",
      "hermes/mcp-tokens/a.json",
      "hermes/state.db",
      "tmp/ssh-agent1/agent.1",
      "extra.key",
    ];
    for (const file of secrets) await writeFile(path.join(root, file), "SECRET\n");
    await writeFile(path.join(root, "outside/file"), "untouched\n");
    await writeFile(path.join(root, "home/plain.txt"), "readable\n");
    await symlink(path.join(root, "home/.ssh"), path.join(root, "work/link"));
    await symlink(path.join(root, "outside"), path.join(root, "work/out"));
    outsider = spawn("sleep", ["600"], {
      detached: true,
      stdio: "ignore",
      env: { ...process.env, TOKEN: "SECRET" },
      cwd: path.join(root, "home/.ssh"),
    });
    server = createServer((socket) => {
      connections += 1;
      socket.end("SECRET\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
    confined = await terminal("on");
    offline = await terminal("none");
    open = await terminal("open");
  });

  afterAll(async () => {
    await Promise.all([confined, offline, open].map((one) => one?.[Symbol.asyncDispose]()));
    await Promise.all(walls.map((wall) => wall[Symbol.asyncDispose]()));
    outsider?.kill("SIGKILL");
    server?.close();
    await rm(root, { recursive: true, force: true });
  });

  async function terminal(network: "on" | "none" | "open"): Promise<Terminal> {
    const env = {
      PATH: process.env["PATH"],
      HOME: path.join(root, "home"),
      TMPDIR: path.join(root, "tmp"),
      LANG: "C.UTF-8",
      SSH_AUTH_SOCK: path.join(root, "tmp/ssh-agent1/agent.1"),
    };
    const wall = network === "open" ? undefined : await wallFor({ cwd: path.join(root, "work"), network, env });
    return openLocalTerminal(
      {
        taskId: network,
        cwd: path.join(root, "work"),
        env: { ...env, P: String(outsider.pid), ME: String(process.pid), PORT: String(port), ROOT: root },
        environment: { policy: "inherit", passthrough: ["P", "ME", "PORT", "ROOT", "SSH_AUTH_SOCK"] },
        logger: memoryLogger(),
        wall,
      },
      signal,
    );
  }

  /** As the program makes it, with secrets and a home of the test. */
  async function wallFor({
    cwd,
    network = "on",
    env,
  }: {
    readonly cwd: string;
    readonly network?: "on" | "none" | "asked";
    readonly env: NodeJS.ProcessEnv;
  }): Promise<Wall> {
    const options = {
      enforcer: await findEnforcer({ mode: "on", env }, signal),
      env,
      home: path.join(root, "home"),
      hermesHome: path.join(root, "hermes"),
      hermesReadable: [],
      hermesWritable: [],
      tempDir: path.join(root, "tmp"),
      cacheFolder: path.join(root, "hermes/cache/programs"),
      writable: [],
      masked: [path.join(root, "extra.key")],
      environment: [],
      network: { mode: ({ none: "off", on: "open", asked: "ask" } as const)[network], allow: [], deny: [] },
      registries: new KnownRegistries(env),
      remember: () => Promise.resolve(),
      logger: silentLogger,
    } as const;
    const wall = await Wall.open(options, testScope({ cwd }), signal);
    walls.push(wall);
    return wall;
  }

  const run = async (where: Terminal, command: string) => where.exec(command, { timeoutMs: 10_000, signal });

  const reads: readonly (readonly [string, string])[] = [
    ["a key by its path", "cat $HOME/.ssh/id_rsa"],
    ["a key by the tilde", "cat ~/.ssh/id_rsa"],
    ["cloud credentials", "cat ~/.aws/credentials"],
    ["a nested credential folder", "cat ~/.config/gh/hosts.yml"],
    ["a credential file", "cat ~/.netrc"],
    ["our own .env", "cat $ROOT/hermes/.env"],
    ["our own tokens", "cat $ROOT/hermes/auth.json"],
    ["tokens of servers", "cat $ROOT/hermes/mcp-tokens/a.json"],
    ["our database", "cat $ROOT/hermes/state.db"],
    ["a file the user hid", "cat $ROOT/extra.key"],
    ["a key through a link in the workspace", "cat link/id_rsa"],
    ["a key through a new link", "ln -s ~/.ssh/id_rsa new && cat new"],
    ["a key through dots", "cat ~/x/../.ssh/id_rsa ~/./.ssh//id_rsa"],
    ["a key through /proc/self/root", "cat /proc/self/root$HOME/.ssh/id_rsa"],
    ["a key through /proc/self/cwd", "cat /proc/self/cwd/../home/.ssh/id_rsa"],
    ["a key through a thread", "cat /proc/thread-self/root$HOME/.ssh/id_rsa"],
    ["a key through the directory of an outside process", "cat /proc/$P/cwd/id_rsa"],
    ["a key through the root of our own program", "cat /proc/$ME/root$HOME/.ssh/id_rsa"],
    ["the environment of an outside process", "tr '\\0' '\\n' </proc/$P/environ"],
    ["all environments there are", "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep ^TOKEN"],
    ["a folder by archive", "tar cf - -C ~ .ssh | strings"],
    ["a folder by search", "grep -rs SECRET ~ $ROOT/hermes"],
    ["the socket folder of an agent", "cat $ROOT/tmp/ssh-agent1/agent.1"],
    ["a key by an open descriptor", "exec 9<~/.ssh/id_rsa; cat <&9"],
    ["a key by copying", "cp ~/.ssh/id_rsa k; cat k"],
  ];

  it.each(reads)("cannot read %s", async (_, command) => {
    expect((await run(confined, command)).output).not.toContain("SECRET");
    await run(open, "rm -f new k");
  });

  it("the same reads succeed without it, so the probes can fail", async () => {
    for (const [name, command] of reads) {
      expect.soft((await run(open, command)).output, name).toContain("SECRET");
      await run(open, "rm -f new k; exec 9<&-");
    }
  });

  it.each([
    // Whether this works outside depends on the rights of the first process there, so it has no counterpart above.
    ["a key through the root of the first process", "cat /proc/1/root$HOME/.ssh/id_rsa"],
    ["a hard link to a key", "ln ~/.netrc hard && [ -s hard ] && echo ESCAPED"],
    ["a file outside", "echo x > $ROOT/outside/new && echo ESCAPED"],
    ["a file outside, appended", "echo x >> $ROOT/outside/file && echo ESCAPED"],
    ["a file outside through a link", "echo x > out/file && echo ESCAPED"],
    ["a file outside through /proc", "echo x > /proc/self/root$ROOT/outside/file && echo ESCAPED"],
    ["the removal of a file outside", "rm -f $ROOT/outside/file && echo ESCAPED"],
    ["a move out of the workspace", "touch m && mv m $ROOT/outside/m && echo ESCAPED"],
    ["the home folder", "echo x > ~/.bashrc && echo ESCAPED"],
    ["a masked folder", "echo x > ~/.ssh/authorized_keys && echo ESCAPED"],
    ["our settings", "echo x > $ROOT/hermes/config.yaml && echo ESCAPED"],
    ["system files", "echo x > /etc/hermes-probe && echo ESCAPED"],
    ["a program on the path", "echo x > /usr/bin/hermes-probe && echo ESCAPED"],
    ["a remount", "mount -o remount,rw / && echo ESCAPED"],
    ["a new mount", "mount -t tmpfs none /mnt && echo ESCAPED"],
    ["an unmount of a mask", "umount ~/.ssh && echo ESCAPED"],
    ["a lazy unmount", "umount -l ~/.ssh && echo ESCAPED"],
    ["a user namespace of its own", "unshare -Ur true && echo ESCAPED"],
    ["a mount namespace of its own", "unshare -m true && echo ESCAPED"],
    ["a nested sandbox", "bwrap --bind / / true && echo ESCAPED"],
    ["entering another namespace", "nsenter -t 1 -m cat $ROOT/hermes/.env; nsenter -t $P -m true && echo ESCAPED"],
    ["a change of root", "chroot / true && echo ESCAPED"],
    ["a device node", "mknod dev b 8 0 && echo ESCAPED"],
    ["raw disks", "ls /dev | grep -E '^(sd|vd|nvme|mem|kmem)' && echo ESCAPED"],
    ["the signal of an outside process", "kill -9 $P && echo ESCAPED"],
    ["our own end", "kill -9 $ME && echo ESCAPED"],
    ["the tracing of an outside process", "head -c1 /proc/$P/mem && echo ESCAPED; ls /proc/$P && echo ESCAPED"],
    ["kernel settings", "echo 1 > /proc/sys/kernel/sysrq && echo ESCAPED"],
    ["the host name", "hostname hermes-probe && echo ESCAPED"],
    ["sockets of the system", '[ -n "$(find /run -type s 2>/dev/null)" ] && echo ESCAPED'],
    ["the agent of the user", '[ -n "$SSH_AUTH_SOCK" ] && echo ESCAPED'],
    ["more rights by a set-user program", "su -c 'echo ESCAPED' nobody </dev/null"],
    ["capabilities", "grep -q '^CapEff:.*[1-9a-f]' /proc/self/status && echo ESCAPED"],
  ])("cannot have %s", async (_, command) => {
    const { output } = await run(confined, command);
    expect(output).not.toMatch(/ESCAPED|SECRET/);
    expect(await readFile(path.join(root, "outside/file"), "utf8")).toBe("untouched\n");
    expect(await readdir(path.join(root, "outside"))).toEqual(["file"]);
    expect(await processStartedAtMs(outsider.pid ?? 0, signal)).toBeDefined();
    expect(existsSync("/etc/hermes-probe")).toBe(false);
  });

  it("cannot reach the network when that is denied, and can when it is not", async () => {
    const connect = "exec 8<>/dev/tcp/127.0.0.1/$PORT && cat <&8";
    expect((await run(offline, connect)).output).not.toContain("SECRET");
    expect((await run(offline, "ls /sys/class/net; cat /proc/net/dev | grep -c eth")).output).toContain("0");
    expect(connections).toBe(0);
    expect((await run(confined, connect)).output).toContain("SECRET");
  });

  it("where nobody looks afterwards, the settings of git are not written; where somebody does, they are", async () => {
    const folder = path.join(root, "work/project");
    await mkdir(folder);
    execFileSync("git", ["init", "-q", folder]);
    const env = { PATH: process.env["PATH"], HOME: path.join(root, "home") };
    const wall = await wallFor({ cwd: folder, env });
    const set = (isBackground: boolean) => {
      const call = { program: "git", args: ["config", "core.hooksPath", "scripts"] };
      const { program, args } = wall.confine(call, { cwd: folder, isBackground, writable: [] });
      return runProcess(program, args, { cwd: folder, env, signal });
    };
    const config = (): Promise<string> => readFile(path.join(folder, ".git/config"), "utf8");
    const before = await config();
    expect((await set(true)).exitCode).not.toBe(0);
    expect(await config()).toBe(before);
    wall.begin();
    expect((await set(false)).exitCode).toBe(0);
    expect(await config()).not.toBe(before);
    expect(await wall.settle()).toEqual([expect.stringContaining(".git/config was put back")]);
    expect(await config()).toBe(before);
  });

  it("no repository of the project starts a program after a command: a new one, a nested one, a module, one elsewhere", async () => {
    const folder = path.join(root, "work/repositories");
    await mkdir(path.join(folder, "old"), { recursive: true });
    const git = (cwd: string, ...args: string[]) =>
      execFileSync("git", ["-c", "core.hooksPath=/dev/null", ...args], {
        cwd: path.join(folder, cwd),
        encoding: "utf8",
      });
    git("old", "init", "-q");
    const wall = await wallFor({ cwd: folder, env: { PATH: process.env["PATH"], HOME: path.join(root, "home") } });
    const outside = path.join(root, "home/.gitconfig");
    await writeFile(outside, "[alias]\n\tst = status\n");
    wall.begin();
    git(".", "init", "-q");
    git(".", "config", "core.fsmonitor", "evil");
    git(".", "config", "remote.origin.url", "https://forge.example/mine.git");
    await writeFile(path.join(folder, ".git/hooks/post-checkout"), "evil", { mode: 0o755 });
    git("old", "config", "core.hooksPath", "scripts");
    git(".", "init", "-q", ".git/modules/group/sub");
    await rename(path.join(folder, ".git/modules/group/sub/.git"), path.join(folder, ".git/modules/group/module"));
    await appendFile(path.join(folder, ".git/modules/group/module/config"), "[core]\n\tsshCommand = evil\n");
    await mkdir(path.join(folder, "docs"));
    await writeFile(path.join(folder, "docs/.git"), "gitdir: /tmp/elsewhere\n");
    await symlink("/tmp/elsewhere", path.join(folder, "old/.git/info/link"));
    expect([...(await wall.settle())].sort()).toEqual([
      expect.stringContaining(".git was put back"),
      expect.stringContaining(".git/config was put back: it would have started programs by itself (core.fsmonitor)"),
      expect.stringContaining(".git/modules/group/module/config was put back"),
      expect.stringContaining("docs/.git was put back"),
      expect.stringContaining("old/.git/config was put back"),
    ]);
    expect(git(".", "config", "remote.origin.url").trim()).toBe("https://forge.example/mine.git");
    expect(git(".", "config", "--local", "--list") + git("old", "config", "--local", "--list")).not.toMatch(
      /evil|scripts/,
    );
    expect(existsSync(path.join(folder, ".git/hooks/post-checkout"))).toBe(false);
    expect(existsSync(path.join(folder, "docs/.git"))).toBe(false);
    // Putting back goes through no link.
    wall.begin();
    await rm(path.join(folder, "old/.git/config"));
    await symlink(outside, path.join(folder, "old/.git/config"));
    await rm(path.join(folder, "old/.git/hooks"), { recursive: true });
    await symlink(path.join(root, "home"), path.join(folder, "old/.git/hooks"));
    expect(await wall.settle()).toHaveLength(2);
    expect(await readFile(outside, "utf8")).toBe("[alias]\n\tst = status\n");
    expect(git("old", "config", "--local", "--list")).toContain("core.bare=false");
    // What a script did counts as its doing, also for a command that it runs.
    wall.begin();
    git("old", "config", "core.hooksPath", "scripts");
    wall.begin("true");
    expect(await wall.settle()).toHaveLength(1);
    git("old", "config", "core.hooksPath", "scripts");
    expect(await wall.settle()).toHaveLength(1);
    wall.begin();
    git(".", "branch", "-m", "other");
    git(".", "init", "-q", "fresh");
    expect(await wall.settle()).toEqual([]);
  });

  it("a script does not lead a remote elsewhere; a command that says so does, and so does a new remote", async () => {
    const folder = path.join(root, "work/remotes");
    await mkdir(folder);
    execFileSync("git", ["init", "-q", folder]);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim();
    git("remote", "add", "origin", "https://forge.example/mine.git");
    const env = { PATH: process.env["PATH"], HOME: path.join(root, "home") };
    const wall = await wallFor({ cwd: folder, env });
    const change = async (address: string, command: string | undefined) => {
      wall.begin(command);
      git("remote", "set-url", "origin", address);
      return await wall.settle();
    };
    const gone = "https://drop.example/x.git";
    for (const command of [undefined, "make", `echo "git remote set-url origin ${gone}"; make`]) {
      expect(await change(gone, command)).toEqual([
        expect.stringContaining("led a remote elsewhere (remote.origin.url)"),
      ]);
      expect(git("remote", "get-url", "origin")).toBe("https://forge.example/mine.git");
    }
    wall.begin("make");
    git("remote", "add", "other", gone);
    expect(await wall.settle()).toEqual([]);
    const moved = "git@forge.example:mine.git";
    expect(await change(moved, `cd . && git remote set-url origin ${moved}`)).toEqual([]);
    expect(git("remote", "get-url", "origin")).toBe(moved);
  });

  it.each([true, false])(
    "hooks are not got at by moving the repository around them (background: %s)",
    async (isBackground) => {
      const folder = path.join(root, `work/moved-${isBackground}`);
      await mkdir(folder);
      execFileSync("git", ["init", "-q", folder]);
      const env = { PATH: process.env["PATH"], HOME: path.join(root, "home") };
      const wall = await wallFor({ cwd: folder, env });
      const inside = (script: string) => {
        const { program, args } = wall.confine(
          { program: "sh", args: ["-c", script] },
          { cwd: folder, isBackground, writable: [] },
        );
        return runProcess(program, args, { cwd: folder, env, signal });
      };
      await inside("mv .git moved; cp -r moved .git; echo ESCAPED > .git/hooks/pre-commit");
      await inside("rm -rf .git/objects .git; mkdir -p .git/hooks; echo ESCAPED > .git/hooks/pre-commit");
      expect(existsSync(path.join(folder, ".git/hooks/pre-commit"))).toBe(false);
      expect((await inside("echo x > .git/description && cat .git/description")).stdout).toBe("x\n");
    },
  );

  it("does ordinary work: files, pipes, links, programs, git, state between commands", async () => {
    const work = "mkdir -p a/b && echo hi > a/b/c && cat a/b/c | tr h H && ln -s a l && ls l/b && cat ~/plain.txt";
    expect((await run(confined, work)).output).toBe("Hi\nc\nreadable\n");
    expect(
      (await run(confined, "git init -q repo && cd repo && export A=1 && git status --short | wc -l")).output.trim(),
    ).toBe("0");
    expect(
      await run(confined, "pwd; echo $A; echo x > $TMPDIR/t && cat $TMPDIR/t; echo y >/dev/null; exit 7"),
    ).toMatchObject({
      output: `${root}/work/repo\n1\nx\n`,
      exitCode: 7,
    });
    expect((await run(confined, "python3 -c 'print(6*7)'; seq 3 | sort -r | head -1")).output).toBe("42\n3\n");
  });

  describe("in a linked worktree", () => {
    const inFolder = async (cwd: string): Promise<Terminal> => {
      const env = { PATH: process.env["PATH"], HOME: path.join(root, "home"), TMPDIR: path.join(root, "tmp") };
      const wall = await wallFor({ cwd, env });
      const environment = { policy: "inherit", passthrough: ["ROOT"] } as const;
      const options = { taskId: cwd, cwd, env: { ...env, ROOT: root }, environment, logger: memoryLogger(), wall };
      return openLocalTerminal(options, signal);
    };
    const git = (cwd: string, ...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });

    beforeAll(async () => {
      await mkdir(path.join(root, "repo"));
      git(path.join(root, "repo"), "init", "-q");
      git(path.join(root, "repo"), "commit", "-q", "--allow-empty", "-m", "first");
      git(path.join(root, "repo"), "worktree", "add", "-q", path.join(root, "tree"));
    });

    it("commits, and changes neither where the repository is nor what git runs", async () => {
      await using tree = await inFolder(path.join(root, "tree"));
      const commit = "touch new && git add new && git -c user.name=a -c user.email=a@b commit -qm second && git log";
      expect(await run(tree, commit)).toMatchObject({ exitCode: 0, output: expect.stringContaining("second") });
      expect(git(path.join(root, "repo"), "log", "--format=%s", "tree")).toBe("second\nfirst\n");
      const common = "$ROOT/repo/.git";
      for (const attempt of [
        `echo >> ${common}/config`,
        `touch ${common}/hooks/post-commit`,
        `touch ${common}/info/attributes`,
        `echo ref: x > ${common}/HEAD`,
        `mkdir ${common}/worktrees/other`,
        `mv ${common}/worktrees/tree ${common}/worktrees/moved`,
        `echo $PWD > ${common}/worktrees/tree/commondir`,
        `rm -f ${common}/worktrees/tree/gitdir`,
        "echo gitdir: $PWD/made > .git",
        "mv .git away",
        "rm -f .git",
      ])
        expect(await run(tree, `${attempt} 2>&1 && echo ESCAPED`), attempt).toMatchObject({
          output: expect.not.stringContaining("ESCAPED"),
        });
    });

    it.each([
      ["at the entry of another worktree", "gitdir: ROOT/repo/.git/worktrees/tree"],
      ["at a made one that names the repository", "gitdir: ROOT/forged/made"],
      ["at one called like an entry", "gitdir: ROOT/forged/worktrees/made"],
    ])("is not believed a pointer %s", async (_name, pointer) => {
      const forged = path.join(root, "forged");
      for (const made of ["made", "worktrees/made"]) {
        await mkdir(path.join(forged, made), { recursive: true });
        await writeFile(path.join(forged, made, "gitdir"), path.join(forged, ".git"));
        await writeFile(path.join(forged, made, "commondir"), path.join(root, "repo/.git"));
      }
      await writeFile(path.join(forged, ".git"), pointer.replace("ROOT", root));
      await using terminal = await inFolder(forged);
      const { output } = await run(terminal, "touch $ROOT/repo/.git/refs/x $ROOT/repo/.git/objects/x 2>&1");
      expect(output).toContain("Read-only file system");
      expect(existsSync(path.join(root, "repo/.git/refs/x"))).toBe(false);
    });
  });

  it("runs background processes, which can be talked to and ended with all their children", async () => {
    const child = await confined.spawn("read line; echo got $line; sleep 600 & sleep 600", { pty: false, signal });
    let text = "";
    const answered = new Promise<void>((resolve) =>
      child.onData((more) => {
        text += more;
        if (text.includes("got")) resolve();
      }),
    );
    await child.write("it\n");
    await answered;
    await child.kill(500);
    await child.exit;
    expect(text).toBe("got it\n");
    expect(await processStartedAtMs(child.pid ?? 0, signal)).toBeUndefined();
  });

  it("neither changes nor sees our settings, nor what starts by itself, when a home lies in the workspace", async () => {
    await mkdir(path.join(root, "home/docs"));
    const env = { PATH: process.env["PATH"], HOME: path.join(root, "home"), TMPDIR: path.join(root, "tmp") };
    const wall = await wallFor({ cwd: root, env });
    await using wide = await openLocalTerminal(
      {
        taskId: "wide",
        cwd: root,
        env,
        environment: { policy: "inherit" },
        logger: memoryLogger(),
        wall,
      },
      signal,
    );
    const command =
      "echo x > hermes/config.yaml; cat hermes/.env home/.ssh/id_rsa; echo z > home/docs/scratch && cat home/docs/scratch; echo x > home/.profile; echo x >> home/.netrc";
    const { output, notes } = await run(wide, command);
    expect(output).toContain("z\n");
    expect(output).not.toMatch(/SECRET|ESCAPED/);
    expect(existsSync(path.join(root, "hermes/config.yaml"))).toBe(false);
    expect(existsSync(path.join(root, "home/.profile"))).toBe(false);
    expect(await readFile(path.join(root, "home/.netrc"), "utf8")).toBe("SECRET\n");
    expect(notes?.join("")).toContain(".profile");
  });

  it("runs scripts with their tools, and hides from them what it hides from commands", async () => {
    const env = { PATH: process.env["PATH"], HOME: path.join(root, "home"), TMPDIR: path.join(root, "tmp") };
    const wall = await wallFor({ cwd: path.join(root, "work"), env });
    const code = `import os
from hermes_tools import read_file
print(read_file("x")["ok"], os.getcwd() == "${root}/work", os.path.exists("${root}/home/.ssh/id_rsa"))
try:
    open("${root}/outside/new", "w")
    print("ESCAPED")
except OSError:
    print("refused")`;
    await using start = new ScriptStart({});
    const ran = await runScript({
      code,
      language: "python",
      functions: functionsFor(new Set(["read_file"])),
      cwd: path.join(root, "work"),
      tempDir: env.TMPDIR,
      options: defaultScriptOptions,
      env,
      passthrough: [],
      extraEnv: {},
      call: () => Promise.resolve('{"ok": 1}'),
      redact: (text) => text,
      start,
      wall,
      signal,
    });
    expect(ran.result).toMatchObject({ status: "success", output: "1 True False\nrefused\n", tool_calls_made: 1 });
  });

  it("sees and reaches nothing that is kept for another session, its way to the network included", async () => {
    const env = { PATH: process.env["PATH"], HOME: path.join(root, "home"), TMPDIR: path.join(root, "tmp") };
    const other = await wallFor({ cwd: path.join(root, "outside"), network: "asked", env });
    expect(other.isInForce).toBe(true);
    const kept = path.join(root, "tmp", `hermes-${process.getuid?.()}`);
    const names = await readdir(kept);
    expect(names.filter((name) => name.startsWith("net-")).length).toBeGreaterThan(0);
    expect(names.filter((name) => name.startsWith("terminal-"))).toHaveLength(3);
    const own = await run(confined, "ls $ROOT/tmp/hermes-*");
    expect(own.output).toMatch(/^terminal-\d+-\w{6}\n$/);
    await run(confined, names.map((name) => `mkdir -p ${kept}/${name} && touch ${kept}/${name}/ESCAPED`).join("; "));
    const files = await readdir(kept, { recursive: true });
    // Its own folder is its own.
    expect(files.filter((name) => name.endsWith("ESCAPED"))).toEqual([`${own.output.trim()}/ESCAPED`]);
  });

  it("says when a directory is gone", async () => {
    const gone = await confined.exec("true", { cwd: "/does/not/exist", timeoutMs: 5_000, signal });
    expect(gone).toMatchObject({ exitCode: 126, ended: "cwd-unreachable" });
  });

  it("ends at the time limit", async () => {
    const result = await confined.exec("sleep 60", { timeoutMs: 300, signal });
    expect(result).toMatchObject({ exitCode: 124, ended: "timed-out" });
  });
});
