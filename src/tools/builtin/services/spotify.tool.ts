import { isRecord } from "#foundation/text/json";
import type { ToolContext } from "../../contract/context.ts";
import { defineTool } from "../../contract/define-tool.ts";
import { result, ToolFailure, type ToolResult } from "../../contract/result.ts";
import type { Tool } from "../../contract/tool.ts";
import { callSpotify, type SpotifyAccount, type SpotifyCall } from "../../media/spotify.ts";
import { fenceUntrusted } from "../../web/untrusted.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

export interface SpotifyDeps {
  readonly login: SpotifyAccount;
}

const string = (description: string) => ({ type: "string", description }) as const;
const strings = (description: string) => ({ type: "array", items: { type: "string" }, description }) as const;
const oneOf = <const Names extends readonly string[]>(names: Names, description: string) =>
  ({ type: "string", enum: names, description }) as const;
const paging = {
  limit: { type: "integer", description: "At most 50; 20 if not given", minimum: 1, maximum: 50 },
  offset: { type: "integer", description: "How many to pass over", minimum: 0 },
} as const;
const device = string("The device; the active one if not given");

/** The music of the person: what plays, where, and what is kept. */
export function createSpotifyTools({ login }: SpotifyDeps): readonly Tool[] {
  const common = {
    toolset: "spotify",
    emoji: "🎵",
    check: async (signal: AbortSignal) => {
      const { kind } = await login.status(signal);
      return kind === "logged-in" ? (true as const) : { reason: "nobody is logged in: hermes auth spotify" };
    },
  };
  const kinds: Kinds = {
    changes: { ...common, isIdempotent: false, effects: "elsewhere" },
    reader: { ...common, concurrency: "safe", effects: "none" },
  };
  return [...playerTools(login, kinds), ...collectionTools(login, kinds)];
}

type Common = Pick<Tool, "toolset" | "emoji" | "check">;
interface Kinds {
  readonly changes: Common & { readonly isIdempotent: false; readonly effects: "elsewhere" };
  readonly reader: Common & { readonly concurrency: "safe"; readonly effects: "none" };
}

/** What plays, where, and next. */
function playerTools(login: SpotifyAccount, { changes }: Kinds): readonly Tool[] {
  const ask = (call: SpotifyCall, context: ToolContext): Promise<ToolResult> => answered(login, call, context);
  return [
    defineTool({
      ...changes,
      name: "spotify_playback",
      description: "See or control what plays on Spotify.",
      parameters: {
        type: "object",
        properties: {
          action: oneOf(Object.keys(playback) as readonly PlaybackAction[], "What to do"),
          uris: strings("play: tracks or episodes, spotify:track:…"),
          context_uri: string("play: an album, artist or playlist, spotify:album:…"),
          position_ms: { type: "integer", description: "play, seek: where to begin", minimum: 0 },
          state: string("set_repeat: track, context or off; set_shuffle: true or false"),
          volume_percent: { type: "integer", description: "set_volume", minimum: 0, maximum: 100 },
          limit: paging.limit,
          device_id: device,
        },
        required: ["action"],
      },
      run: (args, context) => ask(playback[args.action](args), context),
    }),
    defineTool({
      ...changes,
      name: "spotify_devices",
      description: "List the devices that can play Spotify, or move playback to one.",
      parameters: {
        type: "object",
        properties: {
          action: oneOf(["list", "transfer"], "What to do"),
          device_id: string("transfer: the device"),
          play: { type: "boolean", description: "transfer: start playing there" },
        },
        required: ["action"],
      },
      run: ({ action, device_id, play }, context) => {
        if (action === "list") return ask({ path: "/me/player/devices" }, context);
        const json = { device_ids: [needed(device_id, "transfer needs device_id")], play: play ?? false };
        return ask({ method: "PUT", path: "/me/player", json }, context);
      },
    }),
    defineTool({
      ...changes,
      name: "spotify_queue",
      description: "See what plays next on Spotify, or add something to it.",
      parameters: {
        type: "object",
        properties: {
          action: oneOf(["get", "add"], "What to do"),
          uri: string("add: a track or episode, spotify:track:…"),
          device_id: device,
        },
        required: ["action"],
      },
      run: ({ action, uri, device_id }, context) =>
        action === "get"
          ? ask({ path: "/me/player/queue" }, context)
          : ask(post("/me/player/queue", { uri: needed(uri, "add needs uri"), device_id }), context),
    }),
  ];
}

