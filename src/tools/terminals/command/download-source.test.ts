import { describe, expect, it } from "vitest";
import { downloadSource } from "./download-source.ts";

describe("words of strangers in the output of a command", () => {
  it("are expected from whomever it reached, and from nobody when it reached none", () => {
    expect(downloadSource("./fetch.sh", ["example.org"])).toContain("example.org");
    expect(downloadSource("curl file:///etc/hosts", [])).toBeUndefined();
    expect(downloadSource("git push origin main", ["github.com"])).toBeUndefined();
    expect(downloadSource("git pull && cat README.md", ["github.com"])).toContain("github.com");
  });

  it("are expected from programs that fetch where nobody sees what is reached", () => {
    expect(downloadSource("curl -s https://example.org", undefined)).toContain("curl");
    expect(downloadSource("cd x && git clone https://example.org/y", undefined)).toContain("git clone");
    expect(downloadSource("npm test", undefined)).toBeUndefined();
  });
});
