import fc from "fast-check";
import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import { conversationPage } from "./conversation-page.ts";

describe("a conversation as a page", () => {
  it("renders what the model wrote, and shows a person's words as they are", () => {
    const page = conversationPage("<tags>", [
      { who: "You", text: "What is **<b>**?" },
      { who: "Tool", text: 'read_file {"path":"a"}' },
      { who: "Hermes", text: "A *tag* & more:\n\n```html\n<b>bold</b>\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |" },
    ]);
    const { document } = parseHTML(page);
    expect(document.title).toBe("<tags>");
    expect(document.querySelector(".you .words")?.textContent).toBe("What is **<b>**?");
    expect(document.querySelector(".tool summary")?.textContent).toBe("read_file");
    expect(document.querySelector(".hermes em")?.textContent).toBe("tag");
    expect(document.querySelector(".hermes pre code")?.textContent).toBe("<b>bold</b>\n");
    expect([...document.querySelectorAll("td")].map(({ textContent }) => textContent)).toEqual(["1", "2"]);
  });

  it("runs nothing and fetches nothing, whatever was written", () => {
    const hostile = fc.constantFrom(
      "<script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "![x](http://evil.test/p.png)",
      "[x](javascript:alert(1))",
      "[x](java\nscript:alert(1))",
      "<javascript:alert(1)>",
      "[x](data:text/html,<script>1</script>)",
      "[x](http://a.test/\"onclick='alert(1)')",
      "[x]: javascript:alert(1)\n\n[x]",
      "</title></style></details><svg onload=alert(1)>",
      "`</code><script>`",
      "| <style> |\n|---|\n| </td><iframe src=//e> |",
    );
    const text = fc
      .array(fc.oneof(hostile, fc.string({ maxLength: 8 })), { maxLength: 6 })
      .map((some) => some.join("\n"));
    const who = fc.constantFrom("You" as const, "Hermes" as const, "Tool" as const);
    fc.assert(
      fc.property(text, fc.array(fc.record({ who, text }), { maxLength: 4 }), (title, utterances) => {
        const { document } = parseHTML(conversationPage(title, utterances));
        expect(document.querySelectorAll("script,img,iframe,svg,object,embed,link,form,base").length).toBe(0);
        expect(document.querySelectorAll("style,meta").length).toBe(4);
        for (const element of document.querySelectorAll("*"))
          for (const { name, value } of element.attributes) {
            expect(name.startsWith("on")).toBe(false);
            if (name === "href") expect(value).toMatch(/^(?:https?:|mailto:)/iu);
          }
      }),
    );
  });
});
