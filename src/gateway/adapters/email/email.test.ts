import { describe, expect, it } from "vitest";
import { isLoopback } from "#foundation/http/local-host";
import { whyAutomated } from "./automated.ts";
import { compose, messageIdFor } from "./compose.ts";
import { readHeaders } from "./headers.ts";
import { type Mail, type MailRules, readMail } from "./inbound.ts";
import { email } from "./index.ts";
import { isSenderVerified } from "./verified-sender.ts";

const rules: MailRules = { own: "hermes@mail.test", sessionBy: "sender", skipsFiles: false };

function mail(head: string, changed: Partial<Mail> = {}): Mail {
  return {
    uidValidity: "1",
    uid: 7,
    from: "alice@mail.test",
    subject: "Hi",
    atMs: 1,
    headers: readHeaders(head),
    words: "Help",
    files: [],
    ...changed,
  };
}

describe("mails", () => {
  it.each([
    ["noreply@e.com", ""],
    ["bounces+123@e.com", ""],
    ["a@e.com", "Auto-Submitted: auto-generated"],
    ["a@e.com", "Precedence: bulk"],
    ["a@e.com", "X-Auto-Response-Suppress: All"],
    ["a@e.com", "List-Unsubscribe: <mailto:x@e.com>"],
    ["a@e.com", "Return-Path: <>"],
  ])("of programs are known: %s %s", (from, head) => {
    expect(whyAutomated(from, readHeaders(head))).toBeDefined();
  });

  it("of people are none of those", () => {
    expect(whyAutomated("rebounce@e.com", readHeaders("Auto-Submitted: no\r\nReturn-Path: <a@e.com>"))).toBeUndefined();
  });

  it("begin with their subject, unless they answer or command", () => {
    expect(readMail(mail("Message-ID: <a@b>"), rules).text).toBe("[Subject: Hi]\nHelp");
    expect(readMail(mail("", { subject: "RE: Hi" }), rules).text).toBe("Help");
    expect(readMail(mail("", { words: "/new" }), rules).text).toBe("/new");
  });

  it("do not repeat our own words, and keep those of others", () => {
    const words = "Yes, do.\n\nOn Monday Hermes wrote:\n> Shall I?\n>\n> Really?\n";
    const answered = mail("References: <q@e> <hermes-1@mail.test>", { words, subject: "Re: Hi" });
    expect(readMail(answered, rules).text).toBe("Yes, do.");
    expect(readMail(mail("References: <q@e>", { words, subject: "Re: Hi" }), rules).text).toContain("> Shall I?");
  });

  it("are one conversation per thread where that is wanted", () => {
    const threads: MailRules = { ...rules, sessionBy: "thread" };
    const later = mail("Message-ID: <c@e>\r\nReferences: <a@e>\r\n\t<b@e>");
    expect(readMail(later, threads).source.threadId).toBe("<a@e>");
    expect(readMail(mail("Message-ID: <c@e>"), threads).source.threadId).toBe("<c@e>");
    expect(readMail(later, rules).source.threadId).toBeUndefined();
  });

  it("count as their sender's when the receiving server says so, and only then", () => {
    const passed = (results: string, server = "") =>
      isSenderVerified("alice@mail.test", readHeaders(`Authentication-Results: ${results}`), server);
    expect(passed("mx.e.com; dkim=pass (good) header.d=mail.test")).toBe(true);
    expect(passed("mx.e.com; spf=pass smtp.mailfrom=alice@mail.test")).toBe(true);
    expect(passed("mx.e.com; dkim=pass header.d=evil.test; spf=fail smtp.mailfrom=mail.test")).toBe(false);
    expect(passed("mx.e.com; dkim=pass header.d=notmail.test")).toBe(false);
    expect(passed("mx.e.com; dkim=pass header.d=mail.test", "mx.mine.com")).toBe(false);
    expect(isSenderVerified("alice@mail.test", readHeaders(""), "")).toBe(false);
  });

  it("that answer have one Re:, the thread's ids, and a Message-ID that its key decides", () => {
    const head = { messageId: "<b@e>", references: ["<a@e>"], subject: "Re: Hi" };
    const message = { kind: "text", body: { text: "<b>x</b>", plain: "x" } } as const;
    const letter = { own: "hermes@mail.test", to: "alice@mail.test", key: "turn:1", message };
    expect(compose({ ...letter, head })).toMatchObject({
      subject: "Re: Hi",
      references: "<a@e> <b@e>",
      html: "<b>x</b>",
    });
    expect(compose(letter)).toMatchObject({ subject: "x" });
    expect(messageIdFor("turn:1", letter.own)).toMatch(/^<hermes-[0-9a-f]{32}@mail\.test>$/u);
    expect(messageIdFor("turn:1", letter.own)).not.toBe(messageIdFor("turn:2", letter.own));
  });

  it("show Markdown with its lines, and code as it is", () => {
    const [body] = email.render("# Title\n\nOne\n\nTwo\n\n```\na\nb\n```\n\nEnd <x>");
    expect(body?.text).toBe("<h1>Title</h1>One<br><br>Two<br><br><pre><code>a\nb</code></pre>End &lt;x&gt;");
  });

  it("go unencrypted to this machine only", () => {
    expect(["localhost", "127.0.0.1", "::1"].every(isLoopback)).toBe(true);
    expect(["127.0.0.1.evil.test", "mail.test", "localhost.evil.test"].some(isLoopback)).toBe(false);
  });
});
