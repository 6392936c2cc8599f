import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinear } from "../testing/growth.ts";
import { maskIdentifiers, Redactor } from "./redact.ts";
import { Secret } from "./secret.ts";

const secretText = fc
  .string({ unit: "binary-ascii", minLength: 6, maxLength: 40 })
  .map((text) => text.trim())
  .filter((text) => text.length >= 6 && !/[*[\]]/.test(text) && new Set(text).size > 2);
const words = fc
  .array(fc.constantFrom("the", "quick", "brown", "42", "fox.", "über", "\n", "(a)", "x=1", "日本"), { maxLength: 12 })
  .map((list) => list.join(" "));

function redactorFor(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
}

describe("[30:5.11] known values", () => {
  const value = "correct horse/battery+staple?";
  const forms: [string, string][] = [
    ["as it is", value],
    ["in base 64", Buffer.from(value).toString("base64")],
    ["in base 64 without padding", Buffer.from(value).toString("base64").replace(/=+$/, "")],
    ["in URL-safe base 64", Buffer.from(value).toString("base64url")],
    ["in hexadecimal", Buffer.from(value).toString("hex")],
    ["in upper-case hexadecimal", Buffer.from(value).toString("hex").toUpperCase()],
    ["in a URL", encodeURIComponent(value)],
    ["in a URL with lower-case escapes", encodeURIComponent(value).toLowerCase()],
    ["in a form", new URLSearchParams({ q: value }).toString().slice(2)],
  ];

  test.each(forms)("are masked %s", (_, form) => {
    expect(redactorFor(value).redact(`before ${form} after`)).toBe("before *** after");
  });

  test("are masked inside JSON, where quotes and line ends are escaped", () => {
    const secret = 'line one\n"line" two\\';
    expect(redactorFor(secret).redact(`x ${JSON.stringify({ note: secret })}`)).toBe('x {"note":"***"}');
  });

  test("are masked in the middle of something encoded as a whole, at each of the three alignments", () => {
    for (const before of ["", "a", "ab", "abc", "user:"]) {
      for (const after of ["", "z", "yz", "xyz"]) {
        const encoded = Buffer.from(before + value + after).toString("base64");
        const redacted = redactorFor(value).redact(encoded);
        expect(redacted).toContain("***");
        expect(Buffer.from(redacted.replace("***", ""), "base64").toString("latin1")).not.toContain("horse");
      }
    }
  });

  test("no form of a value survives, wherever it stands", () => {
    fc.assert(
      fc.property(secretText, words, words, (secret, before, after) => {
        const redactor = redactorFor(secret);
        const bytes = Buffer.from(secret);
        const everyForm = [
          secret,
          bytes.toString("base64"),
          bytes.toString("base64url"),
          bytes.toString("hex"),
          encodeURIComponent(secret),
          JSON.stringify(secret).slice(1, -1),
        ];
        const redacted = redactor.redact(everyForm.map((form) => `${before}${form}${after}`).join("\n"));
        for (const form of everyForm)
          expect(redacted.includes(form)).toBe(before.includes(form) || after.includes(form));
      }),
      { numRuns: 300 },
    );
  });

  test("text without secrets is unchanged", () => {
    fc.assert(
      fc.property(secretText, words, (secret, text) => {
        fc.pre(!text.includes(secret));
        expect(redactorFor(secret).redact(text)).toBe(text);
      }),
    );
  });

  test("of two values the longer is masked as a whole, and overlapping ones leave nothing", () => {
    expect(redactorFor("abcdef", "abcdefghij").redact("-abcdefghij-abcdef-")).toBe("-***-***-");
    expect(redactorFor("abcdefgh", "efghijkl").redact("-abcdefghijkl-")).toBe("-***-");
    expect(redactorFor("aaaaaa").redact("aaaaaaaaaa")).toBe("***");
  });

  test("a label tells which value it was", () => {
    const redactor = new Redactor();
    redactor.add(new Secret("swordfish-7"), "OPENAI KEY");
    expect(redactor.redact("key swordfish-7!")).toBe("key [redacted:OPENAI-KEY]!");
  });

  test("values under six characters are not registered", () => {
    expect(redactorFor("abcde", "  a  ", "").redact("abcde a")).toBe("abcde a");
  });

  test("a value is forgotten when its registration is disposed", () => {
    const redactor = new Redactor();
    const registration = redactor.add("swordfish-7");
    redactor.add("swordfish-7");
    registration[Symbol.dispose]();
    expect(redactor.redact("swordfish-7")).toBe("***");
    const other = redactor.add("marlin-spike");
    other[Symbol.dispose]();
    expect(redactor.redact("marlin-spike")).toBe("marlin-spike");
  });
});

