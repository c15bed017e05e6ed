'use client';

import { Share2 } from 'lucide-react';
import { useLoaded } from '../hooks/use-loaded.ts';
import { useRun } from '../run-view/run-context.tsx';
import { useRunScreen } from '../run-view/screen-context.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

async function loadDialog() {
  const [{ ShareDialog }, { SharePreview }] = await Promise.all([
    import('./share-dialog.tsx'),
    import('./share-preview.tsx'),
  ]);
  return { ShareDialog, SharePreview };
}

/** Opens the dialog that makes a link to this run. Hidden if the run may only be read. */
export function ShareButton() {
  const { server } = useRunScreen();
  const runId = useRun((view) => view.run.runId);
  const ended = useRun((view) => view.run.phase === 'ended');
  const there = useRun((view) => view.run.seq > 0);
  const { opened, open, close } = useLoaded(loadDialog);
  if (!server?.operates || !there) return null;
  return (
    <>
      <Button size="sm" onClick={() => open(() => true)}>
        <Share2 className="size-3.5" aria-hidden="true" />
        <span className="max-[26.1875rem]:sr-only">Share</span>
      </Button>
      <Dialog
        open={opened !== undefined}
        onClose={close}
        aria-labelledby="share-title"
        className="h-[min(48rem,calc(100dvh-2rem))] w-[min(72rem,calc(100vw-2rem))] overflow-hidden max-sm:h-dvh max-sm:max-h-none max-sm:w-screen max-sm:max-w-none max-sm:rounded-none max-sm:border-0"
      >
        {opened && (
          <opened.code.ShareDialog
            runId={runId}
            ended={ended}
            Preview={opened.code.SharePreview}
            onClose={close}
          />
        )}
      </Dialog>
    </>
  );
}
