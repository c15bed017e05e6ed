'use client';

import { type ComponentType, useState } from 'react';
import type { SentRequestReply } from '#lib/api/sent-request.ts';
import { loadCode } from '#lib/browser/load-code.ts';
import { useRequest } from '../../hooks/use-request.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useRunScreen } from '../screen-context.ts';
import { Disclosure } from './row-frame.tsx';

type SentRequestView = ComponentType<{ sent: SentRequestReply; id: string }>;

/** The request of one model call. */
export function SentRequestPanel({
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
          {!loaded && !problem && <p className="text-ink-3">Reading the log…</p>}
          {loaded && <loaded.View sent={loaded.sent} id={id} />}
        </div>
      )}
    </section>
  );
}
