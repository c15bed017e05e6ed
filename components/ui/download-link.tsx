'use client';

import type { MouseEvent, ReactNode } from 'react';
import { download } from '#lib/browser/download.ts';
import { useRequest } from '../hooks/use-request.ts';
import { cx } from './cx.ts';
import { ErrorLine } from './error-line.tsx';

/** Downloads a file: of our server, or of a shared run, whose link is enough. */
export function DownloadLink({
  href,
  className,
  children,
}: {
  href: string;
  className?: string;
  children: ReactNode;
}) {
  const { problem, run } = useRequest();
  const start = (event: MouseEvent) => {
    if (!href.startsWith('/api/')) return;
    event.preventDefault();
    void run(() => download(href));
  };
  return (
    <>
      <a
        href={href}
        download
        className={cx(className, 'print:hidden')}
        onClick={start}
        onAuxClick={(event) => {
          if (event.button === 1) start(event);
        }}
      >
        {children}
      </a>
      {problem && <ErrorLine error={problem} />}
    </>
  );
}
