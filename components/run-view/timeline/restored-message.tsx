'use client';

import { useState } from 'react';
import { useRequest } from '../../hooks/use-request.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useRunScreen } from '../screen-context.ts';
import { LongText } from './long-text.tsx';

/** The full text of a message shortened by compaction, fetched from the next call. */
export function RestoredMessage({
  call,
  index,
  id,
}: {
  /** The call after the compaction; `undefined` before there is one. */
  call: number | undefined;
  index: number;
  id: string;
}) {
  const { server } = useRunScreen();
  const [whole, setWhole] = useState<string>();
  const { problem, run } = useRequest();
  if (whole !== undefined) return <LongText id={`${id}.whole`} text={whole} label="full message" />;
  if (call === undefined || !server) return null;
  const restore = () =>
    run(async () => {
      const sent = await server.sentRequest(call);
      setWhole(sent.messages[index]?.whole ?? '');
    });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 font-sans">
      <Button size="sm" onClick={() => void restore()}>
        Show in full
      </Button>
      {problem && <ErrorNote error={problem} />}
    </div>
  );
}
