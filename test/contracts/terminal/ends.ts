import { describe, expect, it } from "vitest";
import type { Shared } from "./contract.ts";
import { run, sleepers, until } from "./run.ts";

/** Time-outs and interrupts: nothing is left running inside. */
export function endContract(shared: () => Shared): void {
  describe("ends", () => {
    it("stops after its time, keeps what was printed, leaves nothing [30:ENV-14]", async () => {
      const { terminal } = shared();
      const ran = await run(terminal, "echo before; sleep 70101; echo after", { timeoutMs: 3_000 });
      expect(ran).toMatchObject({ output: "before\n", exitCode: 124, ended: "timed-out" });
      expect(await sleepers(terminal, 70101)).toBe(0);
    });

    it("stops when interrupted, and the terminal goes on", async () => {
      const { terminal } = shared();
      const stop = new AbortController();
      const ran = run(terminal, "echo begun; sleep 70102", {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      });
      expect(await ran).toMatchObject({ output: "begun\n", exitCode: 130, ended: "interrupted" });
      expect(await sleepers(terminal, 70102)).toBe(0);
      expect((await run(terminal, "echo alive")).output).toBe("alive\n");
    });

    it("ends children and their children, elsewhere also whoever left the group", async () => {
      const { terminal, lacks } = shared();
      const leaver = lacks.has("leavers") ? "" : "setsid sleep 70103 &";
      const command = `sleep 70103 & (sleep 70103 & sleep 70103) & ${leaver} wait`;
      await run(terminal, command, { timeoutMs: 800 });
      await until(async () => (await sleepers(terminal, 70103)) === 0);
    });

    it("forces what does not want to end", async () => {
      const { terminal } = shared();
      const ran = await run(terminal, "trap '' TERM; echo deaf; while :; do sleep 70104; done", { timeoutMs: 3_000 });
      expect(ran).toMatchObject({ output: "deaf\n", exitCode: 124 });
      expect(await sleepers(terminal, 70104)).toBe(0);
    });

    it("does not begin what was stopped before", async () => {
      const { terminal } = shared();
      const ran = await run(terminal, "touch /tmp/begun-anyway", { signal: AbortSignal.abort() });
      expect(ran).toMatchObject({ exitCode: 130, ended: "interrupted", output: "" });
      expect((await run(terminal, "[ -e /tmp/begun-anyway ]")).exitCode).toBe(1);
    });

    it("does not wait for a process that was left behind [30:4.10]", async () => {
      const { terminal } = shared();
      const ran = await run(terminal, "sleep 70105 & disown; echo ok", { timeoutMs: 20_000 });
      expect(ran).toMatchObject({ output: "ok\n", exitCode: 0 });
      expect(ran.durationMs).toBeLessThan(10_000);
      await run(terminal, "pkill -f '^sleep 70105'; true");
    });

    it("keeps the folder of a command that was stopped", async () => {
      const { terminal } = shared();
      const start = terminal.cwd;
      await run(terminal, "sleep 70106", { cwd: "/tmp", timeoutMs: 500 });
      expect(terminal.cwd).toBe(start);
    });
  });
}
