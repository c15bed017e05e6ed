'use client';

import { useCallback, useEffect, useRef } from 'react';
import type { RerunUpdate } from '#lib/api/rerun-call.ts';
import type { SentRequestReply } from '#lib/api/sent-request.ts';
import { toApiError } from '#lib/browser/api.ts';
import type { RerunDraft } from '#lib/browser/drafts/rerun-draft.ts';
import { readRerunDraft } from '#lib/browser/drafts/rerun-draft.ts';
import {
  afterUpdate,
  isUnderWay,
  type RerunStore,
  type RerunTry,
  withChange,
  withTry,
} from '#lib/browser/state/rerun-tries.ts';
import { postUpdates } from '#lib/browser/stream/post-updates.ts';

/** A model writes faster than anyone reads: what has gathered is shown at this interval, in milliseconds. */
const SHOW_MS = 50;

/**
 * Sends a call again, one try at a time. A try in progress is cancelled when the component unmounts.
 *
 * @param path of the call: `/api/runs/ID/calls/N`
 */
export function useRerun(path: string, sent: SentRequestReply, store: RerunStore) {
  const running = useRef<{ number: number; abort: AbortController }>(undefined);
  const change = useCallback(
    (number: number, how: (now: RerunTry) => RerunTry) =>
      store.setState((visit) => withChange(visit, number, how)),
    [store],
  );
  const cancel = useCallback(() => {
    const { number, abort } = running.current ?? {};
    abort?.abort();
    if (number !== undefined)
      change(number, (now) => (isUnderWay(now) ? { ...now, phase: 'cancelled' } : now));
  }, [change]);
  useEffect(() => cancel, [cancel]);

  /** Sends the draft, which must be without problems. */
  const send = async (draft: RerunDraft) => {
    const read = readRerunDraft(sent, draft);
    if (!read.ok) return;
    cancel();
    const abort = new AbortController();
    store.setState((visit) => withTry(visit, { draft, changes: read.changes, at: Date.now() }));
    const number = store.getState().tries.length;
    running.current = { number, abort };
    const pending: RerunUpdate[] = [];
    const show = () => {
      const updates = pending.splice(0);
      if (updates.length > 0) change(number, (now) => updates.reduce(afterUpdate, now));
    };
    const timer = setInterval(show, SHOW_MS);
    let problem: RerunTry['problem'];
    try {
      await postUpdates<RerunUpdate>(`${path}/rerun`, read.request, {
        signal: abort.signal,
        onUpdate: (update) => pending.push(update),
      });
    } catch (error) {
      if (!abort.signal.aborted) problem = toApiError(error);
    }
    clearInterval(timer);
    if (abort.signal.aborted) return;
    show();
    change(number, (now) =>
      isUnderWay(now) ? { ...now, phase: 'ended', problem: problem ?? CONNECTION_LOST } : now,
    );
  };
  return { send, cancel };
}

const CONNECTION_LOST = {
  message: 'The connection to Loupe broke before the reply was complete.',
  hint: 'Check that Loupe is running, then send the request again.',
};
