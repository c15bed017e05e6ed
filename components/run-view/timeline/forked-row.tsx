'use client';

import { copiedWords, leftOutWords } from '#lib/browser/words/copied-words.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { stepName } from '#lib/browser/words/mode-words.ts';
import { resultText } from '#lib/browser/words/result-text.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { ForkEdit } from '#lib/events/fork.ts';
import { modeFacts } from '#lib/events/modes.ts';
import type { ForkedRow as ForkedRowData } from '#lib/events/timeline.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { ForkMark } from '../fork-mark.tsx';
import { useRun } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';
import { BeforeAfter, ValueChange } from './before-after.tsx';
import { Panel } from './row-frame.tsx';

/** The end of the copied part: the source run and the changes, before and after. */
export function ForkedRow({ row }: { row: ForkedRowData }) {
  const { event } = row;
  const mode = useRun((view) => view.run.config?.mode);
  const { from, edits, settings, files } = event;
  const place =
    modeFacts(mode).hasCycles && event.cycle > 0 ? `cycle ${event.cycle}` : stepName(mode, row).toLowerCase();
  return (
    <section aria-label="Forked here" className="my-3 flex gap-3 sm:gap-4">
      <div className="relative w-5 shrink-0" aria-hidden="true">
        <span className="absolute inset-y-0 left-1/2 w-px bg-line-strong" />
        <ForkMark className="absolute top-1.5 left-1/2 size-5 -translate-x-1/2 bg-canvas text-brass" />
      </div>
      <div className="min-w-0 flex-1 border-t-2 border-brass-line pt-1.5">
        <h2 className="flex flex-wrap items-baseline gap-x-2 font-semibold">
          Forked here
          <span className="text-sm font-normal text-ink-3">
            from <Origin runId={from.run_id} seq={from.seq} />, after{' '}
            {event.iteration === 0 ? 'its beginning' : place} (event {formatCount(from.seq)})
          </span>
        </h2>
        <p className="mt-0.5 text-sm text-ink-3">
          Everything above was copied from that run.{' '}
          {event.answered
            ? 'The conversation continues after the answer. '
            : event.continues && 'The conversation continues with a new message. '}
          {edits.some(({ target }) => target === 'call') &&
            'The pending call ran here with edited arguments. '}
          {filesWords(files)}
        </p>
        {(edits.length > 0 || settings.length > 0) && (
          <div className="mt-2 mb-1 grid gap-3">
            {edits.map((edit, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: edits of an event never move
              <Panel key={index} label={editWords(edit)}>
                <Change edit={edit} />
              </Panel>
            ))}
            {settings.length > 0 && (
              <Panel label={`${plural(settings.length, 'setting')} changed`}>
                {settings.map(({ name, before, after }) => (
                  <SettingLine key={name} name={name} before={before} after={after} />
                ))}
              </Panel>
            )}
          </div>
        )}
        {edits.length === 0 && settings.length === 0 && (
          <p className="mt-0.5 text-sm text-ink-2">Nothing was changed.</p>
        )}
      </div>
    </section>
  );
}

/** The source run, linked if a server is available. */
function Origin({ runId, seq }: { runId: string; seq: number }) {
  const { server } = useRunScreen();
  const name = (
    <>
      run <span className="font-mono text-xs">{runId}</span>
    </>
  );
  if (!server) return name;
  return (
    <a
      href={`/runs/${encodeURIComponent(runId)}#${seq}`}
      className="text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass"
    >
      {name}
    </a>
  );
}

function SettingLine({ name, before, after }: ForkedRowData['event']['settings'][number]) {
  if (before !== undefined) return <ValueChange path={name} before={before} after={after} />;
  return (
    <p className="foreign">
      <ForeignText text={name} />: <span className="text-ink-3">not set →</span>{' '}
      <ins className="rounded-sm bg-ok-wash px-0.5 text-ok no-underline">{JSON.stringify(after)}</ins>
    </p>
  );
}

function Change({ edit }: { edit: ForkEdit }) {
  if (edit.target === 'message' && edit.role === 'tool') {
    // If only the text in a result changed, omit the JSON around it.
    const before = resultText(edit.before);
    const after = resultText(edit.after);
    if (before.whole(after.text) === edit.after)
      return <BeforeAfter before={before.text} after={after.text} />;
  }
  if (edit.target === 'call') return <ArgumentChanges edit={edit} />;
  if (edit.target !== 'memory') return <BeforeAfter before={edit.before} after={edit.after} />;
  if (edit.after === undefined) return <p className="text-ink-3">deleted</p>;
  if (edit.before !== undefined) return <BeforeAfter before={edit.before} after={edit.after} />;
  return (
    <p className="foreign">
      <ForeignText text={edit.after} />
    </p>
  );
}

/** The changed arguments, before and after. */
function ArgumentChanges({ edit }: { edit: Extract<ForkEdit, { target: 'call' }> }) {
  const names = new Set([...Object.keys(edit.before), ...Object.keys(edit.after)]);
  const changed = [...names].filter(
    (name) => JSON.stringify(edit.before[name]) !== JSON.stringify(edit.after[name]),
  );
  return changed.map((name) => {
    const [before, after] = [edit.before[name], edit.after[name]];
    if (typeof before === 'string' && typeof after === 'string') {
      return (
        <div key={name}>
          <p className="text-ink-3">
            <ForeignText text={name} />
          </p>
          <BeforeAfter before={before} after={after} />
        </div>
      );
    }
    return <SettingLine key={name} name={name} before={before} after={after} />;
  });
}

function editWords(edit: ForkEdit): string {
  switch (edit.target) {
    case 'message':
      return edit.role === 'tool'
        ? `Result of ${edit.tool_name ?? 'a tool'} edited (message ${edit.index + 1})`
        : `${{ system: 'System prompt', user: 'User message', assistant: 'Reply' }[edit.role]} edited (message ${edit.index + 1})`;
    case 'reply':
      return 'Last reply edited';
    case 'call':
      return `Arguments of ${shortLine(edit.tool)} edited`;
    case 'memory':
      return `Memory "${edit.key}" ${edit.before === undefined ? 'added' : edit.after === undefined ? 'deleted' : 'edited'}`;
  }
}

function filesWords(files: ForkedRowData['event']['files']): string {
  switch (files.kind) {
    case 'none':
      return '';
    case 'same':
      return 'It works in the same folder as that run.';
    case 'empty':
      return 'It starts in an empty folder.';
    case 'copied':
      return `Its folder is a copy made at the fork (${copiedWords(files)}): the files as they were at that moment, not as they were when the part above happened. ${leftOutWords(files)}`;
  }
}
