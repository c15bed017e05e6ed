'use client';

import { useEffect } from 'react';
import { storedText, storeText } from '#lib/browser/prefs/stored-text.ts';
import { Button } from '../ui/button.tsx';
import { MessagePage } from './message-page.tsx';

/** A second failure within this time, in milliseconds, is not one that reloading solves. */
const SOON_MS = 30_000;

/**
 * Shown for a page whose code the server no longer has, because Loupe was updated: loads the new page, once
 * automatically.
 */
export function OutdatedPage() {
  useEffect(() => {
    if (Date.now() - Number(storedText('session', 'reloaded-at') ?? 0) < SOON_MS) return;
    storeText('session', 'reloaded-at', String(Date.now()));
    // A server that has stopped would leave only the browser's own error page.
    fetch('/api/health').then(
      () => location.reload(),
      () => {},
    );
  }, []);
  return (
    <MessagePage
      title="This page needs a reload"
      message="Its code could not be loaded. Loupe has been updated since you opened it, or has stopped. Your runs are not affected."
    >
      <Button kind="primary" className="mt-6" onClick={() => location.reload()}>
        Reload
      </Button>
    </MessagePage>
  );
}
