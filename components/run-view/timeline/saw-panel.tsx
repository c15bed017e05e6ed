'use client';

import { type ComponentType, useState } from 'react';
import type { SentRequestReply } from '#lib/api/sent-request.ts';
import { loadCode } from '#lib/browser/load-code.ts';
import { useRequest } from '../../hooks/use-request.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useRunScreen } from '../screen-context.ts';
import { LongText } from './long-text.tsx';
import { Disclosure } from './row-frame.tsx';

type SentRequestView = ComponentType<{ sent: SentRequestReply; id: string }>;

/** What the model was asked in one call. */
export function SawPanel({
  call,
  id,
  load,
}: {
  call: number;
  id: string;
  /** Loads what shows the request. */
  load: () => Promise<SentRequestView>;
}) {
  const { server } = useRunScreen();
  const [loaded, setLoaded] = useState<{ sent: SentRequestReply; View: SentRequestView }>();
  const { problem, run } = useRequest();
  const [open, setOpen] = useState(false);
  if (!server) return null;
  const toggle = () => {
    setOpen(!open);
    if (open || loaded) return;
    void run(async () => {
      const [sent, View] = await Promise.all([server.sentRequest(call), loadCode(load)]);
      setLoaded({ sent, View });
    });
  };
  return (
    <section aria-label={`What the model saw in call ${call}`} className="min-w-0">
      <Disclosure open={open} onToggle={toggle}>
        <span className="caption">What the model saw</span>
      </Disclosure>
      {open && (
        <div className="mt-1 min-w-0 rounded-md border bg-sunken px-3 py-2 font-mono text-xs leading-relaxed">
          {problem && <ErrorNote error={problem} />}
          {!loaded && !problem && <p className="text-ink-3">Reading the log</p>}
          {loaded && <loaded.View sent={loaded.sent} id={id} />}
        </div>
      )}
    </section>
  );
}

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
