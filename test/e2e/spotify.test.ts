import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { calls, says, startModelServer } from "../fakes/model-server/index.ts";
import { type SpotifyServer, startSpotifyServer } from "../fakes/spotify-server.ts";
import { modelConfig, Stage } from "./support/stage.ts";

type Received = { readonly messages: readonly Record<string, unknown>[] };
const told = ({ messages }: Received): string => JSON.stringify(messages.at(-1)?.["content"]);

const longAgo = Date.UTC(2020, 0, 1);

/** Variables under which the program reaches the fake, and a browser that follows what the login page answers. */
async function at(spotify: SpotifyServer, stage: Stage): Promise<Record<string, string>> {
  const programs = path.join(stage.folder, "programs");
  await mkdir(programs);
  const browser = path.join(programs, "xdg-open");
  await writeFile(browser, `#!${process.execPath}\nvoid fetch(process.argv[2]);\n`);
  await chmod(browser, 0o755);
  return {
    PATH: `${programs}:${process.env["PATH"] ?? ""}`,
    DISPLAY: ":0",
    HERMES_SPOTIFY_ACCOUNTS_URL: spotify.url,
    HERMES_SPOTIFY_API_URL: `${spotify.url}/v1`,
  };
}

it("Spotify is logged in to in the browser, and then searched and controlled [30:3.26]", async () => {
  await using model = await startModelServer({ strict: true });
  await using spotify = await startSpotifyServer();
  const more = "platform_toolsets: { cli: [spotify, file] }\n";
  await using stage = await Stage.open({ config: modelConfig(model.chatBaseUrl, more) });
  const env = await at(spotify, stage);
  const hermes = (...args: readonly string[]) => stage.run(args, { env });
  const talk = (question: string) => stage.run(["chat", "-q", question, "--json"], { env });

  // Without a login the model is offered nothing, and without an app the person is told what to create.
  model.script(says("No music yet."));
  await talk("Play something.");
  expect(JSON.stringify((await model.received(1)).body)).not.toContain("spotify_");
  expect((await hermes("auth", "spotify", "--status")).code).toBe(1);
  const bare = await hermes("auth", "spotify");
  expect(bare.stderr).toContain("http://127.0.0.1:8898/callback");
  expect(bare.code).not.toBe(0);

  const login = await hermes("auth", "spotify", "--client-id", spotify.clientId);
  expect(login.stdout, login.stderr).toContain("Logged in to Spotify as Ann.");
  const file = path.join(stage.home, "auth", "spotify.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await hermes("auth", "spotify", "--status")).stdout).toContain("logged in as Ann");

  const found = { query: "blue in green", types: ["track"] };
  const uri = "spotify:track:0aWMVrwxPNYkKmFthzmpRi";
  model.script(
    calls("spotify_search", found),
    calls("spotify_playback", { action: "play", uris: [uri] }),
    calls("spotify_playback", { action: "play", uris: [uri], device_id: "none" }),
    calls("spotify_playlists", { action: "create", name: "Evening" }),
    calls("spotify_library", { kind: "tracks", action: "save", ids: [uri] }),
    calls("spotify_playback", { action: "seek" }),
    says("Playing."),
  );
  await talk("Play Blue in Green.");
  const hits = told(await model.received(3));
  expect(hits).toContain(uri);
  expect(hits).not.toMatch(/available_markets|images\.example/u);
  expect(told(await model.received(4))).toContain("done");
  expect(told(await model.received(5))).toContain("name a device of spotify_devices");
  expect(told(await model.received(8))).toContain("seek needs position_ms");
  expect(spotify.calls.filter(({ method }) => method !== "GET")).toEqual([
    { method: "PUT", path: "/me/player/play", json: { uris: [uri] } },
    { method: "PUT", path: "/me/player/play?device_id=none", json: { uris: [uri] } },
    { method: "POST", path: "/users/ann/playlists", json: { name: "Evening", public: false } },
    { method: "PUT", path: "/me/tracks", json: { ids: ["0aWMVrwxPNYkKmFthzmpRi"] } },
  ]);

  // A token that has run out is renewed without a word.
  spotify.expire();
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), expires_at_ms: longAgo }));
  model.script(calls("spotify_playback", { action: "get_state" }), says("Silence."));
  await talk("What plays?");
  expect(told(await model.received(10))).toContain("nothing");
  expect(spotify.grants).toEqual({ authorization_code: 1, refresh_token: 1 });

  // A withdrawn login says how to get a new one; tokens stand nowhere but in their file.
  spotify.withdraw();
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), expires_at_ms: longAgo }));
  model.script(calls("spotify_devices", { action: "list" }), says("I cannot."));
  await talk("Where?");
  expect(told(await model.received(12))).toContain("hermes auth spotify");
  expect(await stage.filesWith("access-2")).toEqual([path.join("auth", "spotify.json")]);
  expect((await hermes("auth", "spotify", "--logout")).code).toBe(0);
  expect((await hermes("auth", "spotify", "--status")).code).toBe(1);
});
