import type { Connection, ConnectionPorts } from "../../platform/platform.ts";
import { type Fields, fieldsAt, textAt } from "../support/fields.ts";
import { Latest } from "../support/latest.ts";
import { openLine } from "../support/line.ts";
import { openFile } from "../support/media.ts";
import { type Rest, restOver } from "../support/rest.ts";
import { connectionErrorOf, missingSetting, type Service, ServiceError } from "../support/service-error.ts";
import type { MatrixCrypto } from "./encryption/crypto.ts";
import { openedFile } from "./encryption/opened-file.ts";
import { EncryptedRooms } from "./encryption/rooms.ts";
import type { MatrixRules } from "./inbound.ts";
import { putEvent } from "./put-event.ts";
import { sendToMatrix } from "./send.ts";
import { MatrixSync } from "./sync.ts";

const service: Service = { id: "matrix", label: "Matrix" };
const waitsMs = [1_000, 5_000];
const rememberedReactions = 500;

/** Connects an account by the client-server API. */
export async function connectMatrix(ports: ConnectionPorts, signal: AbortSignal): Promise<Connection> {
  const { matrix } = ports.config;
  const root = (matrix.base_url || matrix.homeserver).replace(/\/+$/u, "");
  if (root === "") throw missingSetting(service, "MATRIX_HOMESERVER");
  const token = await tokenFor(ports, root, signal).catch((error: unknown) => {
    throw connectionErrorOf(service, error);
  });
  const headers = { authorization: `Bearer ${token}` };
  const rest = restTo(ports, `${root}/_matrix/client/v3`, headers);
  const me = await rest("/account/whoami", { signal }).catch((error: unknown) => {
    throw connectionErrorOf(service, error);
  });
  const userId = textAt(me, "user_id");
  const crypto = matrix.encryption ? await openCrypto(ports, { me, rest }, signal) : undefined;
  const rooms = new EncryptedRooms(rest, crypto);
  const sync = new MatrixSync({
    ports,
    rest,
    rules: rulesOf(ports, userId),
    directRooms: await directRooms(rest, userId, signal),
    rooms,
    crypto,
  });
  const line = openLine({
    service,
    ports,
    waitsMs,
    async stay(ready, within) {
      while (!within.aborted) {
        await sync.next(within);
        ready();
      }
      return "closed";
    },
  });
  await line.ready;
  ports.logger.info("connected", { platform: service.id, user: userId });
  const upload = async (name: string, bytes: Buffer, within: AbortSignal): Promise<string> => {
    const url = `${root}/_matrix/media/v3/upload?filename=${encodeURIComponent(name)}`;
    const type = { "content-type": "application/octet-stream" };
    const answer = await ports.fetch(url, {
      method: "POST",
      body: bytes,
      headers: { ...headers, ...type },
      signal: within,
    });
    const uploaded = (await answer.json()) as Fields;
    if (answer.ok) return textAt(uploaded, "content_uri");
    throw new ServiceError({
      errorClass: answer.status === 413 ? "too-large" : "unknown",
      message: `Matrix gave status ${answer.status} to a file`,
    });
  };
  const reactions = new Latest<string>(rememberedReactions);
  let closed: Promise<void> | undefined;
  return {
    account: { id: userId, name: userId },
    lost: line.lost,
    send: (to, message, context) => sendToMatrix(to, message, { ...context, rest, rooms, upload }),
    remove: async ({ chatId }, id, within) =>
      void (await rest(
        `/rooms/${encodeURIComponent(chatId)}/redact/${encodeURIComponent(id)}/${encodeURIComponent(`remove-${id}`)}`,
        { method: "PUT", body: {}, signal: within },
      )),
    typing: async ({ chatId }, within) =>
      void (await rest(`/rooms/${encodeURIComponent(chatId)}/typing/${encodeURIComponent(userId)}`, {
        method: "PUT",
        body: { typing: true, timeout: 30_000 },
        signal: within,
      })),
    async react({ chatId }, { messageId, emoji, isAdded }, within) {
      const name = `${messageId}:${emoji}`;
      if (isAdded) {
        const content = { "m.relates_to": { rel_type: "m.annotation", event_id: messageId, key: emoji } };
        reactions.set(
          name,
          await putEvent(chatId, { type: "m.reaction", key: `react-${name}`, content }, { rest, signal: within }),
        );
        return;
      }
      const event = reactions.get(name);
      if (event !== undefined)
        await rest(
          `/rooms/${encodeURIComponent(chatId)}/redact/${encodeURIComponent(event)}/${encodeURIComponent(`undo-${event}`)}`,
          { method: "PUT", body: {}, signal: within },
        );
    },
    async fetchAttachment({ ref }, within) {
      const url = `${root}/_matrix/client/v1/media/download/${(ref["mxc"] ?? "").slice("mxc://".length)}`;
      const bytes = await openFile(ports.fetch, { label: service.label, url, headers }, within);
      return ref["file"] === undefined ? bytes : openedFile(bytes, ref["file"]);
    },
    async [Symbol.asyncDispose]() {
      await line[Symbol.asyncDispose]();
      closed ??= crypto?.close() ?? Promise.resolve();
      await closed;
    },
  };
}

