/** The theme of the page, by its name in `dashboard.theme`; the server writes it into the page, so that nothing flickers. */
export function showTheme(name: string): void {
  document.documentElement.dataset["theme"] = name;
}

/** As it is drawn now: by the theme where that is always dark, otherwise by the browser. */
export function isDark(): boolean {
  const { colorScheme } = getComputedStyle(document.documentElement);
  return colorScheme === "dark" || (colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
}
