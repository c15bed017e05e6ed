import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { preload } from 'react-dom';
import { ApiCache } from '../components/shell/api-cache.tsx';
import { AppHeader } from '../components/shell/app-header.tsx';
import { UnconfinedBanner } from '../components/shell/unconfined-banner.tsx';
import { UndoDeletion } from '../components/shell/undo-deletion.tsx';
import { Announcements } from '../components/ui/announcements.tsx';
import { THEME_COOKIE, themeOf } from '../lib/browser/prefs/theme.ts';
import { FONT_PATHS } from './fonts.ts';
import './globals.css';

export const dynamic = 'force-dynamic';

export const metadata: Metadata = {
  title: { default: 'Loupe', template: '%s · Loupe' },
  description: 'The workbench for agents on local models.',
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f6f4f0' },
    { media: '(prefers-color-scheme: dark)', color: '#141311' },
  ],
};

/** The shell of every page. The theme comes from a cookie, so that no script has to run before the first paint. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  // A font that only the style sheet names arrives after the first paint, and moves the text.
  for (const path of FONT_PATHS) preload(path, { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' });
  const unconfined = process.env.LOUPE_UNCONFINED?.trim() === '1';
  const theme = themeOf((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme === 'system' ? undefined : theme}>
      <body className={`flex min-h-dvh flex-col ${unconfined ? '[--banner:2rem]' : ''}`}>
        <a
          href="#main"
          className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2"
        >
          Skip to the content
        </a>
        {unconfined && <UnconfinedBanner />}
        <ApiCache>
          <AppHeader theme={theme} />
          {children}
        </ApiCache>
        <Announcements />
        <UndoDeletion />
      </body>
    </html>
  );
}