/** What there is, and what of it is kept. */
function collectionTools(login: SpotifyAccount, { changes, reader }: Kinds): readonly Tool[] {
  const ask = (call: SpotifyCall, context: ToolContext): Promise<ToolResult> => answered(login, call, context);
  return [
    defineTool({
      ...reader,
      name: "spotify_search",
      description: "Search Spotify for tracks, albums, artists, playlists, shows or episodes.",
      parameters: {
        type: "object",
        properties: {
          query: string("What to look for; also artist:…, album:…, year:1990-1999"),
          types: strings("track (usual), album, artist, playlist, show, episode"),
          ...paging,
        },
        required: ["query"],
      },
      run: ({ query, types = [], limit, offset }, context) =>
        ask(
          { path: "/search", query: { q: query, type: types.join(",") || "track", ...paged({ limit, offset }) } },
          context,
        ),
    }),
    playlistTool(login, changes),
    defineTool({
      ...reader,
      name: "spotify_albums",
      description: "Read about an album on Spotify, or its tracks.",
      parameters: {
        type: "object",
        properties: { action: oneOf(["get", "tracks"], "What to read"), album_id: string("Id or URI"), ...paging },
        required: ["action", "album_id"],
      },
      run: ({ action, album_id, ...page }, context) =>
        action === "get"
          ? ask({ path: `/albums/${idOf(album_id)}` }, context)
          : ask({ path: `/albums/${idOf(album_id)}/tracks`, query: paged(page) }, context),
    }),
    defineTool({
      ...changes,
      name: "spotify_library",
      description: "List the tracks or albums the person keeps in their Spotify library, and save or remove some.",
      parameters: {
        type: "object",
        properties: {
          kind: oneOf(["tracks", "albums"], "Of what"),
          action: oneOf(["list", "save", "remove"], "What to do"),
          ids: strings("save, remove: ids or URIs, at most 50"),
          ...paging,
        },
        required: ["kind", "action"],
      },
      run: ({ kind, action, ids = [], ...page }, context) => {
        const path = `/me/${kind}`;
        if (action === "list") return ask({ path, query: paged(page) }, context);
        if (ids.length === 0) throw new ToolFailure(`${action} needs ids.`);
        return ask({ method: action === "save" ? "PUT" : "DELETE", path, json: { ids: ids.map(idOf) } }, context);
      },
    }),
  ];
}

interface PlaybackArguments {
  readonly uris?: readonly string[] | undefined;
  readonly context_uri?: string | undefined;
  readonly position_ms?: number | undefined;
  readonly state?: string | undefined;
  readonly volume_percent?: number | undefined;
  readonly limit?: number | undefined;
  readonly device_id?: string | undefined;
}

type Query = NonNullable<SpotifyCall["query"]>;
const put = (path: string, query: Query): SpotifyCall => ({ method: "PUT", path, query });
const post = (path: string, query: Query): SpotifyCall => ({ method: "POST", path, query });

const playback = {
  get_state: (): SpotifyCall => ({ path: "/me/player" }),
  get_currently_playing: (): SpotifyCall => ({ path: "/me/player/currently-playing" }),
  recently_played: ({ limit = 20 }: PlaybackArguments): SpotifyCall => ({
    path: "/me/player/recently-played",
    query: { limit },
  }),
  play: ({ uris, context_uri, position_ms, device_id }: PlaybackArguments) => ({
    ...put("/me/player/play", { device_id }),
    json: { uris, context_uri, position_ms },
  }),
  pause: ({ device_id }: PlaybackArguments) => put("/me/player/pause", { device_id }),
  next: ({ device_id }: PlaybackArguments) => post("/me/player/next", { device_id }),
  previous: ({ device_id }: PlaybackArguments) => post("/me/player/previous", { device_id }),
  seek: ({ position_ms, device_id }: PlaybackArguments) =>
    put("/me/player/seek", { position_ms: needed(position_ms, "seek needs position_ms"), device_id }),
  set_repeat: ({ state, device_id }: PlaybackArguments) =>
    put("/me/player/repeat", { state: among(state, ["track", "context", "off"], "set_repeat"), device_id }),
  set_shuffle: ({ state, device_id }: PlaybackArguments) =>
    put("/me/player/shuffle", { state: among(state, ["true", "false"], "set_shuffle"), device_id }),
  set_volume: ({ volume_percent, device_id }: PlaybackArguments) =>
    put("/me/player/volume", {
      volume_percent: needed(volume_percent, "set_volume needs volume_percent"),
      device_id,
    }),
} as const;
type PlaybackAction = keyof typeof playback;

