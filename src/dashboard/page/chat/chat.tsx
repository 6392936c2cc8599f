import type { VNode } from "preact";
import { useCallback, useEffect, useReducer, useRef, useState } from "preact/hooks";
import { ImageFiles, useImageFiles } from "../markdown/local-image.tsx";
import type { Api } from "../shell/api.tsx";
import { count, dollars } from "../shell/figures.tsx";
import { linkTo } from "../shell/route.tsx";
import { type Conversation, emptyConversation, type SentImages } from "./column.tsx";
import { Composer } from "./composer.tsx";
import { Connection, type ConnectionState } from "./connection.tsx";
import { answered, prepend, reduce } from "./conversation.tsx";
import type { Frame, HistoryMessage, PersonRequest, SessionFacts } from "./frames.tsx";
import { ItemView } from "./items.tsx";
import { RequestCard } from "./requests.tsx";
import { actOn } from "./surface-actions.tsx";
import { VirtualList } from "./virtual-list.tsx";

type Change =
  | { readonly kind: "frames"; readonly frames: readonly Frame[] }
  | { readonly kind: "earlier"; readonly earlier: number; readonly messages: readonly HistoryMessage[] }
  | ({ readonly kind: "sending" } & SentImages)
  | { readonly kind: "answered"; readonly id: string };

function change(state: Conversation, what: Change): Conversation {
  if (what.kind === "frames") return what.frames.reduce(reduce, state);
  if (what.kind === "sending") return { ...state, sending: [...state.sending, what] };
  return what.kind === "earlier" ? prepend(state, what.earlier, what.messages) : answered(state, what.id);
}

interface Line {
  readonly conversation: Conversation;
  readonly state: ConnectionState;
  readonly reason: string;
  readonly connection: Connection | undefined;
  dispatch(what: Change): void;
}

/** The conversation and the socket that fills it. */
function useConversation(api: Api, id: string | undefined): Line {
  const [conversation, dispatch] = useReducer<Conversation, Change>(change, emptyConversation);
  const [{ state, reason }, setState] = useState<{ state: ConnectionState; reason: string }>({
    state: "connecting",
    reason: "",
  });
  const [connection, setConnection] = useState<Connection>();
  const known = useRef({ session: id, after: undefined as number | undefined, isBusy: false });
  known.current = { session: conversation.info?.id ?? id, after: conversation.seq, isBusy: conversation.isBusy };
  useEffect(() => {
    const made = new Connection({
      access: api.access,
      resume: () => known.current,
      onFrames: (frames) => {
        dispatch({ kind: "frames", frames });
        frames.forEach(actOn);
      },
      onState: (now, why = "") => setState({ state: now, reason: why }),
    });
    setConnection(made);
    return () => made.close();
  }, [api]);
  return { conversation, state, reason, connection, dispatch };
}

const earlierAtOnce = 1000;

/** Fetches what was said before; one fetch at a time, however often it is asked for. */
function useEarlier(api: Api, { info, earlier }: Conversation, dispatch: (what: Change) => void): () => void {
  const isFetching = useRef(false);
  return () => {
    if (info === undefined || earlier === 0 || isFetching.current) return;
    isFetching.current = true;
    const path = `sessions/${encodeURIComponent(info.id)}/messages?before=${earlier}&limit=${earlierAtOnce}`;
    void api
      .get<Omit<Extract<Change, { kind: "earlier" }>, "kind">>(path)
      .then((got) => dispatch({ kind: "earlier", ...got }))
      .finally(() => {
        isFetching.current = false;
      });
  };
}

export interface ChatProps {
  readonly api: Api;
  readonly id: string | undefined;
  /** It began, got another title, began or ended a turn: what lists conversations wants to know. */
  onNews(news: string): void;
}

