'use client';

import { useId, useMemo, useRef, useState } from 'react';
import type { ApprovalReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import { focusUnlessMoved } from '#lib/browser/focus-soon.ts';
import { NOTHING_WAITS, type WaitingCalls, waitingCalls } from '#lib/browser/state/waiting-calls.ts';
import { whenShown } from '#lib/browser/state/when-shown.ts';
import { APPROVE_ALL_KEY } from '#lib/browser/words/approval-words.ts';
import { plural } from '#lib/browser/words/format.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { KeyHint } from '../ui/key-hint.tsx';
import { useRun, useRunSource } from './run-context.tsx';
import { useRunScreen } from './screen-context.ts';
import { useApprovalKeys } from './use-approval-keys.ts';

/** Decides about all waiting calls of a reply at once, if there are several. Also handles the keys for a single one. */
export function ApprovalBar() {
  const rows = useRun((view) => view.timeline.rows);
  const awaiting = useRun((view) => view.run.phase === 'awaiting-approval');
  const waiting = useMemo(() => (awaiting ? waitingCalls(rows) : NOTHING_WAITS), [awaiting, rows]);
  // Entries about the calls of one reply do not apply to the next.
  return <Decisions key={waiting.reply} {...waiting} />;
}

function Decisions({ calls, asking }: WaitingCalls) {
  const runId = useRun((view) => view.run.runId);
  const source = useRunSource();
  const { goTo } = useRunScreen();
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState('');
  const { busy, problem, run } = useRequest();
  const fieldId = useId();
  const bar = useRef<HTMLElement>(null);

  const decideAll = (decision: { decision: 'approved' } | { decision: 'denied'; reason?: string }) =>
    run(async () => {
      const hadFocus = bar.current?.contains(document.activeElement);
      const focus = focusUnlessMoved();
      const reply = await postJson<ApprovalReply>(`/api/runs/${encodeURIComponent(runId)}/approvals`, {
        decisions: calls.map(({ callId }) => ({ call_id: callId, ...decision })),
      });
      setDenying(false);
      setReason('');
      // The bar disappears after the decision.
      const last = calls.at(-1);
      if (hadFocus && last) focus(document.getElementById(`row-${last.key}`));
      await whenShown(source, reply.run.last_seq);
    });
  const isBatch = calls.length > 1;
  // A server's request comes first, because later calls of the reply wait for its call.
  useApprovalKeys(asking ? [asking] : calls, () => {
    if (isBatch && !busy) void decideAll({ decision: 'approved' });
  });
  if (!isBatch) return null;
  const [first] = calls;
  const trimmed = reason.trim();
  return (
    <section
      ref={bar}
      aria-label="Calls that wait for you"
      className="border-t border-warn/50 bg-warn-wash px-3 py-2.5 sm:px-6 print:hidden"
    >
      <div className="mx-auto grid max-w-page gap-2 md:pl-[3.5rem]">
        <div className="flex flex-wrap items-center gap-2">
          <p className="mr-auto font-medium">{plural(calls.length, 'call')} wait for you</p>
          <Button
            kind="quiet"
            size="sm"
            className="max-sm:h-11"
            onClick={() => first?.requested && goTo(first.requested.seq)}
          >
            Show the first
          </Button>
          <Button
            kind="primary"
            size="sm"
            className="max-sm:h-11"
            disabled={busy}
            aria-keyshortcuts="Shift+A"
            onClick={() => void decideAll({ decision: 'approved' })}
          >
            Approve all once
            <KeyHint>{APPROVE_ALL_KEY}</KeyHint>
          </Button>
          <Button
            kind="danger"
            size="sm"
            className="max-sm:h-11"
            disabled={busy}
            aria-expanded={denying}
            onClick={() => setDenying((now) => !now)}
          >
            Deny all
          </Button>
        </div>
        {denying && (
          <form
            className="flex flex-wrap items-end gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              void decideAll({ decision: 'denied', ...(trimmed && { reason: trimmed }) });
            }}
          >
            <label htmlFor={fieldId} className="min-w-[min(12rem,100%)] flex-1 text-sm font-medium">
              Reason (optional, the model sees it)
              <input
                id={fieldId}
                className="field mt-1"
                // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
                autoFocus
                value={reason}
                maxLength={4000}
                onChange={(event) => setReason(event.target.value)}
              />
            </label>
            <Button type="submit" kind="danger" size="sm" className="max-sm:h-11" disabled={busy}>
              Deny {plural(calls.length, 'call')}
            </Button>
          </form>
        )}
        {problem && <ErrorNote error={problem} />}
      </div>
    </section>
  );
}
