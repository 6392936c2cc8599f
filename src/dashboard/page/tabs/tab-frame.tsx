import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Api } from "../shell/api.tsx";
import { isDark } from "../shell/theme.tsx";

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly address: string;
}

/**
 * The page of a plugin. It is a page without an origin: what it can ask for is what this answers, and that is the data of its own plugin and
 * whether the page is light or dark.
 */
export function TabFrame({ api, tab }: { readonly api: Api; readonly tab: Tab }): VNode {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const gone = new AbortController();
    const answer = ({ source, data }: MessageEvent<unknown>): void => {
      const target = frame.current?.contentWindow;
      if (target === null || target === undefined || source !== target || data !== "hermes:data") return;
      void api.get<{ readonly data: unknown }>(`tabs/${encodeURIComponent(tab.name)}/data`, gone.signal).then(
        (got) => {
          // Its origin is none, so it can be named by no other word; the window is the one that asked.
          target.postMessage({ type: "hermes:data", data: got.data, theme: isDark() ? "dark" : "light" }, "*");
        },
        () => undefined,
      );
    };
    window.addEventListener("message", answer, { signal: gone.signal });
    return () => gone.abort();
  }, [api, tab.name]);
  return (
    <section class="tab" aria-label={tab.title}>
      <h1 class="unseen">{tab.title}</h1>
      <iframe ref={frame} title={tab.title} src={tab.address} sandbox="allow-scripts" referrerpolicy="no-referrer" />
    </section>
  );
}
