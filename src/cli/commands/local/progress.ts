import { byteSize, shortDuration } from "#foundation/text/figures";
import type { Invocation } from "../../command.ts";

const barWidth = 28;

/** How a download goes on, on standard error: one line that changes at a terminal, else a line for every tenth. */
export function progressLine(
  { io }: Pick<Invocation, "io">,
  label: string,
): { show(receivedBytes: number, totalBytes: number): void; end(): void } {
  const isLive = io.stderr.isTTY === true;
  let shown = -1;
  let first: { readonly atMs: number; readonly bytes: number } | undefined;
  return {
    show(received, total) {
      const nowMs = performance.now();
      first ??= { atMs: nowMs, bytes: received };
      const share = total === 0 ? 1 : received / total;
      const step = Math.floor(share * (isLive ? 200 : 10));
      if (step === shown) return;
      shown = step;
      const rate = (received - first.bytes) / Math.max(1, nowMs - first.atMs);
      const rest = rate > 0 ? `, ${shortDuration((total - received) / rate)} left` : "";
      const percent = `${Math.floor(share * 100)}%`.padStart(5);
      const figures = `${percent}  ${byteSize(received)} of ${byteSize(total)}${received < total ? rest : ""}`;
      if (!isLive) return void io.stderr.write(`${label}: ${figures.trim()}\n`);
      const full = Math.round(share * barWidth);
      io.stderr.write(`\r\u001b[K${label} ${"█".repeat(full)}${"░".repeat(barWidth - full)} ${figures}`);
    },
    end() {
      if (isLive && shown >= 0) io.stderr.write("\n");
    },
  };
}
