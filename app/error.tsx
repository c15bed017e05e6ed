'use client';

import { isMissingCode } from '#lib/browser/load-code.ts';
import { MessagePage } from '../components/shell/message-page.tsx';
import { OutdatedPage } from '../components/shell/outdated-page.tsx';
import { Button } from '../components/ui/button.tsx';

/** Shown for a bug on a page, or code that no longer exists. The run itself is not affected. */
export default function ErrorPage({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  if (isMissingCode(error)) return <OutdatedPage />;
  return (
    <MessagePage
      title="This page crashed"
      message="Your runs continue. Try again; if the page keeps crashing, please report it."
    >
      <pre className="foreign mt-4 rounded-md border bg-sunken px-3 py-2 text-sm">{error.message}</pre>
      <Button kind="primary" className="mt-6" onClick={reset}>
        Try again
      </Button>
    </MessagePage>
  );
}
