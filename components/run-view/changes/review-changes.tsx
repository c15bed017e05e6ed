'use client';

import { useMemo } from 'react';
import { useStore } from 'zustand';
import { fileChanges } from '#lib/events/file-changes.ts';
import { lazyCode } from '../../hooks/lazy-code.ts';
import { useRun } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';

const dialog = lazyCode(async () => (await import('./changes-dialog.tsx')).ChangesDialog);

/** The changes of a run while they are being reviewed. */
export function ReviewChanges() {
  const { reading } = useRunScreen();
  const reviewing = useStore(reading, (state) => state.reviewing);
  return (
    reviewing && <Review first={reviewing.path} onClose={() => reading.setState({ reviewing: undefined })} />
  );
}

function Review({ first, onClose }: { first: string | undefined; onClose: () => void }) {
  const rows = useRun((view) => view.timeline.rows);
  const changes = useMemo(() => fileChanges(rows), [rows]);
  const Dialog = dialog.useCode();
  return Dialog && <Dialog changes={changes} first={first} onClose={onClose} />;
}
