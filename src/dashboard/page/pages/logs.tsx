import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../shell/page-props.ts";
import { useLoaded } from "../shell/use-loaded.ts";
import { Loading } from "./loading.tsx";

/** The end of a log, as it grows. */
export function LogsPage({ api }: PageProps): VNode {
  const [file, setFile] = useState("agent");
  const [words, setWords] = useState("");
  const path = `logs?file=${file}&q=${encodeURIComponent(words)}`;
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
      <input
        type="search"
        aria-label="Filter lines"
        placeholder="Words in a line, such as a level"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <Loading of={loaded}>
        {({ lines }) => <pre tabIndex={0}>{lines.length === 0 ? "Nothing yet." : lines.join("\n")}</pre>}
      </Loading>
    </>
  );
}
