import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DaytonaPeer, daytonaKey } from "../contracts/terminal/peers/daytona.ts";
import { ManagedModalPeer, subscriptionToken } from "../contracts/terminal/peers/managed-modal.ts";
import { ModalPeer, modalToken, packagesDir } from "../contracts/terminal/peers/modal.ts";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { sandboxesMissing } from "../fakes/sandboxes/sandbox.ts";
import { modelConfig, Stage } from "./support/stage.ts";

const missing = sandboxesMissing();
if (missing !== undefined) process.stderr.write(`\nThe program at Modal and Daytona is not tried: ${missing}\n`);

interface Service extends AsyncDisposable {
  readonly service: { running(): Promise<number> };
  readonly address: string;
}

const kinds = [
  {
    kind: "modal",
    name: "modal",
    hasPty: true,
    keeps: "all files, as a snapshot at Modal",
    start: (): Promise<Service> => ModalPeer.start(),
    env: (address: string) => ({
      MODAL_SERVER_URL: address,
      MODAL_TOKEN_ID: modalToken.id,
      MODAL_TOKEN_SECRET: modalToken.secret,
    }),
    reached: "there is a key; only a sandbox would try it",
    wrong: undefined,
  },
  {
    kind: "modal",
    name: "managed modal",
    hasPty: false,
    keeps: "all files, as a snapshot at Modal",
    start: (): Promise<Service> => ManagedModalPeer.start(),
    env: (address: string) => ({ MODAL_GATEWAY_URL: address, TOOL_GATEWAY_USER_TOKEN: subscriptionToken }),
    reached: "through the subscription",
    wrong: { TOOL_GATEWAY_USER_TOKEN: "wrong" },
  },
  {
    kind: "daytona",
    name: "daytona",
    hasPty: false,
    keeps: "all files, in a stopped sandbox at Daytona",
    start: (): Promise<Service> => DaytonaPeer.start(),
    env: (address: string) => ({ DAYTONA_API_URL: address, DAYTONA_API_KEY: daytonaKey }),
    reached: "http://127.0.0.1",
    wrong: { DAYTONA_API_KEY: "wrong" },
  },
];

describe.skipIf(missing !== undefined).each(kinds)(
  "the program with a $name terminal",
  ({ kind, hasPty, keeps, start, env, reached, wrong }) => {
    let peer: Service;
    beforeAll(async () => {
      peer = await start();
    }, 120_000);
    afterAll(() => peer?.[Symbol.asyncDispose](), 60_000);

    it("runs every tool there, keeps files for the next session and leaves nothing running [30:ENV-01] [30:ENV-20] [30:4.6]", async () => {
      await using server = await startModelServer({ strict: true });
      const settings = `terminal:\n  backend: ${kind}\n  ${kind}_image: debian:12\n`;
      await using stage = await Stage.open({ config: `${modelConfig(server.chatBaseUrl)}${settings}` });
      await mkdir(packagesDir, { recursive: true });
      await symlink(packagesDir, path.join(stage.home, "packages"));
      const variables = env(peer.address);
      const results = (): readonly string[] =>
        (server.requests.at(-1)?.messages ?? [])
          .filter(({ role }) => role === "tool")
          .map(({ content }) => String(content));

      const code = "from hermes_tools import terminal\nprint(terminal('cat note.txt')['output'])";
      server.script(
        calls("terminal", { command: "cd /root && echo inside >note.txt && id -un && pwd" }),
        calls("write_file", { path: "written.txt", content: "by a tool\n" }),
        calls("read_file", { path: "/root/written.txt" }),
        calls("search_files", { pattern: "inside", path: "/root" }),
        calls("execute_code", { code }),
        calls("terminal", { command: "sleep 1; echo served", background: true, pty: true }),
        calls("process", { action: "list" }),
        says("Done."),
      );
      const first = await stage.run(["chat", "-q", "go", "-Q", "--yolo"], { env: variables });
      expect(first).toMatchObject({ code: 0, stdout: "Done.\n" });
      const [ran, wrote, read, found, script, background, listed] = results();
      expect(ran).toContain("root\\n/root");
      expect(wrote).not.toContain("error");
      expect(read).toContain("by a tool");
      expect(found).toContain("note.txt");
      expect(script).toContain("inside");
      // What it cannot do it says.
      if (hasPty) expect(background).not.toContain("pty_note");
      else expect(background).toContain("pty_note");
      expect(listed).toContain("sleep 1; echo served");
      expect(await peer.service.running()).toBe(0);

      server.script(calls("terminal", { command: "cat /root/note.txt /root/written.txt" }), says("Done."));
      expect(await stage.run(["chat", "--continue", "-q", "again", "-Q"], { env: variables })).toMatchObject({
        code: 0,
      });
      expect(results().at(-1)).toContain("inside\\nby a tool");
      expect(await peer.service.running()).toBe(0);
      expect((await stage.run(["status"], { env: variables })).stdout).toContain(`${kind} debian:12, keeps ${keeps}`);
      const doctor = await stage.run(["doctor"], { env: variables });
      expect(doctor.stdout).toMatch(new RegExp(`${kind}[\\s\\S]*reachable[\\s\\S]*${reached}`));
      if (wrong !== undefined)
        expect((await stage.run(["doctor"], { env: { ...variables, ...wrong } })).stdout).toContain("answers 401");
      // Keys of the service stay with Hermes.
      for (const secret of [modalToken.secret, daytonaKey, subscriptionToken])
        expect(await stage.filesWith(secret)).toEqual([]);
    }, 180_000);
  },
);