/** Loaded only where encryption is switched on; where it cannot be had, the platform does not start. */
async function openCrypto(
  ports: ConnectionPorts,
  { me, rest }: { readonly me: Fields; readonly rest: Rest },
  signal: AbortSignal,
): Promise<MatrixCrypto> {
  const { MatrixCrypto: Crypto } = await import("./encryption/crypto.ts");
  const device = { userId: textAt(me, "user_id"), deviceId: textAt(me, "device_id") };
  return await Crypto.open(ports, { ...device, rest }, signal).catch((error: unknown) => {
    throw connectionErrorOf(service, error);
  });
}

function restTo(ports: ConnectionPorts, root: string, headers: Readonly<Record<string, string>>): Rest {
  return restOver({
    label: service.label,
    root,
    fetch: ports.fetch,
    headers: () => headers,
    refusal: (body, status) => {
      if (status < 400) return undefined;
      const code = textAt(body, "errcode");
      const errorClass = code === "M_TOO_LARGE" ? "too-large" : undefined;
      return {
        code,
        errorClass,
        message: `${code} ${textAt(body, "error")}`,
        retryAfterMs: Number(body["retry_after_ms"]) || undefined,
      };
    },
  });
}

/** The token of the settings, or one for the password. */
async function tokenFor(ports: ConnectionPorts, root: string, signal: AbortSignal): Promise<string> {
  const { matrix, platforms } = ports.config;
  const token = platforms["matrix"]?.token.reveal() ?? "";
  if (token !== "") return token;
  const identifier = { type: "m.id.user", user: matrix.user_id };
  const login = {
    type: "m.login.password",
    identifier,
    password: matrix.password.reveal(),
    device_id: matrix.device_id || "HERMES",
  };
  return textAt(
    await restTo(ports, `${root}/_matrix/client/v3`, {})("/login", { body: login, signal }),
    "access_token",
  );
}

async function directRooms(rest: Rest, userId: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const answer = await rest(`/user/${encodeURIComponent(userId)}/account_data/m.direct`, { signal }).catch(
    (error: unknown) => {
      if (error instanceof ServiceError && error.errorClass === "not-found") return {};
      throw connectionErrorOf(service, error);
    },
  );
  return new Set(
    Object.values(fieldsAt({ answer }, "answer")).flatMap((rooms) => (Array.isArray(rooms) ? rooms.map(String) : [])),
  );
}

function rulesOf({ config: { matrix } }: ConnectionPorts, userId: string): MatrixRules {
  return {
    userId,
    requireMention: matrix.require_mention,
    freeRooms: new Set(matrix.free_response_channels),
    mentionPatterns: matrix.mention_patterns.map((pattern) => new RegExp(pattern, "iu")),
    startsThreads: matrix.auto_thread,
    startsDirectThreads: matrix.dm_mention_threads,
    channelPrompts: matrix.channel_prompts,
  };
}
