import { truncateEnd } from "#foundation/text/text";

/** Where the full text of a long result goes; the file lives in the terminal of the task. */
export interface ResultFiles {
  /** The path written, or undefined when it could not be written. */
  keep(callId: string, text: string): Promise<string | undefined>;
}

export interface OutputLimits {
  /** Longest result of one call, in characters. */
  readonly perResult: number;
  /** Longest sum over all results of one reply. */
  readonly perReply: number;
  /** What is shown of a result that moved to a file. */
  readonly preview: number;
}

export const defaultOutputLimits: OutputLimits = { perResult: 100_000, perReply: 200_000, preview: 1_500 };

export interface Bounded {
  readonly callId: string;
  readonly text: string;
  /** This call's own limit; `Infinity` keeps it whole whatever the sum. */
  readonly limit: number;
}

/**
 * Bounds the results of one reply. A result over its own limit, and then the longest ones while the
 * sum is too large, are kept in a file and replaced by a preview that says where the rest is.
 */
export async function boundResults(
  results: readonly Bounded[],
  files: ResultFiles,
  limits: OutputLimits = defaultOutputLimits,
): Promise<readonly string[]> {
  const texts = results.map((result) => result.text);
  const moved = new Set<number>();
  const move = async (index: number): Promise<void> => {
    const result = results[index];
    if (result === undefined) return;
    moved.add(index);
    texts[index] = await persisted(result, files, limits.preview);
  };
  for (const [index, result] of results.entries()) if (result.text.length > result.limit) await move(index);
  const bySize = [...results.keys()].sort((a, b) => (texts[b]?.length ?? 0) - (texts[a]?.length ?? 0));
  for (const index of bySize) {
    if (texts.reduce((sum, text) => sum + text.length, 0) <= limits.perReply) break;
    const result = results[index];
    if (result === undefined || moved.has(index) || result.limit === Number.POSITIVE_INFINITY) continue;
    if (result.text.length > limits.preview * 2) await move(index);
  }
  return texts;
}

async function persisted(result: Bounded, files: ResultFiles, shown: number): Promise<string> {
  const path = await files.keep(result.callId.replace(/[^A-Za-z0-9_-]/g, "_"), result.text);
  const size = `${result.text.length} characters (${readableSize(Buffer.byteLength(result.text))})`;
  if (path === undefined) {
    return `${preview(result.text, shown)}\n[Cut: the result had ${size} and could not be kept in a file.]`;
  }
  return [
    "<persisted-output>",
    `The result has ${size}. All of it is in ${path}; page through it with read_file.`,
    "",
    preview(result.text, shown),
    "</persisted-output>",
  ].join("\n");
}

function preview(text: string, shown: number): string {
  if (text.length <= shown) return text;
  const head = truncateEnd(text, shown, "");
  const newline = head.lastIndexOf("\n");
  return `${newline > shown / 2 ? head.slice(0, newline) : head}\n...`;
}

function readableSize(bytes: number): string {
  return bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)} MB` : `${(bytes / 1024).toFixed(1)} KB`;
}
