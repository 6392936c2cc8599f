import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Logger } from "#foundation/files/logger";
import { Deferred } from "#foundation/lifecycle/deferred";
import { disposable } from "#foundation/lifecycle/disposal";

/**
 * Ends our children when we die, also by SIGKILL, when nothing of ours can run any more.
 *
 * A tiny shell outside our process group reads from a pipe that only we hold. It is told which process
 * groups live; when the pipe closes without a farewell it ends them: TERM, then KILL. On Linux it also
 * ends whoever carries our mark in the environment, which finds children that left their group.
 * It works wherever there is a POSIX shell, and needs no right that we do not have ourselves.
 */
export class Guardian implements AsyncDisposable {
  /** Set in the environment of children, so that they can be recognised wherever they went. */
  readonly mark: Readonly<Record<string, string>>;
  readonly #id = randomUUID();
  readonly #logger: Logger;
  readonly #groups = new Map<number, number>();
  #watcher: ChildProcess | undefined;
  #isClosed = false;

  constructor(logger: Logger) {
    this.#logger = logger;
    this.mark = { [markName]: this.#id };
  }

  /** Gives a process group into its care; disposing the answer takes it out again. */
  watch(pid: number): Disposable {
    if (process.platform === "win32" || this.#isClosed) return disposable(() => undefined);
    this.#groups.set(pid, (this.#groups.get(pid) ?? 0) + 1);
    this.#tell(`+ ${pid}`);
    return disposable(() => {
      const count = (this.#groups.get(pid) ?? 0) - 1;
      if (count > 0) this.#groups.set(pid, count);
      else {
        this.#groups.delete(pid);
        this.#tell(`- ${pid}`);
      }
    });
  }

  /** Lets the watcher go without ending anybody: who is alive now is meant to be. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const watcher = this.#watcher;
    this.#watcher = undefined;
    if (watcher === undefined || watcher.exitCode !== null || watcher.signalCode !== null) return;
    const gone = new Deferred<void>();
    watcher.once("exit", () => gone.resolve());
    watcher.ref();
    watcher.stdin?.end("q\n");
    await gone.promise;
  }

  #tell(line: string): void {
    if (this.#isClosed) return;
    if (this.#watcher === undefined) {
      // A new watcher is told everything, this line included.
      this.#watcher = this.#start();
      for (const pid of this.#groups.keys()) this.#watcher.stdin?.write(`+ ${pid}\n`);
    } else this.#watcher.stdin?.write(`${line}\n`);
  }

  #start(): ChildProcess {
    const { spawn } = process.getBuiltinModule("node:child_process");
    const watcher = spawn("/bin/sh", ["-c", script, "hermes-guardian", `${markName}=${this.#id}`], {
      detached: true,
      cwd: "/",
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    const lost = (why: unknown): void => {
      if (this.#watcher !== watcher) return;
      this.#watcher = undefined;
      this.#logger.warn("the guardian of child processes ended; the next child starts another", { why: String(why) });
    };
    watcher.on("error", lost);
    watcher.on("exit", lost);
    watcher.stdin?.on("error", lost);
    // It must not keep us alive: its whole purpose is our end.
    watcher.unref();
    if (watcher.stdin !== null && "unref" in watcher.stdin && typeof watcher.stdin.unref === "function")
      watcher.stdin.unref();
    return watcher;
  }
}

const markName = "HERMES_GUARDIAN";

/** POSIX shell (dash refuses `kill -TERM -- -5`, hence `-s`). The numbers are checked before they are used, because "kill -- -1" would end everything we may end. */
const script = `
trap '' HUP INT QUIT TERM PIPE
mark=$1
groups=' '
while IFS=' ' read -r what pid; do
  case $pid in ''|*[!0-9]*|0|1) [ "$what" = q ] && exit 0; continue ;; esac
  case $what in
    +) groups="$groups$pid " ;;
    -) groups=\${groups%%" $pid "*}' '\${groups#*" $pid "} ;;
  esac
done
marked() {
  [ -d /proc/self ] || return 0
  grep -alsF -- "$mark" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do
    case $pid in "$$"|''|*[!0-9]*|1) ;; *) echo "$pid" ;; esac
  done
}
for pid in $groups; do kill -s TERM -- "-$pid" 2>/dev/null; done
for pid in $(marked); do kill -TERM "$pid" 2>/dev/null; done
sleep 1
for pid in $groups; do kill -s KILL -- "-$pid" 2>/dev/null; done
for pid in $(marked); do kill -KILL "$pid" 2>/dev/null; done
exit 0
`;
