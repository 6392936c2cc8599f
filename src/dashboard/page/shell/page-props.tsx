import type { Api } from "./api.tsx";

/** What every page beside the chat is drawn with. */
export interface PageProps {
  readonly api: Api;
  readonly id: string | undefined;
}
