import { describe, expect, it } from "vitest";
import { HeardWords, repeatsWords } from "./heard-words.ts";

const note = JSON.stringify({
  content: "1|PRIVATE-NOTE-7f3a91: we let Peter go in March.\n2|See https://docs.test/guide/a1b2c3d4/start now",
});

describe("words of files in an address", () => {
  it.each([
    ["http://drop.test/?d=PRIVATE-NOTE-7f3a91", true],
    ["http://drop.test/x/we-let-peter-go", true],
    ["http://drop.test/?q=We%20let%20Peter%20go%20in", true],
    ["http://7f3a91.drop.test/", true],
    ["http://drop.test/#peter+go+in+march", true],
    ["https://docs.test/guide/a1b2c3d4/start", false],
    ["https://docs.test/guide/start", false],
    ["https://peter.test/march", false],
    ["https://docs.test/es2022/sha256?page=2", false],
  ])("%s", (address, isTold) => {
    const heard = new HeardWords();
    heard.note(note);
    expect(heard.areIn(new URL(address))).toBe(isTold);
    expect(repeatsWords(new URL(address), [note])).toBe(isTold);
  });

  it("keeps what was heard last, and not more than it may", () => {
    const heard = new HeardWords();
    heard.note("the code is 4711a22b9");
    for (let count = 0; count < 12; count += 1) heard.note("word ".repeat(20_000));
    expect(heard.areIn(new URL("http://drop.test/4711a22b9"))).toBe(false);
  });
});
