'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useMemo, useState } from 'react';
import type { ForkDraftReply } from '#lib/api/fork-run.ts';
import { type ForkDraft, focusedText, newForkDraft, readForkDraft } from '#lib/browser/drafts/fork-draft.ts';
import type { ForkOpening } from '#lib/browser/drafts/fork-opening.ts';
import { forkRun } from '#lib/browser/fork-run.ts';
import { plural } from '#lib/browser/words/format.ts';
import { MAX_MESSAGE_CHARS } from '#lib/events/limits.ts';
import { modeFacts } from '#lib/events/modes.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { useRunScreen } from '../run-view/screen-context.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field } from '../ui/form/fields.tsx';
import { ForkCalls } from './fork-calls.tsx';
import { ForkFolder } from './fork-folder.tsx';
import { ForkMemories } from './fork-memories.tsx';
import type { ForkPart } from './fork-part.ts';
import { ForkSettings } from './fork-settings.tsx';
import { ForkTexts } from './fork-texts.tsx';

/** The edits, and the button that starts the fork. */
export function ForkForm({
  runId,
  opening,
  point,
  onCancel,
}: {
  runId: string;
  opening: ForkOpening;
  point: ForkDraftReply;
  onCancel: () => void;
}) {
  const router = useRouter();
  const isImported = useRunScreen().server?.imported ?? false;
  const [draft, setDraft] = useState(() => newForkDraft(point, { imported: isImported }));
  const { busy, problem, run: request } = useRequest();
  const [tried, setTried] = useState(false);
  const change = (changes: Partial<ForkDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const read = useMemo(() => readForkDraft(point, opening.place, draft), [point, opening, draft]);
  const problems = tried && !read.ok ? read.problems : {};
  const focused = useMemo(() => focusedText(point, opening.focus), [point, opening]);
  const part: ForkPart = { point, focused, draft, problems, onChange: change };
  const start = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!read.ok) return;
    void request(async () => {
      const page = await forkRun(runId, read.request);
      onCancel();
      router.push(page);
      return LEAVING;
    });
  };
  return (
    <form onSubmit={start} className="flex min-h-0 flex-auto flex-col">
      <div className="grid min-h-0 flex-auto grid-cols-[minmax(0,1fr)] content-start gap-5 overflow-y-auto px-4 py-4 sm:px-6">
        <Field label="Message to the model" hint={messageHint(point)}>
          {(props) => (
            <textarea
              {...props}
              rows={2}
              maxLength={MAX_MESSAGE_CHARS}
              className="field [field-sizing:content] max-h-48 resize-y"
              value={draft.message}
              onChange={(event) => change({ message: event.target.value })}
            />
          )}
        </Field>
        <ForkCalls {...part} />
        <ForkTexts {...part} />
        {modeFacts(point.mode).hasMemory && <ForkMemories {...part} />}
        <ForkSettings {...part} />
        {point.config.workspace !== '' && <ForkFolder {...part} isImported={isImported} />}
        {problem && <ErrorNote error={problem} />}
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2 border-t bg-surface px-4 py-3 sm:px-6">
        <p
          className={cx('mr-auto text-sm max-sm:basis-full', tried && !read.ok ? 'text-fail' : 'text-ink-3')}
          aria-live="polite"
        >
          {read.ok
            ? read.changes === 0
              ? 'No changes yet'
              : plural(read.changes, 'change')
            : 'Some fields need correction'}
        </p>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" kind="primary" disabled={busy}>
          {busy ? 'Starting' : 'Start the fork'}
        </Button>
      </footer>
    </form>
  );
}

function messageHint({ mode, reply }: ForkDraftReply): string {
  const { answers, readsMessages } = modeFacts(mode);
  if (readsMessages === 'with_own_message') return 'Delivered with the result of its next message to you.';
  if (answers && reply && reply.calls.length === 0) {
    return 'Continues the conversation after the answer. If empty, the run ends with the answer.';
  }
  return 'Sent as a user message before the next reply. Optional.';
}
