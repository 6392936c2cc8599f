import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { newId } from "#foundation/text/ids";
import { quote } from "../../terminals/shell/shell-script.ts";
import { type Confinement, judgeWrite } from "../confinement.ts";
import type { WallLine } from "./self-test.ts";

/**
 * The same attempts through every door: what is behind the wall tries to read a secret, to write outside, to reach this machine and a host that nobody
 * allowed, and to touch Hermes itself, and says in a file of the workspace what it could do.
 */
export class WallProbe implements AsyncDisposable {
  readonly #confinement: Confinement;
  readonly #id = newId("t");
  readonly #server: net.Server;
  readonly #files = new Set<string>();
  #port = 0;
  #reached = 0;

  private constructor(confinement: Confinement) {
    this.#confinement = confinement;
    this.#server = net.createServer((socket) => {
      this.#reached += 1;
      socket.on("error", () => undefined);
      socket.destroy();
    });
  }

  static async open(confinement: Confinement): Promise<WallProbe> {
    const probe = new WallProbe(confinement);
    await new Promise<void>((resolve) => probe.#server.listen(0, "127.0.0.1", resolve));
    const address = probe.#server.address();
    probe.#port = typeof address === "object" && address !== null ? address.port : 0;
    writeFileSync(probe.secret, "canary", { mode: 0o600 });
    return probe;
  }

  /** A file of the project that holds credentials by its name. */
  get secret(): string {
    return path.join(this.#confinement.workspace, `.env.wall-test-${this.#id}`);
  }

  /** A place that is not to be written; undefined where everything around may be. */
  get outside(): string | undefined {
    const { workspace, home, hermesHome } = this.#confinement;
    return [path.dirname(workspace), home, hermesHome, "/"]
      .map((folder) => path.join(folder, `.wall-test-${this.#id}`))
      .find((file) => judgeWrite(this.#confinement, file).kind !== "allowed");
  }

  /** What is to run behind a door, as text for bash; its words name no file as an argument would. */
  script(door: string): string {
    const attempts = [
      `read -r -n 1 c <${quote(this.secret)} && found="$found read"`,
      ...(this.outside === undefined ? [] : [`echo x >${quote(this.outside)} && found="$found wrote"`]),
      `kill -0 ${process.pid} && found="$found touched"`,
      ...(this.#confinement.network.mode === "open" ? [] : this.#network()),
    ];
    const text = ["found=", ...attempts.map((one) => `{ ${one}; } 2>/dev/null`)].join("\n");
    return `${text}\necho "tried$found" >${quote(this.#result(door))}`;
  }

  /** The same as one command of a shell, in which nothing can be read off. */
  command(door: string): string {
    const encoded = Buffer.from(this.script(door)).toString("base64");
    return `bash -c "$(echo ${encoded} | base64 -d)"`;
  }

  /** One command each for a secret, a place outside and this machine, in the plainest words. */
  plainAttempts(): readonly string[] {
    return [
      `cat ${quote(this.secret)}`,
      ...(this.outside === undefined ? [] : [`touch ${quote(this.outside)}`]),
      `curl -s --max-time 2 http://127.0.0.1:${this.#port}/`,
    ];
  }

  /** What came of {@link plainAttempts} where each of them should have been refused. */
  refusalLine(door: string, answers: readonly string[]): WallLine {
    const reached = this.#reached;
    this.#reached = 0;
    const isWritten = this.outside !== undefined && existsSync(this.outside);
    if (isWritten && this.outside !== undefined) rmSync(this.outside, { force: true });
    const broken = [
      ...(answers.some((answer) => answer.includes("canary")) ? [words.read] : []),
      ...(isWritten ? [words.wrote] : []),
      ...(reached > 0 ? [words.reached] : []),
      ...(answers.every((answer) => answer.includes('"status":"blocked"')) ? [] : ["it ran without a question"]),
    ];
    return {
      name: `${door} is refused where nobody can be asked`,
      state: broken.length === 0 ? "holds" : "broken",
      detail: broken.length === 0 ? `${answers.length} attempts, none was run` : broken.join(", "),
    };
  }

  /** What came of it; `problem` says why it was not tried, where that is known. */
  line(door: string, problem?: string): WallLine {
    const name = `${door} is held`;
    const file = this.#result(door);
    const result = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
    const reached = this.#reached;
    this.#reached = 0;
    if (!result.startsWith("tried")) return { name, state: "not tried", detail: problem ?? "it did not run" };
    const isSignalled = this.#confinement.enforcement === "seatbelt";
    const found = result
      .split(" ")
      .slice(1)
      .filter((one) => !(isSignalled && one === "touched"));
    const isWritten = this.outside !== undefined && existsSync(this.outside);
    if (isWritten && this.outside !== undefined) rmSync(this.outside, { force: true });
    const broken = [...new Set([...found, ...(isWritten ? ["wrote"] : []), ...(reached > 0 ? ["reached"] : [])])];
    if (broken.length > 0)
      return { name, state: "broken", detail: broken.map((one) => (isWord(one) ? words[one] : one)).join(", ") };
    const tried =
      this.#confinement.network.mode === "open" ? "" : ", this machine and a foreign host were out of reach";
    return { name, state: "holds", detail: `a secret was not read, nothing written outside${tried}` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of [this.secret, ...this.#files]) rmSync(file, { force: true });
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #network(): readonly string[] {
    const ask = `port="\${HTTP_PROXY##*:}"; [ -n "$port" ] && exec 4<>"/dev/tcp/127.0.0.1/\${port%/}" &&
printf 'CONNECT wall-test.invalid:443 HTTP/1.1\\r\\n\\r\\n' >&4 && read -r _ status _ <&4 && [ "$status" = 200 ]`;
    return [
      `(exec 3<>/dev/tcp/127.0.0.1/${this.#port}) && found="$found reached"`,
      `(${ask}) && found="$found network"`,
    ];
  }

  #result(door: string): string {
    const file = path.join(this.#confinement.workspace, `.wall-test-${this.#id}-${door.replace(/\W+/g, "-")}`);
    this.#files.add(file);
    return file;
  }
}

const words = {
  read: "it read a secret of the project",
  wrote: "it wrote outside",
  touched: "it could signal Hermes",
  reached: "it reached a server on this machine",
  network: "it reached a host that nobody allowed",
};

const isWord = (text: string): text is keyof typeof words => Object.hasOwn(words, text);
