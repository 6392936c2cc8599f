import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { Scope } from "#foundation/lifecycle/disposal";
import { findExecutable } from "#foundation/process/platform";
import { runProcess, spawnProcess } from "#foundation/process/run";
import type { Destination, HostRules } from "./host-rules.ts";
import { type HostAnswer, HostDecisions, SessionNetwork } from "./session-network.ts";

const bwrap = findExecutable("bwrap", process.env);
const nsenter = findExecutable("nsenter", process.env);
const curl = findExecutable("curl", process.env);
const missing = [
  bwrap === undefined ? "bwrap" : "",
  nsenter === undefined ? "nsenter" : "",
  curl === undefined ? "curl" : "",
]
  .filter((name) => name !== "")
  .join(", ");

describe.skipIf(missing !== "")(
  `the network of confined commands${missing === "" ? "" : ` (skipped: no ${missing})`}`,
  () => {
    let scope: Scope;
    let folder: string;
    let port: number;
    let asked: Destination[];
    let remembered: Destination[];

    beforeEach(async () => {
      scope = new Scope();
      asked = [];
      remembered = [];
      folder = await mkdtemp(path.join(tmpdir(), "hermes-net-"));
      scope.defer(() => rm(folder, { recursive: true, force: true }));
      const server = http.createServer((request, response) => {
        let size = 0;
        request.on("data", (chunk: Buffer) => {
          size += chunk.length;
        });
        request.on("end", () => response.end(`${request.method} ${request.url} ${request.headers.host} ${size}`));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      scope.defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
      port = (server.address() as AddressInfo).port;
    });

    afterEach(() => scope[Symbol.asyncDispose]());

    async function open(
      rules: Partial<HostRules>,
      answer: HostAnswer = "nobody",
      ports: readonly number[] = [],
    ): Promise<SessionNetwork> {
      const network = await SessionNetwork.open(
        {
          hosts: new HostDecisions({
            rules: { mode: "ask", allow: [], deny: [], ...rules },
            ask: (to) => {
              asked.push(to);
              return Promise.resolve(answer);
            },
            isRegistry: () => Promise.resolve(false),
            remember: (to) => Promise.resolve(void remembered.push(to)),
            hasSeenSecrets: () => false,
          }),
          folder,
          bwrap: bwrap ?? "",
          nsenter: nsenter ?? "",
          env: process.env,
          ports,
        },
        never,
      );
      return scope.adopt(network);
    }

    async function run(network: SessionNetwork, command: string): Promise<string> {
      const inside = [
        "--unshare-user",
        "--disable-userns",
        "--unshare-pid",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
      ];
      const call = network.enter({
        program: bwrap ?? "",
        args: [
          ...inside,
          "--ro-bind",
          network.resolverFile,
          "/etc/resolv.conf",
          "--dev",
          "/dev",
          "--proc",
          "/proc",
          "--",
          "/bin/bash",
          "-c",
          command,
        ],
      });
      const env = { PATH: process.env["PATH"] ?? "", ...network.environment };
      const done = await runProcess(call.program, call.args, { cwd: "/", env, signal: never, timeoutMs: 20_000 });
      return `${done.stdout}${done.stderr}`;
    }

    it("reaches an allowed host through the proxy, with http and through a tunnel", async () => {
      const network = await open({ allow: [`127.0.0.1:${port}`] });
      const plain = await run(network, `curl -s --noproxy '' -d hello http://127.0.0.1:${port}/x`);
      expect(plain).toBe(`POST /x 127.0.0.1:${port} 5`);
      const tunnel = await run(network, `curl -s --noproxy '' --proxytunnel http://127.0.0.1:${port}/y`);
      expect(tunnel).toBe(`GET /y 127.0.0.1:${port} 0`);
    });

    it("has no other way out: directly there is nothing, not even a name", async () => {
      const network = await open({ mode: "open" });
      const direct = await run(network, `curl -s --max-time 3 --noproxy '*' http://127.0.0.1:${port}/ || echo none`);
      expect(direct).toBe("none\n");
      expect(await run(network, "cat /proc/net/route | wc -l")).toBe("1\n");
      expect(
        await run(network, "(exec 3<>/dev/udp/127.0.0.53/53; echo x >&3; timeout 1 cat <&3) || echo none"),
      ).toContain("none");
    });

    it("programs that know nothing of proxies reach hosts by name, and only those that are allowed", async () => {
      const network = await open({ allow: [`localhost:${port}`] }, "nobody", [port]);
      const direct = "curl -s --max-time 5 --noproxy '*'";
      expect(await run(network, `${direct} http://localhost:${port}/z`)).toBe(`GET /z localhost:${port} 0`);
      const refused = await run(network, `${direct} -w '%{remote_ip}' http://one.example/ || echo " none"`);
      expect(refused).toMatch(/^127\.77\.\d+\.\d+ none\n$/);
      expect(asked).toEqual([{ host: "one.example", port: 80 }]);
      expect(await network.forwardServers()).toEqual([]);
    });

    it("asks about an unknown host once for many connections, and says what was refused", async () => {
      const network = await open({}, "deny");
      const output = await run(
        network,
        "for i in 1 2 3; do curl -s -o /dev/null -w '%{http_code} ' http://example.org/ & done; wait; curl -s http://example.org/",
      );
      expect(output).toContain("403 403 403");
      expect(output).toContain("the user did not allow a connection to example.org:80");
      expect(new Set(asked.map(({ host }) => host))).toEqual(new Set(["example.org"]));
      expect(network.takeRefusals()).toEqual(["the user did not allow a connection to example.org:80"]);
      expect(network.takeRefusals()).toEqual([]);
    });

    it("refuses private addresses without asking, also when a tunnel is asked for", async () => {
      const network = await open({ mode: "open" }, "always");
      expect(await run(network, "curl -s http://169.254.169.254/latest")).toContain("private network");
      expect(await run(network, `curl -s -o /dev/null -w '%{http_connect}' https://10.1.2.3/`)).toBe("403");
      expect(asked).toEqual([]);
    });

    it("keeps a server that one command started for the next one, and forwards it to this machine", async () => {
      const network = await open({});
      const serve = `${process.execPath} -e 'require("http").createServer((q,s)=>s.end("inside")).listen(0,"127.0.0.1",function(){console.log(this.address().port)})'`;
      const call = network.enter({
        program: bwrap ?? "",
        args: [
          "--unshare-user",
          "--die-with-parent",
          "--ro-bind",
          "/",
          "/",
          "--dev",
          "/dev",
          "--",
          "/bin/bash",
          "-c",
          serve,
        ],
      });
      const child = await spawnProcess(call.program, call.args, {
        cwd: "/",
        env: { PATH: process.env["PATH"] ?? "" },
        signal: never,
      });
      scope.defer(() => child.kill());
      const inner = await new Promise<number>((resolve) =>
        child.stdout.once("data", (text: Buffer) => resolve(Number(text))),
      );
      expect(await run(network, `curl -s http://127.0.0.1:${inner}/`)).toBe("inside");
      const [forwarded] = await network.forwardServers();
      expect(forwarded?.port).toBe(inner);
      const answer = await fetch(`http://127.0.0.1:${forwarded?.localPort}/`);
      expect(await answer.text()).toBe("inside");
      expect(await network.forwardServers()).toEqual([]);
    });

    it("leaves no process and no socket behind", async () => {
      const network = await open({});
      expect(await run(network, "echo up")).toBe("up\n");
      await network[Symbol.asyncDispose]();
      const left = await runProcess("pgrep", ["-f", path.join(folder, "in")], {
        cwd: "/",
        env: process.env,
        signal: never,
        timeoutMs: 5_000,
      });
      expect(left.stdout).toBe("");
    });
  },
);
