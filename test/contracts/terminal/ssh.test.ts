import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { terminalContract } from "./contract.ts";
import { findSshd, SshServer, sshSubject } from "./peers/sshd.ts";
import { never, output, run } from "./run.ts";
import type { TerminalSubject } from "./subject.ts";

terminalContract(findSshd());

describe.skipIf(SshServer.missing() !== undefined)("the connection of an ssh terminal", () => {
  let server: SshServer;
  let subject: TerminalSubject;
  beforeAll(async () => {
    server = await SshServer.start();
    subject = await sshSubject(server);
  }, 60_000);
  afterAll(() => server?.[Symbol.asyncDispose](), 30_000);

  it("is made again once when it was lost before a command began, with folder and variables [30:4.6]", async () => {
    await using terminal = await subject.open();
    await run(terminal, "cd /tmp; export STAYS=yes");
    await server.stop();
    await server.listen();
    expect(await output(terminal, 'pwd; echo "$STAYS"')).toBe("/tmp\nyes\n");
  });

  it("says that a command may have run when it is lost in its middle", async () => {
    await using terminal = await subject.open();
    const lost = expect(run(terminal, "echo begun; sleep 70401", { onOutput: () => void server.stop() })).rejects;
    await lost.toMatchObject({ name: "TerminalGone", mayHaveRun: true });
    await server.listen();
  });

  it("leaves no socket, no folder and no process when it is closed", async () => {
    const sockets = `/tmp/hermes-ssh-${userInfo().uid}`;
    const before = await readdir(sockets);
    const terminal = await subject.open();
    await run(terminal, "setsid sleep 70402 >/dev/null 2>&1 & true");
    await terminal[Symbol.asyncDispose]();
    expect(await readdir(sockets)).toEqual(before);
    await using after = await subject.open();
    expect(await output(after, "ls -d /tmp/hermes-remote-* | wc -l")).toMatch(/^\s*1\n$/);
    expect(await output(after, "pgrep -fc '^sleep 70402' || true")).toBe("0\n");
  });

  it("refuses an unknown host when it is to be strict, and options that run programs", async () => {
    const strict = { ssh_strict_host_key: true, ssh_options: ["UserKnownHostsFile=/dev/null"] };
    await expect(subject.open({ settings: strict })).rejects.toThrow(/cannot be reached over ssh/);
    await expect(subject.open({ settings: { ssh_options: ["ProxyCommand=touch /tmp/x"] } })).rejects.toThrow(
      /ProxyCommand/,
    );
    await expect(subject.open({ settings: { ssh_host: "-oProxyCommand=x" } })).rejects.toThrow(/no name/);
    await expect(subject.open({ settings: { ssh_host: "" } })).rejects.toThrow(/needs a host/);
  });

  it("sends skills and named credential files after the session, and takes them away again [30:4.6]", async () => {
    const home = path.join(server.folder, "hermes");
    await mkdir(path.join(home, "skills", "own"), { recursive: true });
    await writeFile(path.join(home, "skills", "own", "SKILL.md"), "a skill");
    await writeFile(path.join(home, "token.json"), "a token");
    await using terminal = await subject.open({ settings: { credential_files: ["token.json"] } });
    expect(await output(terminal, "cat ~/.hermes/token.json ~/.hermes/skills/own/SKILL.md")).toBe("a tokena skill");
    expect(await output(terminal, "stat -c %a ~/.hermes/token.json")).toMatch(/^6[04][04]\n$/);
    await rm(home, { recursive: true });
  });

  it("brings back what was changed there, never credentials, and nothing over a change made here [30:4.6]", async () => {
    const home = path.join(server.folder, "hermes");
    const skill = (name: string): string => path.join(home, "skills", "own", name);
    await mkdir(path.dirname(skill("any")), { recursive: true });
    for (const name of ["changed.md", "both.md", "same.md"]) await writeFile(skill(name), `${name} as sent`);
    await writeFile(path.join(home, "token.json"), "a token");
    await writeFile(path.join(home, "config.yaml"), "mine");
    const terminal = await subject.open({ settings: { credential_files: ["token.json"] } });
    await run(
      terminal,
      `cd ~/.hermes; for f in changed both; do echo there >skills/own/$f.md; done; echo new >skills/own/new.md; echo stolen >token.json;
       echo bad >config.yaml; mkdir -p skills/own/sub; ln -s /etc/passwd skills/own/link.md; ln -s /etc skills/own/out; cd`,
    );
    await writeFile(skill("both.md"), "here");
    await terminal[Symbol.asyncDispose]();
    expect(await readFile(skill("changed.md"), "utf8")).toBe("there\n");
    expect(await readFile(skill("new.md"), "utf8")).toBe("new\n");
    expect(await readFile(skill("both.md"), "utf8")).toBe("here");
    expect(await readFile(skill("both.md.remote"), "utf8")).toBe("there\n");
    expect(await readFile(skill("same.md"), "utf8")).toBe("same.md as sent");
    expect(await readFile(path.join(home, "token.json"), "utf8")).toBe("a token");
    expect(await readFile(path.join(home, "config.yaml"), "utf8")).toBe("mine");
    expect((await readdir(path.dirname(skill("any")))).sort()).toEqual(
      ["both.md", "both.md.remote", "changed.md", "new.md", "same.md"].sort(),
    );
    expect((await readdir(path.join(server.home, ".hermes"))).filter((name) => name.startsWith(".since"))).toEqual([]);
    await rm(home, { recursive: true });
  });

  it("hands variables on by name, and keeps credentials of the machine there from commands", async () => {
    const settings = { env_passthrough: ["NAMED"] };
    await using terminal = await subject.open({ settings, env: { NAMED: "value", UNNAMED: "other" } });
    expect(await output(terminal, 'echo "$NAMED [$UNNAMED] [$SSH_TOKEN_OF_HOST]"')).toBe("value [] []\n");
    expect((await terminal.files.stat(server.key, { followLinks: true, signal: never }))?.kind).toBe("file");
  });
});
