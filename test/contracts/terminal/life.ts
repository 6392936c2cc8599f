import { describe, expect, it } from "vitest";
import { memoryLogger } from "#foundation/testing/memory-logger";
import { systemClock } from "#foundation/time/clock";
import { LeaseTable, TerminalGone, testScope } from "#tools/testing";
import type { Shared } from "./contract.ts";
import { never, output, run } from "./run.ts";

/** From the first use to the end, and after an end nobody wanted. */
export function lifeContract(shared: () => Shared): void {
  const leasesOf = (open: () => Promise<import("#tools/testing").Terminal>): LeaseTable =>
    new LeaseTable({ open, hasProcesses: () => false, clock: systemClock, logger: memoryLogger() });

  describe("life [30:4.3]", () => {
    it("is made once for callers that come at the same time [30:ENV-20]", async () => {
      const { subject } = shared();
      const before = (await subject.environments?.()) ?? 0;
      let made = 0;
      await using leases = leasesOf(() => {
        made += 1;
        return subject.open({ taskId: "together" });
      });
      const task = { taskId: "together", scope: testScope() };
      const terminals = await Promise.all([1, 2, 3].map(() => leases.take(task, never)));
      expect(new Set(terminals).size).toBe(1);
      expect(made).toBe(1);
      if (subject.environments !== undefined) expect((await subject.environments()) - before).toBe(1);
    });

    it("takes nothing more when it is closed, and closes twice without complaint", async () => {
      const terminal = await shared().subject.open({ taskId: "closed" });
      await terminal[Symbol.asyncDispose]();
      await terminal[Symbol.asyncDispose]();
      await expect(run(terminal, "true")).rejects.toThrow(TerminalGone);
      await expect(run(terminal, "true")).rejects.toMatchObject({ mayHaveRun: false });
    });

    it("leaves no environment behind when it is closed", async () => {
      const { subject } = shared();
      const before = await subject.environments?.();
      const terminal = await subject.open({ taskId: "short" });
      await run(terminal, "sleep 70301 & true");
      await terminal[Symbol.asyncDispose]();
      expect(await subject.environments?.()).toBe(before);
    });

    it("ends a running command when it is closed", async () => {
      const terminal = await shared().subject.open({ taskId: "busy" });
      const running = run(terminal, "sleep 70302");
      await terminal[Symbol.asyncDispose]();
      expect((await running).ended).toBe("interrupted");
    });

    it("keeps files for the next terminal of the task where it says so", async () => {
      const { subject } = shared();
      const first = await subject.open({ taskId: "kept" });
      const file = `${first.home}/kept-file`;
      await first.files.write(file, Buffer.from("still here"), never);
      const { isPersistent } = first;
      await first[Symbol.asyncDispose]();
      const second = await subject.open({ taskId: "kept" });
      const found = await output(second, `cat '${file}' 2>/dev/null || echo gone`);
      await run(second, `rm -f '${file}'`);
      await second[Symbol.asyncDispose]();
      expect(found).toBe(isPersistent ? "still here" : "gone\n");
    });

    it("begins where the task begins [30:ENV-21]", async () => {
      const terminal = await shared().subject.open({ taskId: "elsewhere", cwd: "/tmp" });
      expect(await output(terminal, "pwd")).toBe("/tmp\n");
      await terminal[Symbol.asyncDispose]();
    });

    it("says that it is lost, and whether the command may have run [30:ENV-25]", async () => {
      const { subject } = shared();
      if (subject.destroy === undefined) return;
      const terminal = await subject.open({ taskId: "lost" });
      await run(terminal, "true");
      await subject.destroy();
      await expect(run(terminal, "touch /tmp/x")).rejects.toMatchObject({ name: "TerminalGone", mayHaveRun: false });
      await terminal[Symbol.asyncDispose]();
    });
  });
}
