'use client';

import { useMemo } from 'react';
import { useStore } from 'zustand';
import { rawText } from '#lib/browser/prefs/raw-text.ts';
import { plural } from '#lib/browser/words/format.ts';
import { type LiveReply, liveReply } from '#lib/events/live-reply.ts';
import type { RunState } from '#lib/events/run-state.ts';
import { useLive } from '../live-context.ts';
import { useRun } from '../run-context.tsx';
import { useUnfolded } from '../screen-context.ts';
import { LiveMarkdown } from './live-markdown.tsx';
import { LiveTail } from './live-tail.tsx';
import { Disclosure, Panel } from './row-frame.tsx';

const NO_TOOLS: RunState['tools'] = [];

/** The thinking and text that a call is writing. A reader who wants source text gets it as it arrives. */
export function Writing({ call }: { call: number }) {
  const mine = useLive((live) => live.call === call);
  const thinking = useLive((live) => live.thinking);
  const text = useLive((live) => live.text);
  const tools = useRun(({ run }) => (run.openCall?.tool_count ? run.tools : NO_TOOLS));
  const isRaw = useStore(rawText, (state) => state.isRaw);
  const written = text?.text ?? '';
  const reply = useMemo<LiveReply>(
    () => (isRaw ? { thinking: '', text: written, call: '' } : liveReply(written, tools)),
    [isRaw, written, tools],
  );
  if (!mine) return null;
  const thought = `${thinking?.text ?? ''}${reply.thinking}`;
  return (
    <>
      {thought.trim() !== '' && (
        <p className="foreign mt-1.5 max-w-read border-l-2 border-line-strong pl-3 text-ink-2 italic">
          <LiveTail live={{ start: thinking?.start ?? 0, text: thought.trimStart() }} />
        </p>
      )}
      {reply.text.trim() !== '' && (
        <div className="mt-1.5">
          <LiveMarkdown live={{ start: text?.start ?? 0, text: reply.text }} />
        </div>
      )}
      {reply.call !== '' && <PossibleCall id={`${call}.possible-call`} text={reply.call} />}
    </>
  );
}

/** What the parser may read as a call once the reply is complete. */
function PossibleCall({ id, text }: { id: string; text: string }) {
  const [open, toggle] = useUnfolded(id);
  return (
    <div className="mt-1.5 text-sm">
      <Disclosure open={open} onToggle={toggle}>
        <span className="tnum text-ink-3">Possible tool call, {plural(text.length, 'character')}</span>
      </Disclosure>
      {open && (
        <div className="mt-1">
          <Panel label="As written so far">
            <p className="foreign whitespace-pre-wrap">
              <LiveTail live={{ start: 0, text }} />
            </p>
          </Panel>
        </div>
      )}
    </div>
  );
}
