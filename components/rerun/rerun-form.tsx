'use client';

import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { ModelsReply } from '#lib/api/replies.ts';
import type { SentRequestReply } from '#lib/api/sent-request.ts';
import { readRerunDraft } from '#lib/browser/drafts/rerun-draft.ts';
import { modelsRefresh } from '#lib/browser/state/models.ts';
import { isUnderWay, type RerunStore, type RerunTry } from '#lib/browser/state/rerun-tries.ts';
import { plural } from '#lib/browser/words/format.ts';
import { phaseWords } from '#lib/browser/words/rerun-words.ts';
import type { CallRow } from '#lib/events/timeline.ts';
import { isSameModel } from '#lib/util/model-name.ts';
import { useApi } from '../hooks/use-api.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { MessageFields } from './message-fields.tsx';
import { OptionFields } from './option-fields.tsx';
import type { RerunPart } from './rerun-part.ts';
import { RerunTries } from './rerun-tries.tsx';
import { ToolFields } from './tool-fields.tsx';
import { useRerun } from './use-rerun.ts';

/** The request of a call as a form, and the replies to it below. */
export function RerunForm({
  sent,
  row,
  store,
  path,
  onClose,
}: {
  sent: SentRequestReply;
  row: CallRow;
  store: RerunStore;
  /** Of the run. */
  path: string;
  onClose: () => void;
}) {
  const draft = useStore(store, (visit) => visit.draft);
  const tries = useStore(store, (visit) => visit.tries);
  const { data: models } = useApi<ModelsReply>('/api/models', modelsRefresh());
  const { send, cancel } = useRerun(`${path}/calls/${row.call}`, sent, store);
  const [tried, setTried] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const results = useRef<HTMLElement>(null);
  const read = useMemo(() => readRerunDraft(sent, draft), [sent, draft]);
  const missing = useMemo(() => missingModel(models, draft.model), [models, draft.model]);
  const underWay = tries.find(isUnderWay);
  const count = tries.length;
  const shownBefore = useRef(count);
  useEffect(() => {
    // Not `scrollIntoView`, which scrolls the dialog too.
    if (count > shownBefore.current && body.current && results.current) {
      const { top } = body.current.getBoundingClientRect();
      body.current.scrollTop += results.current.getBoundingClientRect().top - top;
    }
    shownBefore.current = count;
  }, [count]);
  const problems = {
    ...(tried && !read.ok ? read.problems : {}),
    ...(missing === undefined ? {} : { model: missing }),
  };
  const part: RerunPart = {
    draft,
    problems,
    onChange: (changes) => store.setState((visit) => ({ draft: { ...visit.draft, ...changes } })),
  };
  return (
    <form
      className="flex min-h-0 flex-auto flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (read.ok && missing === undefined) void send(draft);
      }}
    >
      <div
        ref={body}
        className="grid min-h-0 flex-auto grid-cols-[minmax(0,1fr)] content-start gap-5 overflow-y-auto px-4 py-4 sm:px-6"
      >
        <MessageFields {...part} sent={sent} />
        <ToolFields {...part} sent={sent} />
        <OptionFields {...part} models={models} />
        {count > 0 && (
          <section ref={results} aria-label="Replies" className="min-w-0 border-t pt-4">
            <RerunTries sent={sent} row={row} store={store} path={path} onLeave={onClose} />
          </section>
        )}
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2 border-t bg-surface px-4 py-3 sm:px-6">
        <p
          className={cx(
            'mr-auto text-sm max-sm:basis-full',
            tried && (!read.ok || missing) ? 'text-fail' : 'text-ink-3',
          )}
          aria-live="polite"
        >
          {footWords(read, underWay)}
        </p>
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
        {underWay && <Button onClick={cancel}>Cancel</Button>}
        <Button type="submit" kind="primary" disabled={underWay !== undefined || missing !== undefined}>
          {count === 0 ? 'Send' : 'Send again'}
        </Button>
      </footer>
    </form>
  );
}

function footWords(read: ReturnType<typeof readRerunDraft>, underWay: RerunTry | undefined): string {
  if (underWay) return phaseWords(underWay);
  if (!read.ok) return 'Some fields need correction';
  return read.changes.length === 0 ? 'The request as it was sent' : plural(read.changes.length, 'change');
}

/** Why the model cannot be used, if that is known. */
function missingModel(models: ModelsReply | undefined, model: string): string | undefined {
  if (models?.ollama !== 'ok' || models.partial) return undefined;
  const isThere = models.models.some(({ name }) => isSameModel(name, model));
  return isThere || model.trim() === ''
    ? undefined
    : `${model} is not installed here. Choose another model, or install it on the Models page.`;
}
