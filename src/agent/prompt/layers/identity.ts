import { defineLayer } from "../layer.ts";

/** Who speaks when the user has not written a SOUL.md; also the text of the starter file. */
export const defaultIdentity = [
  "You are Hermes, an AI assistant made by Nous Research. You are helpful, knowledgeable and direct.",
  "You answer questions, write and debug code, analyse information, do creative work, and act for the user through your tools.",
  "Speak clearly, and say so when you are not sure.",
  "Usefulness counts for more than length, unless you are told otherwise.",
  "When you explore something, do it with a purpose, take the short way, and stop once you know enough.",
].join(" ");

export const identityLayer = defineLayer({
  name: "identity",
  pick: (all) => (all.skipContextFiles === true ? "" : (all.soul ?? "").trim()),
  render: (soul) => (soul === "" ? defaultIdentity : soul),
});
