import type { VNode } from "preact";
import { useState } from "preact/hooks";

export interface KeyVariable {
  readonly name: string;
  readonly is_set: boolean;
  readonly group: string;
  readonly label: string;
  /** Where one is made. */
  readonly url: string | null;
}

export interface KeyRowProps {
  readonly variable: KeyVariable;
  /** Of its service: the name of that stands once. */
  readonly isFirst: boolean;
  onSave(name: string, value: string): Promise<boolean>;
  onRemove(name: string): void;
}

/** One credential; its field is there when it is asked for. */
export function KeyRow({ variable, isFirst, onSave, onRemove }: KeyRowProps): VNode {
  const { name, label, is_set: isSet, url } = variable;
  const [isOpen, setOpen] = useState(false);
  return (
    <li class={isFirst ? "first" : "more-of-it"}>
      <div class="key">
        <span class="service">
          <strong>{label === name ? "" : label}</strong>
          <code>{name}</code>
        </span>
        <span class={isSet ? "stored" : "hint"}>{isSet ? "•••• stored" : "not set"}</span>
        <span class="actions">
          {url !== null && isFirst && (
            <a href={url} target="_blank" rel="noopener noreferrer" aria-label={`Get a key for ${label}`}>
              Get a key
            </a>
          )}
          <button
            type="button"
            class="quiet"
            aria-expanded={isOpen}
            aria-label={`${isSet ? "Replace" : "Set"} ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            {isSet ? "Replace" : "Set"}
          </button>
          {isSet && (
            <button type="button" class="deny" aria-label={`Remove ${name}`} onClick={() => onRemove(name)}>
              Remove
            </button>
          )}
        </span>
      </div>
      {isOpen && <KeyField name={name} onSave={onSave} onClose={() => setOpen(false)} />}
    </li>
  );
}

interface KeyFieldProps extends Pick<KeyRowProps, "onSave"> {
  readonly name: string;
  onClose(): void;
}

function KeyField({ name, onSave, onClose }: KeyFieldProps): VNode {
  const [value, setValue] = useState("");
  const save = (event: Event): void => {
    event.preventDefault();
    void onSave(name, value).then((isDone) => isDone && onClose());
  };
  return (
    <form class="answer" onSubmit={save}>
      <input
        type="password"
        required
        autocomplete="off"
        aria-label={`Value of ${name}`}
        placeholder="Paste the key"
        value={value}
        ref={(field) => field?.focus()}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <button type="submit">Save</button>
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
    </form>
  );
}
