import { promptTokens, type ReplyOrigin, type RequestMessage, type ToolDefinition, type Usage } from "#conversation";
import { estimateMessage, estimateText } from "#model";

export interface MeteredRequest {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly RequestMessage[];
}

interface Baseline {
  /** What the provider counted for that request. */
  readonly tokens: number;
  readonly messageCount: number;
}

const smallestRatio = 0.5;
const largestRatio = 2;

/**
 * The one measure of how full the context is: what the provider last counted, plus an estimate of
 * what was added since. Preflight, loop, gateway and status line all ask here.
 */
export class ContextMeter {
  /** Messages are immutable, so each is measured once. */
  readonly #sizes = new WeakMap<RequestMessage, number>();
  readonly #toolSizes = new WeakMap<readonly ToolDefinition[], number>();
  #ratio = 1;
  #hasObserved = false;
  #baseline: Baseline | undefined;

  /** Tokens of the request as estimated, without any correction. */
  estimate(request: MeteredRequest): number {
    return estimateText(request.system) + this.#sizeOfTools(request.tools) + this.sizeOf(request.messages);
  }

  /** The estimate of some messages, without correction. */
  sizeOf(messages: readonly RequestMessage[]): number {
    let sum = 0;
    for (const message of messages) sum += this.#sizeOfMessage(message);
    return sum;
  }

  /** Tokens this request would have now. */
  current(request: MeteredRequest): number {
    const baseline = this.#baseline;
    if (baseline === undefined || baseline.messageCount > request.messages.length)
      return Math.ceil(this.#ratio * this.estimate(request));
    const added = this.sizeOf(request.messages.slice(baseline.messageCount));
    return Math.ceil(baseline.tokens + this.#ratio * added);
  }

  /** Whether the value rests on what a provider counted. */
  get source(): "measured" | "estimated" {
    return this.#baseline === undefined ? "estimated" : "measured";
  }

  /** The provider answered this request with these counts. */
  observe(request: MeteredRequest, usage: Usage | undefined): void {
    const counted = usage === undefined ? 0 : promptTokens(usage);
    if (counted <= 0) {
      this.forget();
      return;
    }
    const seen = Math.min(largestRatio, Math.max(smallestRatio, counted / Math.max(1, this.estimate(request))));
    this.#ratio = this.#hasObserved ? (this.#ratio + seen) / 2 : seen;
    this.#hasObserved = true;
    this.#baseline = { tokens: counted, messageCount: request.messages.length };
  }

  /** What this measure rests on now, to be kept with a reply. */
  get state(): Pick<ReplyOrigin, "counted" | "scale"> {
    const { tokens, messageCount: messages } = this.#baseline ?? {};
    const scale = this.#ratio;
    return tokens === undefined || messages === undefined ? { scale } : { counted: { tokens, messages }, scale };
  }

  /** Goes on from where the measure of an earlier process was; what another model counted only gives the scale. */
  restore({ counted, scale }: Pick<ReplyOrigin, "counted" | "scale">, isSameModel: boolean): void {
    this.#ratio = Math.min(largestRatio, Math.max(smallestRatio, scale));
    this.#hasObserved = true;
    if (isSameModel && counted !== undefined)
      this.#baseline = { tokens: counted.tokens, messageCount: counted.messages };
  }

  /** After compression, or a change of model or tools: what was counted says nothing about the next request. */
  forget(): void {
    this.#baseline = undefined;
  }

  #sizeOfMessage(message: RequestMessage): number {
    const known = this.#sizes.get(message);
    if (known !== undefined) return known;
    const size = estimateMessage(message);
    this.#sizes.set(message, size);
    return size;
  }

  #sizeOfTools(tools: readonly ToolDefinition[]): number {
    if (tools.length === 0) return 0;
    const known = this.#toolSizes.get(tools);
    if (known !== undefined) return known;
    const size = estimateText(JSON.stringify(tools));
    this.#toolSizes.set(tools, size);
    return size;
  }
}
