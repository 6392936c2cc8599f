import { render, type VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Chat } from "./chat/chat.tsx";
import { SessionList } from "./chat/session-list.tsx";
import { pages } from "./pages/pages.tsx";
import { type Api, createApi } from "./shell/api.tsx";
import { Locked } from "./shell/locked.tsx";
import { linkTo, type Route, useRoute } from "./shell/route.tsx";
import { takeToken } from "./shell/token.tsx";
import { useLoaded } from "./shell/use-loaded.tsx";
import { type Tab, TabFrame } from "./tabs/tab-frame.tsx";
import { TerminalPage } from "./terminal/terminal-page.tsx";

interface Entry {
  readonly address: string;
  readonly title: string;
  readonly isCurrent: boolean;
}

function App({ token }: { readonly token: string }): VNode {
  const api = useMemo(() => createApi(token), [token]);
  const route = useRoute();
  const [loaded] = useLoaded<readonly Tab[]>(api, "tabs");
  const tabs = loaded.kind === "ready" ? loaded.value : [];
  const entry = (page: string, title: string, id?: string): Entry => ({
    address: linkTo(page, id),
    title,
    isCurrent: route.page === page && (id === undefined || route.id === id),
  });
  const entries = [
    entry("chat", "Chat"),
    entry("terminal", "Terminal"),
    ...Object.entries(pages).map(([name, { title }]) => entry(name, title)),
    ...tabs.map(({ name, title }) => entry("tab", title, name)),
  ];
  const menu = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the menu scrolls; where one is must be in sight.
    menu.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [route.page, route.id, tabs.length]);
  const title = entries.find(({ isCurrent }) => isCurrent)?.title;
  useEffect(() => {
    // A conversation names the window itself.
    if (route.page !== "chat" && title !== undefined) document.title = `${title} · Hermes`;
  }, [route.page, title]);
  return (
    <>
      <nav aria-label="Pages" ref={menu}>
        <strong class="brand">Hermes</strong>
        {entries.map(({ address, title, isCurrent }) => (
          <a key={address} href={address} aria-current={isCurrent ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <Shown api={api} route={route} tabs={tabs} />
    </>
  );
}

interface ShownProps {
  readonly api: Api;
  readonly route: Route;
  readonly tabs: readonly Tab[];
}

function Shown({ api, route: { page, id, step }, tabs }: ShownProps): VNode {
  const Page = pages[page]?.view;
  if (Page !== undefined)
    return (
      <main class="page">
        <Page api={api} id={id} />
      </main>
    );
  if (page === "terminal")
    return (
      <main class="filled">
        <TerminalPage key={id} api={api} id={id} />
      </main>
    );
  if (page === "tab") {
    const tab = tabs.find(({ name }) => name === id);
    return <main class="filled">{tab !== undefined && <TabFrame key={tab.name} api={api} tab={tab} />}</main>;
  }
  return <ChatPage api={api} id={id} step={step} />;
}

function ChatPage({ api, id, step }: { readonly api: Api } & Pick<Route, "id" | "step">): VNode {
  const [news, setNews] = useState("");
  const isNew = id === undefined || id === "new";
  return (
    <main class="with-sessions">
      <SessionList api={api} current={id} news={news} />
      <Chat key={isNew ? `new ${step}` : id} api={api} id={isNew ? undefined : id} onNews={setNews} />
    </main>
  );
}

const root = document.getElementById("app");
const token = takeToken();
if (root !== null) {
  const enter = (fresh: string): void => render(<App token={fresh} />, root);
  if (token === undefined) render(<Locked onToken={enter} />, root);
  else enter(token);
}
