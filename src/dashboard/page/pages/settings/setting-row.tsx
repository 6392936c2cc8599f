import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Api } from "../../shell/api.tsx";

export interface Setting {
  readonly key: string;
  readonly type: string;
  readonly choices: readonly string[];
  readonly description: string;
  readonly category: string;
  readonly default?: unknown;
  readonly value?: unknown;
  /** When a change begins to count. */
  readonly reload: "now" | "next-session" | "restart";
  /** Why a value does nothing so far. */
  readonly no_effect: string | null;
  readonly is_set: boolean;
  /** What sets it that is not the file of settings: a variable, an option. */
  readonly set_by: string | null;
}

/** A value as it is written in a field. */
export const written = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

const reloadWords: Readonly<Record<Setting["reload"], string>> = {
  now: "",
  "next-session": "Applies from the next conversation on.",
  restart: "Applies after a restart.",
};

interface SettingRowProps {
  readonly api: Api;
  readonly setting: Setting;
  onSaved(): void;
}

/** One setting: what it does, its value, and what saving would change. */
export function SettingRow({ api, setting, onSaved }: SettingRowProps): VNode {
  const { key, is_set: isSet, set_by: setBy } = setting;
  const before = written(setting.value);
  const [text, setText] = useState(before);
  const [problem, setProblem] = useState("");
  useEffect(() => setText(before), [before]);
  const act = (work: Promise<unknown>): void => {
    setProblem("");
    void work.then(onSaved, (error: Error) => setProblem(error.message));
  };
  const save = (event: Event): void => {
    event.preventDefault();
    act(api.send("PUT", "config", { key, value: text }));
  };
  return (
    <form class="setting" onSubmit={save}>
      <h3>{key}</h3>
      <p class="hint">
        {withCode(setting.description)} {setting.no_effect ?? reloadWords[setting.reload]}
        {setBy !== null && ` Now set by ${setBy}.`}
      </p>
      <div class="buttons">
        <SettingField setting={setting} text={text} onChange={setText} />
        {text !== before && (
          <button type="submit" aria-label={`Save ${key}`}>
            Save
          </button>
        )}
        {isSet && setBy === null && (
          <button
            type="button"
            class="quiet"
            aria-label={`Reset ${key}`}
            onClick={() => act(api.send("DELETE", `config/${encodeURIComponent(key)}`))}
          >
            Reset
          </button>
        )}
      </div>
      {text !== before && (
        <p class="difference">
          <del>{before === "" ? "empty" : before}</del> → <ins>{text === "" ? "empty" : text}</ins>
        </p>
      )}
      {problem !== "" && <p role="alert">{problem}</p>}
    </form>
  );
}

interface SettingFieldProps {
  readonly setting: Setting;
  readonly text: string;
  onChange(text: string): void;
}

function SettingField({ setting, text, onChange }: SettingFieldProps): VNode {
  const { key, type, choices } = setting;
  const options = type === "true or false" ? ["true", "false"] : choices;
  const change = (event: { readonly currentTarget: { readonly value: string } }): void =>
    onChange(event.currentTarget.value);
  const standard = written(setting.default);
  const placeholder = standard === "" ? "not set" : standard;
  if (options.length > 0)
    return (
      <select aria-label={key} value={text} onChange={change}>
        {!options.includes(text) && <option value={text}>{text === "" ? "not set" : text}</option>}
        {options.map((choice) => (
          <option key={choice} value={choice}>
            {choice === "" ? "empty" : choice}
          </option>
        ))}
      </select>
    );
  if (/^(?:list|map)/.test(type) || text.length > 60)
    return (
      <textarea
        aria-label={key}
        rows={Math.min(6, Math.ceil(text.length / 70) + 1)}
        placeholder={placeholder}
        value={text}
        onInput={change}
      />
    );
  return <input type="text" aria-label={key} placeholder={placeholder} value={text} onInput={change} />;
}

/** What stands between backticks is code. */
function withCode(text: string): ComponentChildren {
  return text.split("`").map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