/** One conversation: what was said, what is being done, and where to write. */
export function Chat({ api, id, onNews }: ChatProps): VNode {
  const { conversation, state, reason, connection, dispatch } = useConversation(api, id);
  const { items, info, isBusy, requests, queued, earlier } = conversation;
  const send = (input: Readonly<Record<string, unknown>>): void => connection?.send(input);
  const submit = useCallback(
    (text: string, images: readonly string[] = []): void => {
      if (images.length > 0) dispatch({ kind: "sending", text, images });
      connection?.send({
        type: "submit",
        text,
        images: images.length === 0 ? undefined : images,
        key: crypto.randomUUID(),
      });
    },
    [connection],
  );
  const settle = (request: PersonRequest, input: Readonly<Record<string, unknown>>): void => {
    send({ ...input, id: request.id });
    dispatch({ kind: "answered", id: request.id });
  };
  const readImage = useImageFiles(api, info?.id ?? id);
  const showEarlier = useEarlier(api, conversation, dispatch);
  useEffect(() => {
    document.title = `${info?.title ?? "Chat"} · Hermes`;
    if (info !== undefined && items.length > 0) window.history.replaceState(null, "", linkTo("chat", info.id));
  }, [info?.id, info?.title, items.length > 0]);
  useEffect(() => onNews(`${info?.id} ${isBusy} ${info?.title}`), [info?.id, info?.title, isBusy]);
  return (
    <ImageFiles.Provider value={readImage}>
      <section class="chat" aria-label="Conversation">
        <ChatHead info={info} state={state} reason={reason} />
        <VirtualList
          rows={items}
          label="Messages"
          above={
            earlier > 0 && (
              <button type="button" class="quiet" onClick={showEarlier}>
                Show earlier messages ({earlier})
              </button>
            )
          }
          below={items.length === 0 && state === "open" && <p class="hint">What shall we do?</p>}
          draw={(item) => <ItemView item={item} onCommand={submit} />}
          onNearStart={showEarlier}
        />
        {requests.map((request) => (
          <RequestCard
            key={request.id}
            request={request}
            onApprove={(choice, reason) => settle(request, { type: "approve", choice, reason })}
            onAnswer={(text) => settle(request, { type: "answer", text })}
          />
        ))}
        <Composer
          isBusy={isBusy}
          queued={queued}
          onSubmit={submit}
          onQueue={(text) => send({ type: "queue", text })}
          onSteer={(text) => send({ type: "steer", text })}
          onUnqueue={(index, onTaken) =>
            connection?.ask({ type: "unqueue", index }, (reply) => reply.kind === "unqueued" && onTaken(reply.text))
          }
          onStop={() => send({ type: "interrupt" })}
          complete={(line, onReady) =>
            connection?.ask(
              { type: "complete", line },
              (reply) => reply.kind === "completions" && onReady(reply.completions),
            )
          }
        />
      </section>
    </ImageFiles.Provider>
  );
}

const stateWords: Readonly<Record<ConnectionState, string>> = {
  connecting: "Connecting…",
  open: "",
  waiting: "The connection is gone. Trying again…",
  refused: "",
};

function ChatHead(props: {
  readonly info: SessionFacts | undefined;
  readonly state: ConnectionState;
  readonly reason: string;
}): VNode {
  const { info, state, reason } = props;
  const share = info === undefined || info.context_window === 0 ? 0 : info.context_tokens / info.context_window;
  return (
    <header class="chat-head">
      <h1>{info?.title ?? "New conversation"}</h1>
      {info !== undefined && (
        <p>
          {info.provider_label}: {info.model}
          {info.is_demo && " (demo model; connect one with hermes setup)"} · {info.cwd} · {count(info.context_tokens)}{" "}
          tokens ({Math.round(share * 100)}%){info.cost?.usd === undefined ? "" : ` · ${dollars(info.cost.usd)}`}
        </p>
      )}
      <p role="status" class="connection">
        {reason === "" ? stateWords[state] : reason}
      </p>
    </header>
  );
}
