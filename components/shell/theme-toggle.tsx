'use client';

import { Monitor, Moon, Sun } from 'lucide-react';
import { useStore } from 'zustand';
import { chooseTheme, chosenTheme, type Theme } from '#lib/browser/prefs/theme.ts';

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: Monitor, light: Sun, dark: Moon };

/** One button through system, light and dark. */
export function ThemeToggle({ initial }: { initial: Theme }) {
  const theme = useStore(chosenTheme) ?? initial;
  const Icon = icons[theme];
  return (
    <button
      type="button"
      onClick={() => chooseTheme(next[theme])}
      aria-label={`Theme: ${theme}. Change to ${next[theme]}`}
      title={`Theme: ${theme}`}
      className="grid size-8 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink max-sm:hidden"
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  );
}