function playlistTool(login: SpotifyAccount, changes: Kinds["changes"]): Tool {
  return defineTool({
    ...changes,
    name: "spotify_playlists",
    description: "List, read, create and change the person's playlists on Spotify.",
    parameters: {
      type: "object",
      properties: {
        action: oneOf(["list", "get", "create", "add_items", "remove_items", "update_details"], "What to do"),
        playlist_id: string("Id or URI of the playlist, for all but list and create"),
        name: string("create, update_details"),
        description: string("create, update_details"),
        public: { type: "boolean", description: "create, update_details: others can see it; false if not given" },
        uris: strings("add_items, remove_items: spotify:track:…"),
        position: { type: "integer", description: "add_items: where; at the end if not given", minimum: 0 },
        ...paging,
      },
      required: ["action"],
    },
    async run({ action, playlist_id, name, description, public: isPublic, uris = [], position, ...page }, context) {
      const ask = (call: SpotifyCall): Promise<ToolResult> => answered(login, call, context);
      if (action === "list") return await ask({ path: "/me/playlists", query: paged(page) });
      if (action === "create") {
        const me = await callSpotify(login, { path: "/me" }, context.signal);
        const path = `/users/${encodeURIComponent(isRecord(me) ? String(me["id"]) : "")}/playlists`;
        const json = { name: needed(name, "create needs name"), description, public: isPublic ?? false };
        return await ask({ method: "POST", path, json });
      }
      const path = `/playlists/${idOf(needed(playlist_id, `${action} needs playlist_id`))}`;
      if (action === "get") return await ask({ path });
      if (action === "update_details")
        return await ask({ method: "PUT", path, json: { name, description, public: isPublic } });
      if (uris.length === 0) throw new ToolFailure(`${action} needs uris.`);
      return action === "add_items"
        ? await ask({ method: "POST", path: `${path}/tracks`, json: { uris, position } })
        : await ask({ method: "DELETE", path: `${path}/tracks`, json: { tracks: uris.map((uri) => ({ uri })) } });
    },
  });
}

/** Names of songs, playlists and people are words of strangers. */
async function answered(login: SpotifyAccount, call: SpotifyCall, context: ToolContext): Promise<ToolResult> {
  const answer = await callSpotify(login, call, context.signal);
  if (answer === undefined) return result({ success: true, result: call.method === undefined ? "nothing" : "done" });
  context.noteUntrusted?.("spotify");
  return result({ success: true, result: fenceUntrusted(JSON.stringify(answer), "spotify") });
}

function paged({
  limit = 20,
  offset = 0,
}: {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}) {
  return { limit, offset };
}

/** Models write `spotify:album:4aawy…`, or the address of its page, where the id is wanted. */
function idOf(text: string): string {
  const id = /([A-Za-z0-9]+)(?:\?.*)?$/u.exec(text.trim())?.[1];
  if (id === undefined) throw new ToolFailure(`Not an id of Spotify: ${JSON.stringify(text).slice(0, 100)}`);
  return id;
}

function needed<T>(value: T | undefined, message: string): T {
  if (value === undefined || value === "") throw new ToolFailure(`${message}.`);
  return value;
}

function among(value: string | undefined, names: readonly string[], action: string): string {
  if (value !== undefined && names.includes(value)) return value;
  throw new ToolFailure(`${action} needs state: ${names.join(", ")}.`);
}

export const builtin: BuiltinTools = ({ spotify }) => (spotify === undefined ? [] : createSpotifyTools(spotify));
