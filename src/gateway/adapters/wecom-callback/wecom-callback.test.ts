import { describe, expect, it } from "vitest";
import { openEnvelope, wecomSignature } from "./crypto.ts";
import { readMessage, readXml } from "./inbound.ts";

describe("calls of WeCom", () => {
  it("are signed over the sorted parts [40:A-WK-1]", () => {
    expect(wecomSignature("tk", "1700000000", "n1", "ENC")).toBe("cf562605bb64a99a2dbfdffd9124117f54be1eb8");
  });

  // The example in WeCom's own guide to receiving messages.
  it("open with the key of the published example", () => {
    const key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
    const cipher = "P9nAzCzyDtyTWESHep1vC5X9xho/qYX3Zpb4yKa9SKld1DsH3Iyt3tP3zNdtp+4RPcs8TgAE7OaBO+FZXvnaqQ==";
    const [token, timestamp, nonce] = ["QDG6eK", "1409659589", "263014780"];
    expect(wecomSignature(token, timestamp, nonce, cipher)).toBe("5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3");
    expect(openEnvelope(key, cipher)).toEqual({ text: "1616140317555161061", receiver: "wx5823bf96d3bd56c7" });
    expect(openEnvelope("A".repeat(43), cipher)).toBeUndefined();
  });

  it("bring the message of the published example", () => {
    const key = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
    const cipher =
      "RypEvHKD8QQKFhvQ6QleEB4J58tiPdvo+rtK1I9qca6aM/wvqnLSV5zEPeusUiX5L5X/0lWfrf0QADHHhGd3QczcdCUpj911L3vg3W/sYYvuJTs3TUUkSUXxaccAS0qhxchrRYt66wiSpGLYL42aM6A8dTT+6k4aSknmPj48kzJs8qLjvd4Xgpue06DOdnLxAUHzM6+kDZ+HMZfJYuR+LtwGc2hgf5gsijff0ekUNXZiqATP7PF5mZxZ3Izoun1s4zG4LUMnvw2r+KqCKIw+3IQH03v+BCA9nMELNqbSf6tiWSrXJB3LAVGUcallcrw8V2t9EL4EhzJWrQUax5wLVMNS0+rUPA3k22Ncx4XXZS9o0MBH27Bo6BpNelZpS+/uh9KsNlY6bHCmJU9p8g7m3fVKn28H3KDYA5Pl/T8Z1ptDAVe0lXdQ2YoyyH2uyPIGHBZZIs2pDBS8R07+qN+E7Q==";
    const parts = ["QDG6eK", "1409659813", "1372623149", cipher] as const;
    expect(wecomSignature(...parts)).toBe("477715d11cdb4164915debcba66cb864d751f3e6");
    const { text = "", receiver = "" } = openEnvelope(key, cipher) ?? {};
    expect(receiver).toBe("wx5823bf96d3bd56c7");
    const message = readMessage(readXml(text) ?? new Map(), receiver);
    expect(message).toMatchObject({ text: "hello", source: { chatId: "wx5823bf96d3bd56c7:mycreate" } });
  });

  it("with entities of their own are refused [40:A-WK-5]", () => {
    expect(
      readXml('<!DOCTYPE xml [<!ENTITY x SYSTEM "file:///etc/passwd">]><xml><Content>&x;</Content></xml>'),
    ).toBeUndefined();
    expect(readXml("<html></html>")).toBeUndefined();
  });

  it("bring words; what else happens is no message", () => {
    const xml = (type: string) =>
      readXml(
        `<xml><ToUserName><![CDATA[ww1]]></ToUserName><FromUserName><![CDATA[alice]]></FromUserName><MsgType><![CDATA[${type}]]></MsgType><Content><![CDATA[a <b> & c]]></Content><MsgId>7</MsgId></xml>`,
      ) ?? new Map();
    expect(readMessage(xml("text"), "ww1")).toMatchObject({
      text: "a <b> & c",
      dedupKey: "wecom_callback:ww1:7",
      source: { chatId: "ww1:alice" },
    });
    expect(readMessage(xml("event"), "ww1")).toBeUndefined();
  });
});
