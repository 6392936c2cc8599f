/**
 * What keeps a session's network open. It answers for names (UDP 53) with an address of loopback for each, and passes what is
 * connected there on to the proxy outside by name; it passes connections from outside on to servers inside.
 *
 * Plain JavaScript for `node -e`; prints its process id and the port of the proxy, and ends with its standard input. */
export const holderProgram = `
const net = require("node:net");
const [out, inbound, ports] = process.argv.slice(1);
const join = (a, b) => {
  a.pipe(b); b.pipe(a);
  for (const [one, other] of [[a, b], [b, a]]) { one.on("error", () => other.destroy()); one.on("close", () => other.destroy()); }
};
const server = net.createServer({ allowHalfOpen: true }, (client) => join(client, net.connect({ path: out, allowHalfOpen: true })));
const inside = net.createServer({ allowHalfOpen: true }, (client) => {
  let head = Buffer.alloc(0);
  const read = (chunk) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(10);
    if (end < 0) { if (head.length > 16) client.destroy(); return; }
    client.off("data", read);
    client.pause();
    const target = net.connect({ port: Number(head.subarray(0, end)), host: "127.0.0.1", allowHalfOpen: true });
    target.write(head.subarray(end + 1));
    join(client, target);
  };
  client.on("data", read);
  client.on("error", () => client.destroy());
});
const names = new Map([["127.0.0.1", "localhost"]]), addresses = new Map();
const addressOf = (name) => {
  if (!addresses.has(name) && addresses.size < 60000) {
    const at = addresses.size + 1, address = "127.77." + (at >> 8) + "." + (at & 255);
    addresses.set(name, address); names.set(address, name);
  }
  return addresses.get(name);
};
const answer = (query) => {
  const labels = [];
  let at = 12;
  while (query[at]) { labels.push(query.toString("latin1", at + 1, at + 1 + query[at])); at += query[at] + 1; }
  const name = labels.join(".").toLowerCase(), end = at + 5;
  if (end > query.length || !/^[a-z0-9._-]{1,253}$/.test(name)) return undefined;
  const address = query.readUInt16BE(at + 1) === 1 ? addressOf(name) : undefined;
  const head = Buffer.from(query.subarray(0, end));
  head.writeUInt16BE(0x8180, 2); head.writeUInt16BE(1, 4); head.writeUInt16BE(address ? 1 : 0, 6); head.writeUInt32BE(0, 8);
  if (!address) return head;
  return Buffer.concat([head, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)])]);
};
const resolver = require("node:dgram").createSocket("udp4");
resolver.on("error", () => resolver.close());
resolver.on("message", (query, from) => { const told = query.length > 16 ? answer(query) : undefined; if (told) resolver.send(told, from.port, from.address); });
resolver.bind(53, "127.0.0.1");
for (const port of ports.split(",")) {
  const named = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    client.on("error", () => client.destroy());
    const host = names.get(client.localAddress);
    if (!host) return client.destroy();
    const way = net.connect({ path: out, allowHalfOpen: true });
    way.write("CONNECT " + host + ":" + port + " HTTP/1.1\\r\\n\\r\\n");
    let head = Buffer.alloc(0);
    const read = (chunk) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\\r\\n\\r\\n");
      if (end < 0) return;
      way.off("data", read);
      way.pause();
      if (!/^HTTP\\/1\\.1 200 /.test(head.toString("latin1"))) { client.destroy(); way.destroy(); return; }
      client.write(head.subarray(end + 4));
      join(client, way);
      client.resume();
    };
    way.on("data", read);
    way.on("error", () => client.destroy());
    client.on("close", () => way.destroy());
  });
  named.on("error", () => undefined);
  named.listen(Number(port), "0.0.0.0");
}
server.listen(0, "127.0.0.1", () => inside.listen(inbound, () => process.stdout.write(process.pid + " " + server.address().port + "\\n")));
process.stdin.on("end", () => process.exit(0)).resume();
`;
