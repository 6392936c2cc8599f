import { runProcess } from "#foundation/process/run";

const timeoutMs = 30_000;

/** Voice messages of chats are Ogg Opus; ffmpeg makes them where it is installed. */
export function opusWith(command: string, env: Record<string, string>) {
  return async (source: string, target: string, signal: AbortSignal): Promise<boolean> => {
    const args = ["-y", "-loglevel", "error", "-i", source, "-ac", "1", "-c:a", "libopus", "-b:a", "64k", target];
    try {
      const done = await runProcess(command, args, { env, signal, timeoutMs, maxOutputBytes: 10_000 });
      return done.exitCode === 0;
    } catch (error) {
      if (signal.aborted) throw error;
      return false;
    }
  };
}
