import type { TerminalFiles } from "../../contract/terminal.ts";
import { decodeText } from "../text-encoding.ts";
import type { LineMatch } from "./engine.ts";

const maxFileBytes = 64 * 1024 * 1024;

/**
 * The lines that stand in the file of their path. An engine opens files by name, and while it does so a program of the session could put a
 * link in a folder's place; what it found behind that is not in the file that was judged.
 */
export async function standingLines(
  lines: readonly LineMatch[],
  files: Pick<TerminalFiles, "read">,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly LineMatch[]; readonly changed: readonly string[] }> {
  const paths = [...new Set(lines.map((line) => line.path))];
  const readings = await Promise.all(
    paths.map(async (path) => {
      // Gone, moved or closed by now: nothing of it is shown.
      const bytes = await files.read(path, { maxBytes: maxFileBytes, signal }).catch(() => undefined);
      return [path, bytes === undefined ? [] : readingsOf(Buffer.from(bytes))] as const;
    }),
  );
  signal.throwIfAborted();
  const byPath = new Map(readings);
  const isStanding = ({ path, line, text }: LineMatch): boolean =>
    byPath.get(path)?.some((reading) => reading[line - 1] === text) ?? false;
  const standing = lines.filter(isStanding);
  return {
    lines: standing,
    changed: paths.filter((path) => lines.some((one) => one.path === path && !isStanding(one))),
  };
}

/** As an engine may have read it: byte by byte as UTF-8, or by the encoding it declares. */
function readingsOf(bytes: Buffer): readonly (readonly string[])[] {
  const plain = bytes.toString("utf8");
  const decoded = decodeText(bytes).text;
  const texts = plain === decoded ? [plain] : [plain, decoded];
  return texts.map((text) =>
    text
      .replace(/^\uFEFF/, "")
      .split("\n")
      .map((line) => line.replace(/\r$/, "")),
  );
}
