import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageProps } from "../shell/page-props.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { Loading } from "./loading.tsx";

interface LogEnd {
  readonly lines: readonly string[];
  /** The parts of the program that wrote lines of this file. */
  readonly components: readonly string[];
}

/** The end of a log, as it grows. */
export function LogsPage({ api }: PageProps): VNode {
  const [wanted, setWanted] = useState({ file: "agent", level: "", component: "", lines: "300", q: "" });
  const [loaded] = useLoaded<LogEnd>(api, `logs?${new URLSearchParams(wanted)}`, 2000);
  const components = loaded.kind === "ready" ? loaded.value.components : [];
  const change = (name: keyof typeof wanted) => (event: { readonly currentTarget: { readonly value: string } }) =>
    setWanted({ ...wanted, [name]: event.currentTarget.value });
  return (
    <>
      <h1>Logs</h1>
      <div class="filters">
        <label>
          File{" "}
          <select value={wanted.file} onChange={change("file")}>
            <option value="agent">agent</option>
            <option value="errors">errors</option>
            <option value="gateway">gateway</option>
          </select>
        </label>
        <label>
          Level{" "}
          <select value={wanted.level} onChange={change("level")}>
            <option value="">all</option>
            <option value="info">info and above</option>
            <option value="warn">warnings and errors</option>
            <option value="error">errors</option>
          </select>
        </label>
        <label>
          Component{" "}
          <select value={wanted.component} onChange={change("component")}>
            <option value="">all</option>
            {[...new Set([...components, wanted.component])]
              .filter((name) => name !== "")
              .map((name) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </label>
        <label>
          Lines{" "}
          <select value={wanted.lines} onChange={change("lines")}>
            <option>100</option>
            <option>300</option>
            <option>1000</option>
          </select>
        </label>
        <input
          type="search"
          aria-label="Filter lines"
          placeholder="Words in a line"
          value={wanted.q}
          onInput={change("q")}
        />
      </div>
      <Loading of={loaded}>{({ lines }) => <Lines lines={lines} />}</Loading>
    </>
  );
}

const nearPixels = 40;

/** Follows the end while one is there; who scrolled up stays where they are. */
function Lines({ lines }: { readonly lines: readonly string[] }): VNode {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const note = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: { currentTarget: HTMLPreElement }) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPixels;
  };
  return (
    <pre class="log" ref={box} tabIndex={0} onScroll={note}>
      {lines.length === 0 ? "No lines match." : lines.join("\n")}
    </pre>
  );
}
