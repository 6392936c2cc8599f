import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SqliteConnection } from "../sqlite/connection.ts";
import { loadSqlite } from "../sqlite/driver.ts";
import { parseQuery, renderFts5, termsOf, usesOr, wantedTerms } from "./query.ts";

describe("what a person types", () => {
  it.each([
    ["docker deployment", "docker deployment"],
    ['"exact phrase"', '"exact phrase"'],
    ["docker OR kubernetes", "docker OR kubernetes"],
    ["python NOT java", "python NOT java"],
    ["deploy*", "deploy*"],
    ["chat-send", '"chat-send"'],
    ["hello AND", "hello"],
    ["OR world", "world"],
    ["a AND OR b", "a AND b"],
    ["x AND NOT y", "x NOT y"],
    ["C++", "C"],
    ["fix (auth", "fix auth"],
    ['"unbalanced', "unbalanced"],
    ["***", ""],
    ["foo***", "foo*"],
    ["* foo", "foo"],
    ["P2.2", '"P2.2"'],
    ["my-app.config.ts", '"my-app.config.ts"'],
    ["v1.2.3*", '"v1.2.3"*'],
    ["foo:bar", '"foo:bar"'],
    ["don't", '"don\'t"'],
    ["user@host", '"user@host"'],
    ["/etc/passwd", '"etc/passwd"'],
    ["issue #42", "issue 42"],
    ["-foo", "foo"],
    ["not found error", "not found error"],
    ["foo AND (bar OR baz)", "foo AND bar OR baz"],
    ["a-b-c OR d.e", '"a-b-c" OR "d.e"'],
    ["*.ts", "ts"],
    ["日本-東京", '"日本-東京"'],
    ["()", ""],
  ])("%s becomes %s [10:STORE-20] [10:A10.1]", (typed, query) => {
    expect(renderFts5(parseQuery(typed))).toBe(query);
  });

  it.each([
    ["foo*bar", "foo bar"],
    ["a*b*", "a b*"],
    ["foo-*", "foo"],
    ["AND*", '"AND"*'],
    ["-NOT x", '"NOT" x'],
    ['say "hello   world" "!!"', 'say "hello world"'],
    ["a\u0000b\tc", "a b c"],
    ["NOT x", "x"],
    ["x OR NOT OR y", "x NOT y"],
    ["😀 ___ ok", "ok"],
  ])("%s becomes %s as well [10:STORE-20]", (typed, query) => {
    expect(renderFts5(parseQuery(typed))).toBe(query);
  });

  it("knows which terms are wanted and whether one is enough", () => {
    const tokens = parseQuery('a "b c" NOT d OR e');
    expect(termsOf(tokens).map((term) => term.text)).toEqual(["a", "b c", "d", "e"]);
    expect(wantedTerms(tokens).map((term) => term.text)).toEqual(["a", "b c", "e"]);
    expect(usesOr(tokens)).toBe(true);
    expect(usesOr(parseQuery("a or b"))).toBe(false);
  });
});

describe("the full-text engine", () => {
  let connection: SqliteConnection | undefined;
  beforeAll(async () => {
    connection = new SqliteConnection(await loadSqlite(), ":memory:", { busyTimeoutMs: 0 });
    connection.exec("CREATE VIRTUAL TABLE f USING fts5(content); INSERT INTO f VALUES ('some text')");
  });
  afterAll(() => connection?.[Symbol.dispose]());

  const accepts = (typed: string): boolean => {
    const query = renderFts5(parseQuery(typed));
    if (query !== "") connection?.all("SELECT rowid FROM f WHERE f MATCH ? LIMIT 1", [query]);
    return true;
  };

  it("accepts what becomes of 100,000 random strings [10:STORE-20] [10:A10.1]", () => {
    const unit = fc.constantFrom(
      ..."abzAZ09_ \t\n\"'*+-(){}[]^:.,;!?@#$%&/\\|<>=~`\0\u001a\u007f\u00e9\u00df日本語ーㄱ가\ud83d\u{1f600}",
    );
    const word = fc.constantFrom("AND", "OR", "NOT", "NEAR", "near(", "and", '"', "*", "content:", "^a", "a*b", '""');
    const loose = fc.array(unit, { maxLength: 14 }).map((units) => units.join(""));
    const typed = fc.oneof(
      loose,
      fc.array(fc.oneof(word, loose), { maxLength: 6 }).map((words) => words.join(" ")),
      fc.string({ unit: "binary", maxLength: 20 }),
    );
    fc.assert(fc.property(typed, accepts), { numRuns: 100_000 });
  });

  it("accepts very long and deeply nested input [10:STORE-20]", () => {
    expect(accepts("a NOT ".repeat(2000))).toBe(true);
    expect(accepts("b OR ".repeat(2000))).toBe(true);
    expect(accepts("(".repeat(5000))).toBe(true);
    expect(accepts("x ".repeat(5000))).toBe(true);
  });
});
