import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../shell/page-props.ts";
import { useLoaded } from "../shell/use-loaded.ts";
import { Loading } from "./loading.tsx";

interface Variable {
  readonly name: string;
  readonly is_set: boolean;
}

/** Credentials: which there are. What they are never comes to this page. */
export function KeysPage({ api }: PageProps): VNode {
  const [loaded, again] = useLoaded<{ readonly variables: readonly Variable[] }>(api, "env");
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [problem, setProblem] = useState("");
  const act = async (work: Promise<unknown>): Promise<void> => {
    setProblem("");
    await work.then(
      () => setValue(""),
      (error: Error) => setProblem(error.message),
    );
    again();
  };
  const save = (event: Event): void => {
    event.preventDefault();
    void act(api.send("PUT", "env", { name, value }));
  };
  return (
    <>
      <h1>Keys</h1>
      <form class="form" onSubmit={save}>
        <label>
          Name{" "}
          <input
            type="text"
            required
            list="key-names"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          Value{" "}
          <input
            type="password"
            required
            autocomplete="off"
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Save</button>
        {problem !== "" && <p role="alert">{problem}</p>}
      </form>
      <Loading of={loaded}>
        {({ variables }) => (
          <>
            <datalist id="key-names">
              {variables.map((one) => (
                <option key={one.name} value={one.name} />
              ))}
            </datalist>
            <h2>Stored keys</h2>
            <SetKeys
              names={variables.filter((one) => one.is_set).map((one) => one.name)}
              onRemove={(gone) => void act(api.send("DELETE", `env/${encodeURIComponent(gone)}`))}
            />
          </>
        )}
      </Loading>
    </>
  );
}

function SetKeys({ names, onRemove }: { readonly names: readonly string[]; onRemove(name: string): void }): VNode {
  return (
    <ul class="rows">
      {names.length === 0 && <li>None yet. A key that you save here goes into .env of the Hermes home.</li>}
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code> ••••{" "}
          <button type="button" class="deny" aria-label={`Remove ${name}`} onClick={() => onRemove(name)}>
            Remove
          </button>
        </li>
      ))}
    </ul>
  );
}
