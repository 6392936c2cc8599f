import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { terminalContract } from "./contract.ts";
import { findPodman, PodmanEngine, podmanSubject } from "./peers/podman.ts";
import { output } from "./run.ts";
import type { TerminalSubject } from "./subject.ts";

terminalContract(findPodman());

const missing = PodmanEngine.missing();

describe.skipIf(missing !== undefined)("the container of a docker terminal", () => {
  let engine: PodmanEngine;
  let subject: TerminalSubject;
  beforeAll(async () => {
    engine = await PodmanEngine.start();
    subject = await podmanSubject(engine);
  }, 120_000);
  afterAll(() => engine?.[Symbol.asyncDispose](), 60_000);

  const secret = "hunter2-value";

  it("drops capabilities, limits processes and memory, and shows no value on a command line [30:4.10]", async () => {
    await using terminal = await subject.open({
      settings: { docker_forward_env: ["OPENAI_API_KEY"], docker_env: { FIXED: new Secret(secret) } },
      env: { OPENAI_API_KEY: secret, NOT_NAMED: "x" },
    });
    const [name = ""] = await engine.containers();
    const facts = await engine.podman("inspect", name);
    const [container] = JSON.parse(facts) as [{ HostConfig: Record<string, unknown>; EffectiveCaps: string[] }];
    expect(container.EffectiveCaps.map((cap) => cap.replace("CAP_", "")).sort()).toEqual(
      ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"].sort(),
    );
    expect(container.HostConfig).toMatchObject({ PidsLimit: 256, Memory: 512 * 1_048_576, NetworkMode: "none" });
    expect(JSON.stringify(container.HostConfig["SecurityOpt"])).toContain("no-new-privileges");
    expect(await output(terminal, 'echo "$OPENAI_API_KEY $FIXED [$NOT_NAMED]"')).toBe(`${secret} ${secret} []\n`);
    expect(await output(terminal, `cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c ${secret.slice(0, 7)}[-]`)).toBe(
      "0\n",
    );
    const created = (JSON.parse(facts) as [{ Config: { CreateCommand: string[] } }])[0].Config.CreateCommand;
    expect(created.join(" ")).not.toContain(secret);
  });

  it("mounts the folder of the session only when it is asked to", async () => {
    const here = await mkdtemp(path.join(tmpdir(), "hermes-mounted-"));
    try {
      await writeFile(path.join(here, "mine"), "host file");
      await using plain = await subject.open({ taskId: "plain", hostCwd: here });
      expect(await output(plain, "pwd; ls /workspace")).toBe("/root\n");
      const settings = { docker_mount_cwd_to_workspace: true };
      await using mounted = await subject.open({ taskId: "mounted", hostCwd: here, settings });
      expect(await output(mounted, "pwd; cat mine; echo made >new")).toBe("/workspace\nhost file");
      expect(await readFile(path.join(here, "new"), "utf8")).toBe("made\n");
    } finally {
      await rm(here, { recursive: true, force: true });
    }
  });

  it("shows skills, caches and named credential files inside, to be read only [30:4.5]", async () => {
    const home = path.join(engine.folder, "sandboxes", "hermes");
    await mkdir(path.join(home, "skills", "own"), { recursive: true });
    await writeFile(path.join(home, "skills", "own", "SKILL.md"), "a skill");
    await writeFile(path.join(home, "token.json"), "a token");
    await symlink("/etc/passwd", path.join(home, "skills", "leak"));
    const settings = { credential_files: ["token.json", "../outside", "/etc/shadow"] };
    await using terminal = await subject.open({ taskId: "follows", settings });
    expect(await output(terminal, "cd /root/.hermes; cat token.json skills/own/SKILL.md; ls skills")).toBe(
      "a tokena skillown\n",
    );
    expect(await output(terminal, "echo x >skills/own/SKILL.md || echo kept", { cwd: "/root/.hermes" })).toContain(
      "kept",
    );
    await rm(home, { recursive: true });
  });

  it("keeps nothing when nothing is to be kept, and can have a file system that is read-only", async () => {
    const settings = { container_persistent: false, docker_read_only: true };
    await using terminal = await subject.open({ taskId: "brief", settings });
    expect(terminal.isPersistent).toBe(false);
    expect(await output(terminal, "echo x >/etc/x || echo read-only; echo y >/root/y && echo home")).toContain(
      "read-only\nhome\n",
    );
  });

  it("removes containers whose owner is dead, and no others [30:W-16]", async () => {
    const dead = `${createHash("sha256").update(hostname()).digest("hex").slice(0, 8)}.999999999.0.00000000`;
    const start = (name: string, owner: string) =>
      engine.podman(
        "run",
        "-d",
        "--network",
        "none",
        "--name",
        name,
        "--label",
        `hermes.owner=${owner}`,
        engine.image,
        "sleep",
        "1000",
      );
    await start("orphan", dead);
    await start("elsewhere", `00000000.999999999.0.00000000`);
    await using _terminal = await subject.open({ taskId: "tidy" });
    const names = await engine.containers();
    expect(names).not.toContain("orphan");
    expect(names).toContain("elsewhere");
    await engine.podman("rm", "-f", "-t", "0", "elsewhere");
  });

  it("ignores a folder of this machine as the place to begin, and says which image is missing", async () => {
    await using terminal = await subject.open({ taskId: "place", settings: { cwd: "/home/somebody/project" } });
    expect(terminal.cwd).toBe("/root");
    await expect(subject.open({ settings: { docker_image: "localhost/none:9" } })).rejects.toThrow(/localhost\/none:9/);
    expect((await engine.containers()).filter((name) => name.startsWith("hermes-"))).toHaveLength(1);
  });

  it("says what to do when no container program answers", async () => {
    await expect(subject.open({ env: { HERMES_DOCKER_BINARY: "/nonexistent/docker" } })).rejects.toMatchObject({
      message: expect.stringContaining("No container program answers"),
    });
  });
});
