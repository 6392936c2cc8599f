import { grpcServer } from "./grpc.ts";
import { ModalService } from "./service.ts";

/** Modal, played on loopback in a process of its own: what it holds in memory is not the caller's. Arguments: folder, files of its image, token. */
const [, , folder = "", base = "", id = "", secret = ""] = process.argv;
const service = new ModalService({ folder, base, token: { id, secret } });
const server = grpcServer((name) => service.find(name));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  service.address = `https://127.0.0.1:${port}`;
  process.send?.({ port });
});
process.on("message", (message) => {
  const answer = async (): Promise<void> => {
    if (message === "destroy") await service.destroy();
    if (message === "close") await service.close();
    process.send?.({ running: service.running });
    if (message === "close") process.exit(0);
  };
  void answer();
});
process.on("disconnect", () => void service.close().finally(() => process.exit(0)));