describe("[30:5.11] shapes of keys", () => {
  const body = "abcdEFGH1234ijkl5678";
  const prefixes =
    "sk- ghp_ github_pat_ gho_ ghu_ ghs_ ghr_ xoxb- xoxa- xoxp- xoxr- xoxs- AIza pplx- fal_ fc- bb_live_ gAAAA sk_live_ sk_test_ rk_live_ SG. hf_ r8_ npm_ pypi- dop_v1_ doo_v1_ am_ sk_ tvly- exa_ gsk_ syt_ retaindb_ hsk- mem0_ brv_";

  test.each(prefixes.split(" "))("a key that begins with %s shows only its ends", (prefix) => {
    const key = prefix + body;
    expect(new Redactor().redact(`use "${key}", please`)).toBe(`use "${key.slice(0, 4)}...5678", please`);
  });

  test("a short key shows nothing", () => {
    expect(new Redactor().redact("ghp_abcdefghij")).toBe("***");
  });

  test.each<[string, string, string]>([
    ["an AWS key", "id AKIAIOSFODNN7EXAMPLE.", "id AKIA...MPLE."],
    ["a bearer token", "Authorization: Bearer abc", "Authorization: Bearer ***"],
    ["an authorization without a scheme", "authorization: 0123456789abcdef", "authorization: ***"],
    [
      "a quoted header",
      '{"Authorization": "Bearer abc", "x-api-key": "abc"}',
      '{"Authorization": "***", "x-api-key": "***"}',
    ],
    ["basic credentials", "authorization: Basic dXNlcjpwYXNz", "authorization: Basic ***"],
    ["a bare bearer token", "with Bearer a1b2c3d4e5f6", "with Bearer ***"],
    ["an API key header", "x-api-key: topsecretvalue", "x-api-key: ***"],
    ["a JWT", "t eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_DEF-123 t", "t eyJh...-123 t"],
    ["a bot token, digits kept", `bot 123456789:${"A".repeat(35)}`, "bot 123456789:***"],
    ["a bare bot token", `token 12345678:${"AA-b_".repeat(7)}`, "token 12345678:***"],
    [
      "a bot token in the path of an API",
      `https://api.telegram.org/bot1234567890:${"AAb_-".repeat(7)}/getMe`,
      "https://api.telegram.org/bot1234567890:***/getMe",
    ],
    ["an assignment", "export MY_TOKEN=abc123 next", "export MY_TOKEN=*** next"],
    ["a quoted assignment", 'DB_PASSWORD="a b c"', 'DB_PASSWORD="***"'],
    ["an assignment in code", "API_KEY = 'abc'", "API_KEY = '***'"],
    ["a key in an assignment", `OPENAI_API_KEY=sk-${body}`, "OPENAI_API_KEY=sk-a...5678"],
    ["a JSON field", '{"access_token": "abc", "n": 1}', '{"access_token": "***", "n": 1}'],
    ["a camel-case field", '{"clientSecret":"a\\"b c"}', '{"clientSecret":"***"}'],
    ["JSON inside JSON", '"{\\"password\\": \\"abc\\"}"', '"{\\"password\\": \\"***\\"}"'],
    ["a Python dictionary", "{'api_key': 'abc'}", "{'api_key': '***'}"],
    ["a connection string", "postgres://u:pw@h/db", "postgres://u:***@h/db"],
    ["a MongoDB address", "mongodb+srv://u:p/w@h/db", "mongodb+srv://u:***@h/db"],
    ["a URL password", "https://bob:hunter2@x.test/a", "https://bob:***@x.test/a"],
    ["a URL query", "https://x.test/cb?code=ABC&state=1", "https://x.test/cb?code=***&state=1"],
    ["an AWS signature", "https://s3/x?a=1&X-Amz-Signature=abcdef", "https://s3/x?a=1&X-Amz-Signature=***"],
    ["a posted form", "user=bob&password=abc&x=1", "user=bob&password=***&x=1"],
  ])("%s", (_, text, expected) => {
    expect(new Redactor().redact(text)).toBe(expected);
  });

  const block = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${"MIIEowIBAAKCAQEA7bq\n".repeat(20)}-----END RSA PRIVATE KEY-----`;

  test("a private key is one mark, whole, cut off or escaped", () => {
    const redactor = new Redactor();
    expect(redactor.redact(`a\n${block}\nb`)).toBe("a\n[redacted:private-key]\nb");
    expect(redactor.redact(`a\n${block.slice(0, 200)}`)).toBe("a\n[redacted:private-key]");
    expect(redactor.redact(JSON.stringify({ key: block }))).toBe('{"key":"[redacted:private-key]"}');
    expect(redactor.redact("-----BEGIN PUBLIC KEY-----\nMIIBIjANBg\n-----END PUBLIC KEY-----")).toContain("MIIBIjANBg");
  });

  test.each([
    "token_count=12",
    "session_id=abc",
    "+1234567890",
    "MAX_TOKENS=4096 AUTH_ENABLED=true",
    "GIT_AUTHOR_NAME=Ada",
    "TOKEN=$OTHER_TOKEN API_KEY=$" + "{KEY}",
    "const API_KEY = process.env.API_KEY;",
    "npm_lifecycle_event=test npm_config_cache=/x",
    "am_configuration_value fc-request-headers",
    "task-force-meeting-2024 disk-usage-percent",
    "Bearer authentication is described below",
    "interface Headers { authorization: string; token: string }",
    '{ "x-api-key": apiKey, "authorization": token }',
    '{"token": "$TOKEN", "password": "<your password>", "api_key": "{{ key }}"}',
    "Authorization: Bearer $TOKEN",
    "https://x.test/?token={token}",
    '{"token_count": "12", "key": "value", "tokens": "5"}',
    "https://x.test/?page=2&sort=key",
    "see http://localhost:3000/a@b",
    "12:34:56 2026-11-15",
    "commit 4f3c2a1b9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a",
  ])("ordinary text stays: %s", (text) => {
    expect(new Redactor().redact(text)).toBe(text);
  });

  test("redacting what was redacted changes nothing", () => {
    const pieces = fc.constantFrom(
      `sk-${body}`,
      "MY_TOKEN=",
      '"api_key": "',
      "Bearer ",
      "abc123def456",
      '"',
      " ",
      "\n",
      block,
      "postgres://u:",
      "@h/db",
      "?code=",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi",
      "swordfish-7",
      "&",
      "=",
      "\\",
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 8 }).map((list) => list.join("")),
        (text) => {
          const redactor = redactorFor("swordfish-7");
          const once = redactor.redact(text);
          expect(redactor.redact(once)).toBe(once);
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    ["assignments", "TOKEN"],
    ["names", "A_TOKEN_"],
    ["private keys", "-----BEGIN PRIVATE KEY-----\n"],
    ["addresses", "redis://a:"],
    ["fields", '"token":"'],
    ["escaped fields", '\\"token\\":\\"'],
    ["bearers", "bearer "],
    ["keys", "sk-a"],
    ["tokens", "eyJaaaaaaaaaaaaa."],
    ["forms", "a=1&"],
    ["digits", "123456789"],
    ["quotes", 'X="'],
    ["the beginning of a known value", "swordfish-"],
  ])("a megabyte of %s costs no more than its length", (_, piece) => {
    const redactor = redactorFor("swordfish-7", "swordfish-swordfish-swordfish-!");
    expectLinear(1_000_000, (size) => void redactor.redact(piece.repeat(Math.ceil(size / piece.length))));
  });

  test("a hundred known values cost little more than one", () => {
    const known = (count: number) =>
      redactorFor(...Array.from({ length: count }, (_, n) => `secret value number ${n} of many`));
    const text = "The quick brown fox jumps over the lazy dog. ".repeat(20_000);
    expect(known(100).redact(text)).toBe(text);
    expectLinear(100, (count) => void known(count).redact(text));
  });
});

describe("plain data", () => {
  test("every string and key is redacted, and fields with a telling name are masked whatever they hold", () => {
    const redactor = redactorFor("swordfish-7");
    expect(
      redactor.redactDeep({
        a: ["x swordfish-7"],
        "swordfish-7": 1,
        apiKey: "anything",
        nested: { password: "p" },
        token: 5,
      }),
    ).toEqual({ a: ["x ***"], "***": 1, apiKey: "***", nested: { password: "***" }, token: 5 });
  });

  test("what holds no secret keeps its identity", () => {
    const value = { a: [1, "x", { b: null }], when: new Date(0), secret: new Secret("y") };
    expect(new Redactor().redactDeep(value)).toBe(value);
  });
});

test("[40:PRC-43] phone numbers and mentions are masked on request only", () => {
  const text = "from +4915123456789 by <@123456789012345678> and <@!123456789012345678>, 1234567890";
  expect(maskIdentifiers(text)).toBe("from +491****6789 by <@***> and <@!***>, 1234567890");
  expect(new Redactor().redact(text)).toBe(text);
});

describe("known values in disguise", () => {
  const secret = "sk-canary-0123456789abcdef";
  const redactor = new Redactor();
  redactor.add(secret);

  test.each([
    ["backwards", [...secret].reverse().join("")],
    ["backwards in base 64", Buffer.from([...secret].reverse().join("")).toString("base64")],
    ["letter by letter", [...secret].join(" ")],
    ["with invisible characters", [...secret].join("\u200b")],
    ["in two pieces", `"${secret.slice(0, 9)}" + "${secret.slice(9)}"`],
    ["one piece a line", `${secret.slice(0, 5)}\n${secret.slice(5, 14)}\n${secret.slice(14)}`],
  ])("are masked %s", (_, form) => {
    expect(redactor.redact(`before: ${form} :after`)).toBe(
      "before: *** :after".replace("***", form.startsWith('"') ? '"***"' : "***"),
    );
    expect(redactor.redactKnown(form)).toContain("***");
  });

  test("what only looks like a key stays where a person hands it over", () => {
    const other = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz";
    expect(redactor.redactKnown(`use ${other}`)).toBe(`use ${other}`);
  });
});
