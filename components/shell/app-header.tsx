'use client';

import { Plus } from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useEffect } from 'react';
import { restoreDensity } from '#lib/browser/density.ts';
import type { Theme } from '#lib/browser/theme.ts';
import { buttonClass } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Mark } from '../ui/mark.tsx';
import { CommandPalette } from './command-palette.tsx';
import { HealthLight } from './health-light.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

const pages = [
  { href: '/', label: 'Runs' },
  { href: '/experiments', label: 'Experiments' },
  { href: '/models', label: 'Models' },
];

/** The one bar at the top: where one is, whether Ollama answers, and the way to a new run. */
export function AppHeader({ theme }: { theme: Theme }) {
  const path = usePathname();
  useEffect(restoreDensity, []);
  return (
    <header className="z-20 print:hidden border-b border-line bg-surface">
      <div className="flex h-12 items-center gap-1 px-2 sm:gap-2 sm:px-5">
        <Link
          href="/"
          className="flex items-center gap-2 rounded-md py-1 pr-1 sm:mr-3 sm:pr-2"
          aria-label="Loupe, home"
        >
          <Mark className="size-6" />
          <span className="text-lg font-semibold tracking-[-0.015em] max-[419px]:sr-only">Loupe</span>
        </Link>
        <nav aria-label="Pages" className="flex items-center gap-0.5">
          {pages.map((page) => {
            const here =
              page.href === '/' ? path === '/' || path.startsWith('/runs') : path.startsWith(page.href);
            return (
              <Link
                key={page.href}
                href={page.href}
                aria-current={here ? 'page' : undefined}
                className={cx(
                  'rounded-md px-1 py-1 font-medium sm:px-2.5 text-ink-2 hover:bg-sunken hover:text-ink',
                  here && 'text-ink',
                )}
              >
                {page.label}
              </Link>
            );
          })}
        </nav>
        <div className="ml-auto flex items-center gap-1 sm:gap-2">
          <HealthLight />
          <CommandPalette />
          <ThemeToggle initial={theme} />
          <Link href="/runs/new" className={buttonClass('plain', 'sm', 'ml-1')}>
            <Plus className="size-3.5" aria-hidden="true" />
            <span className="max-[519px]:sr-only">New run</span>
          </Link>
        </div>
      </div>
    </header>
  );
}
