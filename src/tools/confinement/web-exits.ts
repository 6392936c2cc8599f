import type { CallObserver } from "../contract/call-state.ts";
import type { ToolContext } from "../contract/context.ts";
import type { SessionScope } from "../contract/session-scope.ts";
import { carriedData } from "../network/carried-data.ts";
import { HeardWords, repeatsWords } from "../network/heard-words.ts";
import { ownNetworkReason } from "../network/host-rules.ts";
import type { Wall } from "./wall.ts";

export type ExitContext = Pick<ToolContext, "scope" | "untrusted" | "userTask" | "heardHere" | "signal">;

/** The way out of one call that visits addresses. */
export interface WebExit {
  /** Why the next address may not be visited, in words for the model; undefined when it may. */
  judge(address: string, request?: ExitRequest): Promise<string | undefined>;
}

/** More about what is on its way to an address. */
export interface ExitRequest {
  /** More than the address leaves: the body of a request. */
  readonly hasBody?: boolean | undefined;
  /** Nobody is asked: part of a page that may stay empty. */
  readonly isQuiet?: boolean | undefined;
}

/** What a way out needs of the wall. */
export type ExitWall = Pick<Wall, "hosts" | "hasSeenPrivate">;

export interface WebExitsOptions {
  readonly walls: {
    of(scope: SessionScope, signal: AbortSignal): Promise<ExitWall>;
    /** Only where there is one already. */
    standing(sessionKey: string): Promise<ExitWall | undefined>;
  };
  /** Replaces secrets that are known by value, whatever form they have. */
  redactKnown(text: string): string;
}

/** How many links of one site are followed without a question while words of strangers are in the context: which ones is a message, too. */
const freeLinks = 8;

/** Addresses and hosts that were not made up in a session: what a search found, what its person wrote, what pages link to on their own site. */
class KnownAddresses {
  readonly #found = new Set<string>();
  readonly #links = new Set<string>();
  readonly #followed = new Map<string, Set<string>>();
  readonly #personWords = new Set<string>();
  /** What tools of this machine told the session. */
  readonly heard = new HeardWords();

  found(address: string): void {
    this.#found.add(plainForm(address));
  }

  linked(address: string): void {
    this.#links.add(plainForm(address));
  }

