import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Api } from "../../shell/api.tsx";
import { grouped } from "../../shell/grouped.tsx";
import type { PageProps } from "../../shell/page-props.tsx";
import { showTheme } from "../../shell/theme.tsx";
import { useLoaded } from "../../shell/use-loaded.tsx";
import { Loading } from "../loading.tsx";
import { type Setting, SettingRow, written } from "./setting-row.tsx";
import { SettingsExchange } from "./settings-exchange.tsx";
import { ThemePicker } from "./theme-picker.tsx";

const themeKey = "dashboard.theme";

/** Every setting of the schema, by category or found by words; what is saved changes one key of the file and nothing else in it. */
export function SettingsPage({ api }: PageProps): VNode {
  const [words, setWords] = useState("");
  const [loaded, again] = useLoaded<{ readonly settings: readonly Setting[] }>(api, "config/schema");
  const theme = loaded.kind === "ready" ? loaded.value.settings.find(({ key }) => key === themeKey) : undefined;
  const current = written(theme?.value);
  useEffect(() => {
    if (current !== "") showTheme(current);
  }, [current]);
  return (
    <>
      <h1>Settings</h1>
      {theme !== undefined && (
        <ThemePicker
          themes={theme.choices}
          current={current}
          onPick={(value) => void api.send("PUT", "config", { key: themeKey, value }).then(again)}
        />
      )}
      <SettingsExchange api={api} onSaved={again} />
      <input
        type="search"
        aria-label="Search settings"
        placeholder="Search names and descriptions"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <Loading of={loaded}>
        {({ settings }) =>
          words.trim() === "" ? (
            <Categories api={api} settings={settings} onSaved={again} />
          ) : (
            <Found api={api} settings={settings} words={words.trim().toLowerCase()} onSaved={again} />
          )
        }
      </Loading>
    </>
  );
}

interface ListProps {
  readonly api: Api;
  readonly settings: readonly Setting[];
  onSaved(): void;
}

const mostFound = 60;

function Found({ api, settings, words, onSaved }: ListProps & { readonly words: string }): VNode {
  const found = settings.filter((one) => `${one.key} ${one.description}`.toLowerCase().includes(words));
  return (
    <>
      <Rows api={api} settings={found.slice(0, mostFound)} onSaved={onSaved} />
      {found.length === 0 && <p>No setting matches.</p>}
      {found.length > mostFound && (
        <p class="hint">And {found.length - mostFound} more; add a word to narrow it down.</p>
      )}
    </>
  );
}

/** Those that are set, then all by category, folded. */
function Categories({ api, settings, onSaved }: ListProps): VNode {
  const [open, setOpen] = useState<string>();
  const own = settings.filter((one) => one.is_set);
  return (
    <>
      <h2>Set by you</h2>
      {own.length === 0 && <p>Nothing is set yet: every setting has its default.</p>}
      <Rows api={api} settings={own} onSaved={onSaved} />
      <h2>All settings</h2>
      {grouped(settings, ({ category }) => category).map(([category, members]) => (
        <details
          key={category}
          class="more"
          onToggle={({ currentTarget }) => currentTarget.open && setOpen(category)}
          open={open === category}
        >
          <summary>
            {category} <small>{members.length}</small>
          </summary>
          {open === category && <Rows api={api} settings={members} onSaved={onSaved} />}
        </details>
      ))}
    </>
  );
}

function Rows({ api, settings, onSaved }: ListProps): VNode {
  return (
    <>
      {settings.map((setting) => (
        <SettingRow key={setting.key} api={api} setting={setting} onSaved={onSaved} />
      ))}
    </>
  );
}
