import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secret } from "#foundation/secrets/secret";
import { FakeClock } from "#foundation/testing/fake-clock";
import type { Prompter } from "../../contract/session-scope.ts";
import { nobody } from "../../contract/unattended-scope.ts";
import { testScope } from "../../testing.ts";
import { exitCodeMeaning } from "./exit-meaning.ts";
import { foregroundGuidance } from "./foreground-guidance.ts";
import { rewriteBackground } from "./rewrite-background.ts";
import { isSudoFailure, sudoFromInput } from "./sudo.ts";
import { SudoPasswords } from "./sudo-password.ts";

const place = { cwd: "/w", home: "/home/u" };

const at = (host: string) => ({ host, hasSudo: () => Promise.resolve(true) });

describe("guidance for the foreground", () => {
  it.each([
    "npm run dev",
    "npm start",
    "pnpm dev",
    "yarn watch",
    "bun run serve",
    "cd app && npm run dev",
    "docker compose up",
    "docker compose -f a.yml up",
    "next dev",
    "npx vite",
    "vite",
    "nodemon x.js",
    "uvicorn app:app",
    "gunicorn app",
    "python3 -m http.server 8000",
    "nohup ./x",
    "setsid ./x",
    "sleep 1 & disown",
    "./server &",
    "a & b",
    "(a &)",
    "sudo npm start",
  ])("[30:3.1] refuses %s", (command) => expect(foregroundGuidance(command, place)).toMatch(/background=true/));

  it.each([
    'echo "a & b"',
    'git commit -m "npm start"',
    "docker compose up -d",
    "docker compose up --detach",
    "vite build",
    "npm run dev --help",
    "uvicorn --version",
    "npm install",
    "npm run build",
    "make >/dev/null 2>&1",
    "make &> log",
    "a && b",
    "python3 -m pytest",
    "echo nohup",
    "# npm start",
  ])("[30:3.1] [30:W-29] lets %s run", (command) => expect(foregroundGuidance(command, place)).toBeUndefined());
});

describe("the rewrite of a list in the background", () => {
  it.each([
    ["A && python3 -m http.server &", "A && { python3 -m http.server & }"],
    ["A || B &", "A || { B & }"],
    ["A && B & C", "A && { B & } C"],
    ["x; A && B | C & ", "x; A && { B | C & } "],
  ])("[30:4.10-14] %s", (given, expected) => expect(rewriteBackground(given)).toBe(expected));

  it.each([
    "A &",
    "A && B",
    "echo 'A && B &'",
    "(A && B &)",
    "{ A && B & }",
    "A && B &> f",
    "A; B &",
    "# A && B &",
    "A && { B & }",
  ])("[30:3.1] leaves %s alone", (command) => expect(rewriteBackground(command)).toBe(command));

  it("[30:3.1] changes nothing the second time", () => {
    const word = fc.constantFrom(
      "a",
      "&&",
      "||",
      "&",
      ";",
      "|",
      "'x & y'",
      "(",
      ")",
      "{",
      "}",
      "&>f",
      "2>&1",
      "# c",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const once = rewriteBackground(words.join(" "));
        expect(rewriteBackground(once)).toBe(once);
      }),
    );
  });
});

describe("sudo", () => {
  it.each([
    ["FOO=1 sudo id && echo hi", "FOO=1 sudo -S -p '' id && echo hi"],
    ["sudo a; (sudo b) | sudo c\nsudo d", "sudo -S -p '' a; (sudo -S -p '' b) | sudo -S -p '' c\nsudo -S -p '' d"],
    ["echo $(sudo id)", "echo $(sudo -S -p '' id)"],
  ])("[30:4.10-10] [30:4.9] is made to read its password from input: %s", (given, expected) =>
    expect(sudoFromInput(given)).toBe(expected),
  );

  it.each([
    "echo 'sudo apt'",
    "echo sudo",
    "man sudo # sudo x",
    'git commit -m "sudo id"',
    "cat <<X\nsudo id\nX",
    "sudoedit f",
  ])("[30:4.10-9] is left alone where it is only text: %s", (command) =>
    expect(sudoFromInput(command)).toBeUndefined(),
  );

  it("[30:4.9] knows when it got no password", () => {
    expect(isSudoFailure("sudo: a password is required\n")).toBe(true);
    expect(isSudoFailure("sudo: 3 incorrect password attempts")).toBe(true);
    expect(isSudoFailure("we spoke of sudo")).toBe(false);
  });

  it("[30:4.9] takes the configured password, even an empty one, and never asks then", async () => {
    const passwords = new SudoPasswords({
      configured: new Secret(""),
      clock: new FakeClock(),
    });
    const prompter = { ...nobody, secret: () => Promise.reject(new Error("asked")) };
    const got = await passwords.for(testScope({ prompter }), at("local"), new AbortController().signal);
    expect(got?.reveal()).toBe("");
  });

  it("[30:4.9] remembers an answer for 15 minutes, per session and host", async () => {
    const clock = new FakeClock();
    let asked = 0;
    const passwords = new SudoPasswords({ clock });
    const secret: Prompter["secret"] = () => {
      asked += 1;
      return Promise.resolve({ kind: "secret", secret: new Secret("pw") });
    };
    const of = (key: string) => testScope({ key, prompter: { ...nobody, secret } });
    const signal = new AbortController().signal;
    await passwords.for(of("a"), at("local"), signal);
    await passwords.for(of("a"), at("local"), signal);
    expect(asked).toBe(1);
    await passwords.for(of("b"), at("local"), signal);
    await passwords.for(of("a"), at("box"), signal);
    expect(asked).toBe(3);
    await clock.advance(15 * 60_000 + 1);
    await passwords.for(of("a"), at("local"), signal);
    expect(asked).toBe(4);
  });
});

describe("the meaning of an exit code", () => {
  it.each([
    ["grep zzz file", 1, /matched/],
    ["cat x | A=1 /usr/bin/grep y", 1, /matched/],
    ["make; diff a b", 1, /differ/],
    ["[ -f x ]", 1, /false/],
    ["curl -f http://x", 22, /status/],
    ["git diff --exit-code", 1, /normal/],
  ])("[30:3.1] %s with %i", (command, code, meaning) => expect(exitCodeMeaning(command, code)).toMatch(meaning));

  it.each([
    ["grep x f", 0],
    ["grep x f", 2],
    ["grep x f; make", 1],
    ["echo grep", 1],
  ])("[30:3.1] says nothing about %s with %i", (command, code) =>
    expect(exitCodeMeaning(command, code)).toBeUndefined(),
  );
});
