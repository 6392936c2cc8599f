import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { grouped } from "../shell/grouped.tsx";
import type { PageProps } from "../shell/page-props.tsx";
import { type Action, useAction } from "../shell/use-action.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { KeyRow, type KeyVariable } from "./key-row.tsx";
import { Loading } from "./loading.tsx";
import { Problem } from "./problem.tsx";

/** Credentials by what they are for: which there are, and where one is made. What they are never comes to this page. */
export function KeysPage({ api }: PageProps): VNode {
  const [loaded, again] = useLoaded<{ readonly variables: readonly KeyVariable[] }>(api, "env");
  const [words, setWords] = useState("");
  const action = useAction(again);
  const save = (name: string, value: string): Promise<boolean> => action.run(api.send("PUT", "env", { name, value }));
  const remove = (name: string): void => {
    if (window.confirm(`Remove ${name}?`)) void action.run(api.send("DELETE", "env", { name }));
  };
  return (
    <>
      <h1>Keys</h1>
      <p class="hint">Keys are stored in the .env file of your Hermes home. They can be replaced here, but not read.</p>
      <input
        type="search"
        aria-label="Search keys"
        placeholder="Search services and names"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <Problem text={action.problem} />
      <Loading of={loaded}>
        {({ variables }) => (
          <>
            <KeyGroups
              variables={variables.filter(({ name, label }) =>
                `${name} ${label}`.toLowerCase().includes(words.trim().toLowerCase()),
              )}
              onSave={save}
              onRemove={remove}
            />
            <OtherKey onSave={save} />
          </>
        )}
      </Loading>
    </>
  );
}

interface KeyGroupsProps {
  readonly variables: readonly KeyVariable[];
  onSave(name: string, value: string): Promise<boolean>;
  onRemove(name: string): void;
}

function KeyGroups({ variables, onSave, onRemove }: KeyGroupsProps): VNode {
  const groups = grouped(variables, ({ group }) => group);
  return (
    <>
      {groups.map(([group, members]) => (
        <section key={group} aria-label={group}>
          <h2>
            {group} <small>{members.filter((one) => one.is_set).length} stored</small>
          </h2>
          <ul class="rows keys">
            {byService(members).map((variables) =>
              variables.map((variable, index) => (
                <KeyRow
                  key={variable.name}
                  variable={variable}
                  isFirst={index === 0}
                  onSave={onSave}
                  onRemove={onRemove}
                />
              )),
            )}
          </ul>
        </section>
      ))}
      {groups.length === 0 && <p>No key matches.</p>}
    </>
  );
}

/** The variables of each service together, those first of which one is stored. */
function byService(variables: readonly KeyVariable[]): readonly (readonly KeyVariable[])[] {
  const services = grouped(variables, ({ label }) => label).map(([, members]) => members);
  const isUsed = (members: readonly KeyVariable[]): number => Number(members.some((one) => one.is_set));
  return services.toSorted((one, other) => isUsed(other) - isUsed(one));
}

/** For a service that Hermes does not know: a plugin's, an MCP server's. */
function OtherKey({ onSave }: { readonly onSave: (name: string, value: string) => ReturnType<Action["run"]> }): VNode {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const save = (event: Event): void => {
    event.preventDefault();
    void onSave(name.trim(), value).then((isDone) => {
      if (!isDone) return;
      setName("");
      setValue("");
    });
  };
  return (
    <details class="more">
      <summary>Store a key that is not listed</summary>
      <form class="form" onSubmit={save}>
        <label>
          Name{" "}
          <input
            type="text"
            required
            placeholder="MY_SERVICE_API_KEY"
            autocomplete="off"
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
      </form>
    </details>
  );
}
