import type { VNode } from "preact";

const names: Readonly<Record<string, string>> = {
  default: "Default",
  midnight: "Midnight",
  ember: "Ember",
  mono: "Mono",
  cyberpunk: "Cyberpunk",
  rose: "Rose",
};

export interface ThemePickerProps {
  readonly themes: readonly string[];
  readonly current: string;
  onPick(theme: string): void;
}

/** The themes, each as a sample in its own colours. */
export function ThemePicker({ themes, current, onPick }: ThemePickerProps): VNode {
  return (
    <fieldset class="themes">
      <legend>Theme</legend>
      {themes.map((theme) => (
        <label key={theme} data-theme={theme}>
          <input type="radio" name="theme" value={theme} checked={theme === current} onChange={() => onPick(theme)} />{" "}
          {names[theme] ?? theme} <i aria-hidden="true" />
        </label>
      ))}
    </fieldset>
  );
}
