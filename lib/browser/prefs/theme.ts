import { createStore } from 'zustand/vanilla';

export type Theme = 'system' | 'light' | 'dark';

export const THEME_COOKIE = 'loupe_theme';

/** Reads the cookie's value; anything unknown follows the system. */
export function themeOf(value: string | undefined): Theme {
  return value === 'light' || value === 'dark' ? value : 'system';
}

/** The theme chosen since the page was loaded, if any. */
export const chosenTheme = createStore<Theme | undefined>(() => undefined);

/** Applies a theme to this page and keeps it for a year. */
export function chooseTheme(theme: Theme): void {
  chosenTheme.setState(theme, true);
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  const age = theme === 'system' ? 0 : 31_536_000;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and Safari
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=${age}; samesite=lax`;
}
