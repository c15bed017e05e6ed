'use client';

import { Plus } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useEffect, useRef } from 'react';
import { restoreDensity } from '#lib/browser/prefs/density.ts';
import type { Theme } from '#lib/browser/prefs/theme.ts';
import { useHealth } from '../hooks/use-health.ts';
import { buttonClass } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Link } from '../ui/link.tsx';
import { Mark } from '../ui/mark.tsx';
import { CommandPalette, type PaletteHandle } from './command-palette.tsx';
import { HealthLight } from './health-light.tsx';
import { HERE_MARK, MoreMenu } from './more-menu.tsx';
import { NotifyToggle } from './notify-toggle.tsx';
import { StorageBanner } from './storage-banner.tsx';
import { ThemeToggle } from './theme-toggle.tsx';
import { UpdateBanner, useIsOutdated } from './update-banner.tsx';
import { useServerWatch } from './use-server-watch.ts';

interface Page {
  href: string;
  label: string;
  /** Other paths that belong to it. */
  parts?: readonly string[];
  /** The screens whose bar has room for it; on others it is in the menu. */
  from?: 'wide' | 'phone';
}

const pages: readonly Page[] = [
  { href: '/', label: 'Runs', parts: ['/runs'] },
  { href: '/experiments', label: 'Experiments' },
  { href: '/suites', label: 'Suites', parts: ['/benchmarks'], from: 'wide' },
  { href: '/ratings', label: 'Ratings', from: 'wide' },
  { href: '/models', label: 'Models', from: 'phone' },
  { href: '/tools', label: 'Tools', from: 'wide' },
  { href: '/shares', label: 'Shared', from: 'wide' },
];
const more: readonly Page[] = [
  ...pages.filter(({ from }) => from),
  { href: '/compare', label: 'Compare runs' },
  { href: '/health', label: 'Health' },
];

function isHere({ href, parts = [] }: Page, path: string): boolean {
  return path === href || [...(href === '/' ? [] : [href]), ...parts].some((start) => path.startsWith(start));
}

/** The bar at the top: the pages, whether Ollama responds, and a link to the form for a new run. */
export function AppHeader({ theme }: { theme: Theme }) {
  const path = usePathname();
  useEffect(restoreDensity, []);
  const palette = useRef<PaletteHandle>(null);
  const health = useHealth();
  const isOutdated = useIsOutdated(health.data?.build);
  const readOnly = health.data?.store.read_only;
  useServerWatch(health.data !== undefined && health.error?.status !== 401, health.reload);
  return (
    <header className="z-20 print:hidden border-b border-line bg-surface">
      {readOnly ? <StorageBanner problem={readOnly} /> : isOutdated && <UpdateBanner />}
      <div className="flex h-12 items-center gap-1 px-2 sm:gap-2 sm:px-5">
        <Link
          href="/"
          className="target flex items-center gap-2 rounded-md py-1 pr-1 max-[26.1875rem]:hidden sm:mr-3 sm:pr-2"
          aria-label="Loupe, home"
        >
          <Mark className="size-6" />
          <span className="text-lg font-semibold tracking-[-0.015em] max-[32.4375rem]:sr-only">Loupe</span>
        </Link>
        <nav
          aria-label="Pages"
          className="flex h-full items-center gap-0.5 max-[20rem]:min-w-0 max-[20rem]:overflow-x-auto"
        >
          {pages.map((page) => {
            const here = isHere(page, path);
            return (
              <Link
                key={page.href}
                href={page.href}
                aria-current={here ? 'page' : undefined}
                className={cx(
                  'target relative flex h-8 shrink-0 items-center justify-center rounded-md px-1 font-medium text-ink-2 hover:bg-sunken hover:text-ink sm:px-2.5',
                  here && [HERE_MARK, 'sm:after:inset-x-2.5'],
                  page.from === 'wide' && 'max-lg:hidden',
                  page.from === 'phone' && 'max-[22.4375rem]:hidden',
                )}
              >
                {page.label}
              </Link>
            );
          })}
        </nav>
        <div className="ml-auto flex items-center sm:gap-2">
          <HealthLight data={health.data} error={health.error} />
          <CommandPalette handle={palette} />
          <NotifyToggle />
          <ThemeToggle initial={theme} />
          <MoreMenu
            pages={more.map((page) => ({
              ...page,
              here: isHere(page, path),
              onlyNarrow: page.from === 'phone',
            }))}
            onCommands={() => palette.current?.open()}
          />
          <Link
            href="/runs/new"
            className={buttonClass('plain', 'sm', 'sm:ml-1 max-sm:border-0 max-sm:bg-transparent')}
          >
            <Plus className="size-3.5" aria-hidden="true" />
            <span className="max-[32.4375rem]:sr-only sm:max-md:sr-only">New run</span>
          </Link>
        </div>
      </div>
    </header>
  );
}
