import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Api } from "../../shell/api.tsx";
import { saveJson } from "../../shell/save-file.tsx";
import { useAction } from "../../shell/use-action.tsx";
import { Problem } from "../problem.tsx";
import { written } from "./setting-row.tsx";

interface Comparison {
  readonly changes: readonly { readonly key: string; readonly before?: unknown; readonly after: unknown }[];
  readonly withheld: readonly string[];
}

interface Chosen extends Comparison {
  readonly file: string;
  readonly config: unknown;
}

/** Settings as a JSON file, out and in; what a file would change is shown before anything is written. */
export function SettingsExchange({ api, onSaved }: { readonly api: Api; onSaved(): void }): VNode {
  const [chosen, setChosen] = useState<Chosen>();
  const [message, setMessage] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { problem, run } = useAction(onSaved);
  const save = async (): Promise<void> => {
    const { settings, withheld } = await api.get<{ readonly settings: unknown; readonly withheld: readonly string[] }>(
      "config/export",
    );
    saveJson("hermes-settings.json", settings);
    setMessage(withheld.length === 0 ? "" : `Left out, since they hold credentials: ${withheld.join(", ")}.`);
  };
  const read = async (file: File): Promise<void> => {
    setChosen(undefined);
    setMessage("");
    const config = parsed(await file.text());
    setChosen({ file: file.name, config, ...(await api.send<Comparison>("POST", "config/compare", { config })) });
  };
  const apply = async ({ file, config, changes }: Chosen): Promise<void> => {
    await api.send("PUT", "config", { config });
    setChosen(undefined);
    setMessage(`${changes.length} ${changes.length === 1 ? "setting" : "settings"} imported from ${file}.`);
  };
  return (
    <section aria-label="Import and export">
      <div class="buttons">
        <button type="button" class="quiet" onClick={() => void run(save())}>
          Export as JSON
        </button>
        <button type="button" class="quiet" onClick={() => field.current?.click()}>
          Import from JSON…
        </button>
        <input
          ref={field}
          hidden
          type="file"
          accept="application/json,.json"
          aria-label="File of settings"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void run(read(file));
            // The same file may be chosen again.
            currentTarget.value = "";
          }}
        />
      </div>
      <p role="status" class="hint">
        {message}
      </p>
      <Problem text={problem} />
      {chosen !== undefined && (
        <Preview chosen={chosen} onApply={() => void run(apply(chosen))} onCancel={() => setChosen(undefined)} />
      )}
    </section>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("This file is not JSON.");
  }
}

interface PreviewProps {
  readonly chosen: Chosen;
  onApply(): void;
  onCancel(): void;
}

function Preview({ chosen, onApply, onCancel }: PreviewProps): VNode {
  const { file, changes, withheld } = chosen;
  return (
    <section class="request" aria-label={`Changes from ${file}`}>
      <h3>{changes.length === 0 ? `${file} changes nothing.` : `What ${file} would change`}</h3>
      {changes.length > 0 && (
        <div class="scrolls">
          <table>
            <thead>
              <tr>
                <th>Setting</th>
                <th>Now</th>
                <th>Then</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ key, before, after }) => (
                <tr key={key}>
                  <td>{key}</td>
                  <td>
                    <del>{written(before) || "not set"}</del>
                  </td>
                  <td>
                    <ins>{written(after) || "empty"}</ins>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {withheld.length > 0 && <p class="hint">Not imported, since they hold credentials: {withheld.join(", ")}.</p>}
      <div class="buttons">
        {changes.length > 0 && (
          <button type="button" onClick={onApply}>
            Import {changes.length} {changes.length === 1 ? "setting" : "settings"}
          </button>
        )}
        <button type="button" class="quiet" onClick={onCancel}>
          {changes.length > 0 ? "Cancel" : "Close"}
        </button>
      </div>
    </section>
  );
}
