import { createHash } from "node:crypto";
import type { SendContext } from "../../platform/platform.ts";
import { Latest } from "../support/latest.ts";
import type { DingtalkApi } from "./api.ts";

const rememberedCards = 500;

interface Card {
  readonly chatId: string;
  content: string;
  isOpen: boolean;
}

/** Answers that grow. A card stays busy on people's screens until its last change says that it is the last. */
export class DingtalkCards {
  readonly #api: DingtalkApi;
  readonly #template: string;
  readonly #cards = new Latest<Card>(rememberedCards);
  readonly #openOf = new Latest<ReadonlySet<string>>(rememberedCards);

  constructor(api: DingtalkApi, template: string) {
    this.#api = api;
    this.#template = template;
  }

  /** A new card. The same key is the same card, so that a second try makes no second one. */
  async create(chatId: string, content: string, context: SendContext): Promise<string> {
    const { rest, robotCode } = this.#api;
    const { signal } = context;
    const id = `hermes_${createHash("sha256").update(context.key).digest("hex").slice(0, 12)}`;
    await rest("/v1.0/card/instances", {
      body: {
        cardTemplateId: this.#template,
        outTrackId: id,
        cardData: { cardParamMap: { content: "" } },
        callbackType: "STREAM",
        imGroupOpenSpaceModel: { supportForward: true },
        imRobotOpenSpaceModel: { supportForward: true },
      },
      signal,
    });
    const isGroup = chatId.startsWith("cid");
    await rest("/v1.0/card/instances/deliver", {
      body: {
        outTrackId: id,
        userIdType: 1,
        openSpaceId: `dtv1.card//${isGroup ? "IM_GROUP" : "IM_ROBOT"}.${chatId}`,
        ...(isGroup
          ? { imGroupOpenDeliverModel: { robotCode } }
          : { imRobotOpenDeliverModel: { spaceType: "IM_ROBOT" } }),
      },
      signal,
    });
    this.#cards.set(id, { chatId, content: "", isOpen: true });
    this.#openOf.set(chatId, new Set([...(this.#openOf.get(chatId) ?? []), id]));
    await this.change(id, content, { isFinal: context.isGrowing !== true, signal });
    return id;
  }

  /** Before the last change of a card, the others of its chat that are still open are ended as they stand. */
  async change(
    id: string,
    content: string,
    { isFinal, signal }: { readonly isFinal: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const card = this.#cards.get(id);
    if (card !== undefined && !card.isOpen) return;
    if (isFinal && card !== undefined)
      for (const sibling of this.#openOf.get(card.chatId) ?? [])
        if (sibling !== id) await this.#write(sibling, this.#cards.get(sibling)?.content ?? "", true, signal);
    await this.#write(id, content, isFinal, signal);
  }

  async #write(...[id, content, isFinalize, signal]: readonly [string, string, boolean, AbortSignal]): Promise<void> {
    const guid = createHash("sha256").update(`${id}:${content}:${isFinalize}`).digest("hex").slice(0, 32);
    const body = { outTrackId: id, guid, key: "content", content, isFull: true, isFinalize, isError: false };
    await this.#api.rest("/v1.0/card/streaming", { method: "PUT", body, signal });
    const card = this.#cards.get(id);
    if (card === undefined) return;
    card.content = content;
    if (!isFinalize) return;
    card.isOpen = false;
    const others = [...(this.#openOf.get(card.chatId) ?? [])].filter((one) => one !== id);
    this.#openOf.set(card.chatId, new Set(others));
  }
}
