import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../shell/page-props.ts";
import { useLoaded } from "../shell/use-loaded.ts";
import { Loading } from "./loading.tsx";

/** The end of a log, as it grows. */
export function LogsPage({ api }: PageProps): VNode {
  const [file, setFile] = useState("agent");
  const [words, setWords] = useState("");
  const [level, setLevel] = useState("");
  const [lines, setLines] = useState("300");
  const path = `logs?file=${file}&level=${level}&lines=${lines}&q=${encodeURIComponent(words)}`;
  const [loaded] = useLoaded<{ readonly lines: readonly string[] }>(api, path, 2000);
  return (
    <>
      <h1>Logs</h1>
      <label>
        File{" "}
        <select value={file} onChange={(event) => setFile(event.currentTarget.value)}>
          <option value="agent">agent</option>
          <option value="errors">errors</option>
          <option value="gateway">gateway</option>
        </select>
      </label>{" "}
      <label>
        Level{" "}
        <select value={level} onChange={(event) => setLevel(event.currentTarget.value)}>
          <option value="">all</option>
          <option value="info">info and above</option>
          <option value="warn">warnings and errors</option>
          <option value="error">errors</option>
        </select>
      </label>{" "}
      <label>
        Lines{" "}
        <select value={lines} onChange={(event) => setLines(event.currentTarget.value)}>
          <option>100</option>
          <option>300</option>
          <option>1000</option>
        </select>
      </label>{" "}
      <input
        type="search"
        aria-label="Filter lines"
        placeholder="Words in a line"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <Loading of={loaded}>
        {({ lines }) => <pre tabIndex={0}>{lines.length === 0 ? "Nothing yet." : lines.join("\n")}</pre>}
      </Loading>
    </>
  );
}
