import { says, startModelServer } from "../test/fakes/model-server/index.ts";

/** A model that answers at once, in a process of its own; the words come one by one for the streaming figures. */
const long = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ");
const server = await startModelServer({ strict: false });
server.otherwise(says("Hello."));
server.onRequest((request) => (JSON.stringify(request.body).includes("Write a lot") ? says(long) : undefined));
process.stdout.write(`${server.chatBaseUrl}\n`);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
