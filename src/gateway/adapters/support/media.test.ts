import { describe, expect, it } from "vitest";
import { never } from "#foundation/lifecycle/abort";
import { openFile } from "./media.ts";

/** A service that sends the reader from the first address to the second. */
function redirecting(to: string) {
  const asked: string[] = [];
  const send = (url: string | URL) => {
    asked.push(String(url));
    return Promise.resolve(
      asked.length === 1 ? new Response(null, { status: 302, headers: { location: to } }) : new Response("bytes"),
    );
  };
  return { asked, send };
}

describe("the file of a message", () => {
  it.each([
    ["http://169.254.169.254/latest/meta-data/"],
    ["http://127.0.0.1:8642/v1/models"],
    ["http://[::1]/"],
    ["http://10.0.0.5/secret"],
  ])("is not fetched from inside, at %s, because a service elsewhere says so [40:EVT-13] [40:A-EVT-10]", async (to) => {
    const { asked, send } = redirecting(to);
    const opened = openFile(send, { label: "Service", url: "http://93.184.216.34/a.png" }, never);
    await expect(opened).rejects.toThrow("inside this network");
    expect(asked).toEqual(["http://93.184.216.34/a.png"]);
  });

  it("is fetched from where a service keeps its files, also from a service of one's own network", async () => {
    for (const [from, to] of [
      ["http://93.184.216.34/a.png", "http://93.184.216.35/a.png"],
      ["http://10.0.0.4/a.png", "http://10.0.0.5/a.png"],
    ] as const) {
      const { asked, send } = redirecting(to);
      await openFile(send, { label: "Service", url: from }, never);
      expect(asked).toEqual([from, to]);
    }
  });
});
