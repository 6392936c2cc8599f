import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { Api } from "../shell/api.ts";
import type { PageProps } from "../shell/page-props.ts";
import { useLoaded } from "../shell/use-loaded.ts";
import { Loading } from "./loading.tsx";

interface Setting {
  readonly key: string;
  readonly type: string;
  readonly choices: readonly string[];
  readonly description: string;
  readonly category: string;
  readonly default?: unknown;
  readonly value?: unknown;
  readonly is_set: boolean;
}

const mostShown = 60;

/** Every setting of the schema, found by words; what is saved changes one key of the file and nothing else in it. */
export function SettingsPage({ api }: PageProps): VNode {
  const [words, setWords] = useState("");
  const [loaded, again] = useLoaded<{ readonly settings: readonly Setting[] }>(api, "config/schema");
  return (
    <>
      <h1>Settings</h1>
      <input
        type="search"
        aria-label="Search settings"
        placeholder="Search names and descriptions"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {words === "" && <p class="hint">These are set in your config.yaml. Search to see all others.</p>}
      <Loading of={loaded}>
        {({ settings }) => {
          const found = settings.filter((one) =>
            words === "" ? one.is_set : `${one.key} ${one.description}`.toLowerCase().includes(words.toLowerCase()),
          );
          return (
            <>
              {found.slice(0, mostShown).map((setting) => (
                <SettingRow
                  key={`${setting.key} ${shown(setting.value)}`}
                  api={api}
                  setting={setting}
                  onSaved={again}
                />
              ))}
              {found.length === 0 && <p>Nothing was found.</p>}
              {found.length > mostShown && <p>And {found.length - mostShown} more.</p>}
            </>
          );
        }}
      </Loading>
    </>
  );
}

/** What stands between backticks is code. */
function withCode(text: string): ComponentChildren {
  return text.split("`").map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}

const shown = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

function SettingRow({
  api,
  setting,
  onSaved,
}: {
  readonly api: Api;
  readonly setting: Setting;
  onSaved(): void;
}): VNode {
  const { key, type, choices, description, is_set: isSet } = setting;
  const before = shown(setting.value);
  const [text, setText] = useState(before);
  const [problem, setProblem] = useState("");
  const act = (work: Promise<unknown>): void => {
    setProblem("");
    void work.then(onSaved, (error: Error) => setProblem(error.message));
  };
  const save = (event: Event): void => {
    event.preventDefault();
    act(api.send("PUT", "config", { key, value: text }));
  };
  const change = (event: { readonly currentTarget: { readonly value: string } }): void =>
    setText(event.currentTarget.value);
  const options = type === "true or false" ? ["true", "false"] : choices;
  return (
    <form class="setting" onSubmit={save}>
      <div>
        <strong>{key}</strong> <small>{withCode(description)}</small>
        <br />
        {options.length > 0 ? (
          <select aria-label={key} value={text} onChange={change}>
            {options.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        ) : (
          <input type="text" aria-label={key} placeholder="not set" value={text} onInput={change} />
        )}
      </div>{" "}
      {text !== before && (
        <>
          <del>{before === "" ? "empty" : before}</del> <ins>{text === "" ? "empty" : text}</ins>{" "}
          <button type="submit" aria-label={`Save ${key}`}>
            Save
          </button>
        </>
      )}{" "}
      {isSet && (
        <button
          type="button"
          class="quiet"
          aria-label={`Reset ${key}`}
          onClick={() => act(api.send("DELETE", `config/${encodeURIComponent(key)}`))}
        >
          Reset
        </button>
      )}
      {problem !== "" && <p role="alert">{problem}</p>}
    </form>
  );
}
