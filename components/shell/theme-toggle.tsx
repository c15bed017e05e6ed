'use client';

import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { chooseTheme, type Theme } from '#lib/browser/prefs/theme.ts';

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: Monitor, light: Sun, dark: Moon };

/** One button through system, light and dark. */
export function ThemeToggle({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial);
  const Icon = icons[theme];
  return (
    <button
      type="button"
      onClick={() => {
        setTheme(next[theme]);
        chooseTheme(next[theme]);
      }}
      aria-label={`Theme: ${theme}. Change to ${next[theme]}`}
      title={`Theme: ${theme}`}
      className="grid size-8 place-items-center rounded-md text-ink-2 hover:bg-sunken hover:text-ink max-sm:hidden"
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  );
}