  wrote(words: string | undefined): void {
    for (const word of words?.toLowerCase().match(/[^\s<>"'`()[\]{}]+/g) ?? []) this.#personWords.add(word);
  }

  /** Exactly this address was found by a search or written by the person. */
  has(url: URL): boolean {
    const wanted = plainForm(url.href);
    if (this.#found.has(wanted)) return true;
    return [...this.#personWords].some((word) => plainForm(word.replace(/[.,;:!?]+$/, "")) === wanted);
  }

  /** The person wrote the name of the host. */
  namesHost(host: string): boolean {
    return [...this.#personWords].some((word) => hostOfWord(word) === host.replace(/^www\./, ""));
  }

  /** A link that a page of the same site showed; only a few of them for each site. */
  follow(url: URL): boolean {
    const address = plainForm(url.href);
    if (!this.#links.has(address)) return false;
    const followed = this.#followed.get(url.hostname) ?? new Set();
    this.#followed.set(url.hostname, followed);
    if (followed.size >= freeLinks) return followed.has(address);
    followed.add(address);
    return true;
  }
}

/**
 * Tools that read the web tell a host which address is wanted, and an address can carry anything. A plain one is free. One that could
 * carry data, or any one after private files were read, or a new host while words of strangers are in the context, goes by the rules
 * for hosts that hold for programs: the same lists, the same answers, and no where nobody can be asked.
 */
export class WebExits {
  readonly #options: WebExitsOptions;
  readonly #bySession = new Map<string, KnownAddresses>();

  constructor(options: WebExitsOptions) {
    this.#options = options;
  }

  /** A search service answered with these. */
  found(sessionKey: string, addresses: readonly string[]): void {
    const known = this.#known(sessionKey);
    for (const address of addresses) known.found(address);
  }

  /** Listens to what calls of a session are told on this machine, also those that scripts make. */
  hearing(sessionKey: string): CallObserver {
    return {
      onEnd: ({ kind, text, untrusted }) => {
        if (kind === "succeeded" && untrusted === undefined) this.#known(sessionKey).heard.note(text);
      },
    };
  }

  /** A page showed these links; those to its own site may be followed. */
  showed(sessionKey: string, page: { readonly url: string; readonly text: string }): void {
    const known = this.#known(sessionKey);
    const site = readUrl(page.url)?.hostname;
    for (const [address] of page.text.matchAll(/https?:\/\/[^\s<>"'`()[\]]+/g))
      if (readUrl(address)?.hostname === site) known.linked(address);
  }

  holdsSecret(text: string): boolean {
    return [text, decoded(text)].some((form) => this.#options.redactKnown(form) !== form);
  }

  /** `page` is shown already: its own site is no new destination. */
  open(tool: string, context: ExitContext, page?: string): WebExit {
    this.#known(context.scope.key).wrote(context.userTask);
    const once = new Set<string>();
    let isPlain = false;
    return {
      judge: async (address, request = {}) => {
        const url = readUrl(address);
        // Whether an address of this machine or network may be visited is not a matter of what leaves it.
        if (url === undefined || ownNetworkReason(bareHost(url)) !== undefined) return undefined;
        const wall = await this.#options.walls.standing(context.scope.key);
        const why = this.#reason(url, { ...context, ...request, wall, isPlain, page });
        if (why === undefined) {
          // Where a plain address leads to was written by its host, which learns nothing by it.
          if (page === undefined) isPlain = true;
          return undefined;
        }
        return this.#ask({ url, tool, why, once, isQuiet: request.isQuiet === true }, context);
      },
    };
  }

  end(sessionKey: string): void {
    this.#bySession.delete(sessionKey);
  }

  async #ask({ url, tool, why, once, isQuiet }: Question, { scope, signal }: ExitContext): Promise<string | undefined> {
    const wall = await this.#options.walls.of(scope, signal);
    const port = url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port);
    const to = { host: bareHost(url), port };
    if (isQuiet) return wall.hosts.isOpen(to, once) ? undefined : `${to.host} is not an allowed host (${why})`;
    const about = { tool, address: this.#options.redactKnown(url.href).slice(0, 300), why };
    const decision = await wall.hosts.settle({ ...to, about }, signal, once);
    return decision.kind === "allow" ? undefined : `${decision.reason} (${why})`;
  }

  #reason(url: URL, at: Pick<ExitContext, "scope" | "untrusted" | "heardHere"> & Situation): string | undefined {
    const known = this.#known(at.scope.key);
    if (this.holdsSecret(url.href)) return "the address holds a known secret";
    if (at.wall?.hasSeenPrivate === true) return "private files were read in this session";
    if (at.isPlain || known.has(url) || isSameSite(url, at.page)) return undefined;
    if (at.hasBody === true) return "it would send data there";
    const carried = carriedData(url);
    if (carried !== undefined) return carried;
    if (known.heard.areIn(url) || repeatsWords(url, at.heardHere?.() ?? []))
      return "the address repeats words of files or output of this machine";
    if (at.untrusted === undefined || known.namesHost(bareHost(url)) || known.follow(url)) return undefined;
    return `this conversation holds text from outside (${at.untrusted}), which may have asked for this address`;
  }

  #known(sessionKey: string): KnownAddresses {
    const known = this.#bySession.get(sessionKey) ?? new KnownAddresses();
    this.#bySession.set(sessionKey, known);
    return known;
  }
}

interface Question {
  readonly url: URL;
  readonly tool: string;
  readonly why: string;
  readonly once: Set<string>;
  readonly isQuiet: boolean;
}

interface Situation extends ExitRequest {
  readonly wall: ExitWall | undefined;
  readonly isPlain: boolean;
  readonly page: string | undefined;
}

/** The same host, or one below the other. */
function isSameSite(url: URL, page: string | undefined): boolean {
  const shown = page === undefined ? undefined : readUrl(page);
  if (shown === undefined) return false;
  const [one, other] = [url, shown].map((each) => bareHost(each).replace(/^www\./, ""));
  return one === other || one?.endsWith(`.${other}`) === true || other?.endsWith(`.${one}`) === true;
}

function readUrl(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : undefined;
}

function bareHost(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[|\]$/g, "");
}

/** Without what two ways to write one address differ in. */
function plainForm(address: string): string {
  return address
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/^www\./, "")
    .replace(/#$/, "")
    .replace(/\/$/, "");
}

function hostOfWord(word: string): string {
  return plainForm(word)
    .replace(/[/?#:].*$/, "")
    .replace(/[.,;!]+$/, "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
