import { describe } from "vitest";
import { bookContract } from "./store/books.ts";
import { gatewayContract } from "./store/gateway.ts";
import { keepingContract } from "./store/keeping.ts";
import { messageContract } from "./store/messages.ts";
import { searchContract } from "./store/search.ts";
import { sessionContract } from "./store/sessions.ts";
import type { StoreSubject } from "./store/subject.ts";

/** What every store does, whatever is beneath it. */
export function storeContract(subject: StoreSubject): void {
  describe(`store on ${subject.name}`, () => {
    sessionContract(subject);
    keepingContract(subject);
    messageContract(subject);
    searchContract(subject);
    gatewayContract(subject);
    bookContract(subject);
  });
}
