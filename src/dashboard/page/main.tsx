import { render, type VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Chat } from "./chat/chat.tsx";
import { SessionList } from "./chat/session-list.tsx";
import { pages } from "./pages/pages.tsx";
import { createApi } from "./shell/api.ts";
import { linkTo, useRoute } from "./shell/route.ts";
import { takeToken } from "./shell/token.ts";

function App({ token }: { readonly token: string }): VNode {
  const api = useMemo(() => createApi(token), [token]);
  const { page, id } = useRoute();
  const Page = pages[page]?.view;
  return (
    <>
      <nav aria-label="Pages">
        <strong class="brand">Hermes</strong>
        <a href={linkTo("chat")} aria-current={page === "chat" ? "page" : undefined}>
          Chat
        </a>
        {Object.entries(pages).map(([name, { title }]) => (
          <a key={name} href={linkTo(name)} aria-current={page === name ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <main class={Page === undefined ? "with-sessions" : "page"}>
        {Page === undefined ? (
          <>
            <SessionList api={api} current={id} />
            <Chat key={id ?? "new"} api={api} id={id === "new" ? undefined : id} />
          </>
        ) : (
          <Page api={api} id={id} />
        )}
      </main>
    </>
  );
}

function Locked(): VNode {
  return (
    <main class="page">
      <h1>Hermes</h1>
      <p>This address needs the token of the running dashboard. Open the one that "hermes dashboard" printed.</p>
    </main>
  );
}

const root = document.getElementById("app");
const token = takeToken();
if (root !== null) render(token === undefined ? <Locked /> : <App token={token} />, root);
