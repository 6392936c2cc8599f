import { ToolFailure } from "../../contract/result.ts";
import type { TerminalFiles } from "../../contract/terminal.ts";
import type { DaytonaSandbox } from "./daytona-sdk.ts";

/** Smaller files come as fast through a program. */
const smallBytes = 262_144;

/** Files through programs, large ones through the file interface of the service. */
export function daytonaFiles(programs: TerminalFiles, sandbox: () => DaytonaSandbox): TerminalFiles {
  return {
    ...programs,
    async read(path, options) {
      const { maxBytes, signal } = options;
      const facts = await programs.stat(path, { followLinks: true, signal });
      const isLarge = facts?.kind === "file" && facts.size > smallBytes && facts.size <= maxBytes;
      if (!isLarge) return programs.read(path, options);
      const stream = await sandbox().fs.downloadFileStream(path, { signal });
      const whole = Buffer.allocUnsafe(facts.size);
      let length = 0;
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (length + chunk.length > whole.length)
          throw new ToolFailure(`${path} grew while it was read; read it again`);
        length += chunk.copy(whole, length);
      }
      return whole.subarray(0, length);
    },
  };
}
