'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { ForkDraftReply, ForkRequest } from '#lib/api/fork-run.ts';
import type { ModelsReply, RunReply } from '#lib/api/replies.ts';
import { postJson } from '#lib/browser/api.ts';
import {
  type ForkDraft,
  type ForkText,
  focusedText,
  forkCalls,
  forkMemories,
  forkTexts,
  newForkDraft,
  readForkDraft,
  toolsToChoose,
} from '#lib/browser/drafts/fork-draft.ts';
import type { ForkOpening } from '#lib/browser/drafts/fork-opening.ts';
import { forkQuery } from '#lib/browser/drafts/fork-query.ts';
import { canRun, modelsRefresh } from '#lib/browser/state/models.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { FETCH_TOOL } from '#lib/events/added-tools.ts';
import { MAX_MESSAGE_CHARS } from '#lib/events/limits.ts';
import { kindFacts, kindOf, modeFacts } from '#lib/events/modes.ts';
import { MODEL_OPTIONS, SETTINGS } from '#lib/events/settings.ts';
import { useApi } from '../hooks/use-api.ts';
import { LEAVING, useRequest } from '../hooks/use-request.ts';
import { ForkMark } from '../run-view/fork-mark.tsx';
import { useRunScreen } from '../run-view/screen-context.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Choice, Field, NumberField, THINKING } from '../ui/form/fields.tsx';
import { HostsField } from '../ui/form/hosts-field.tsx';
import { ToolChoice } from '../ui/form/tool-choice.tsx';
import { HiddenNote } from '../ui/hidden-note.tsx';
import { NotOfferedNote } from '../ui/not-offered-note.tsx';

/** Forks a run at an event, with edits to the conversation. The source run is not changed. */
export function ForkDialog({
  runId,
  opening,
  onClose,
}: {
  runId: string;
  opening: ForkOpening;
  onClose: () => void;
}) {
  const { data: point, error } = useApi<ForkDraftReply>(
    `/api/runs/${encodeURIComponent(runId)}/fork?${forkQuery(opening.place)}`,
  );
  return (
    <Dialog
      open
      onClose={onClose}
      keepsOnEscape="typed"
      aria-labelledby="fork-title"
      className="flex max-h-[calc(100dvh-2rem)] w-[46rem] max-w-[calc(100vw-1.5rem)] flex-col"
    >
      <header className="border-b px-4 pt-4 pb-3 sm:px-6">
        <h2 id="fork-title" className="flex items-center gap-2 text-lg font-semibold tracking-[-0.01em]">
          <ForkMark className="size-5 shrink-0 text-brass" />
          Fork {opening.words}
        </h2>
        <p className="mt-0.5 text-sm text-ink-2">
          The new run starts with a copy of everything up to this point. This run is not changed.
        </p>
      </header>
      {error && (
        <div className="grid gap-3 p-4 sm:p-6">
          <ErrorNote error={error} />
          <Button size="sm" className="justify-self-end" onClick={onClose}>
            Close
          </Button>
        </div>
      )}
      {!error && !point && (
        <p className="p-6 text-ink-3" aria-busy="true">
          Loading the conversation
        </p>
      )}
      {point && !error && <ForkForm runId={runId} opening={opening} point={point} onCancel={onClose} />}
    </Dialog>
  );
}

function ForkForm({
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
  const { server } = useRunScreen();
  const [draft, setDraft] = useState(() => newForkDraft(point, { imported: server?.imported ?? false }));
  const { busy, problem, run: request } = useRequest();
  const [tried, setTried] = useState(false);
  // The same request sent twice makes one fork; a changed one has a key of its own.
  const sent = useRef({ body: '', key: '' });
  const change = (changes: Partial<ForkDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const read = useMemo(() => readForkDraft(point, opening.place, draft), [point, opening, draft]);
  const problems = tried && !read.ok ? read.problems : {};
  const focused = useMemo(() => focusedText(point, opening.focus), [point, opening]);
  const part: Part = { point, focused, draft, problems, onChange: change };
  const keyOf = (request: ForkRequest) => {
    const body = JSON.stringify(request);
    if (body !== sent.current.body) sent.current = { body, key: crypto.randomUUID() };
    return sent.current.key;
  };
  const start = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!read.ok) return;
    void request(async () => {
      const { run } = await postJson<RunReply>(`/api/runs/${encodeURIComponent(runId)}/fork`, read.request, {
        idempotencyKey: keyOf(read.request),
      });
      onCancel();
      router.push(`/runs/${run.id}`);
      return LEAVING;
    });
  };
  return (
    <form onSubmit={start} className="flex min-h-0 flex-1 flex-col">
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] content-start gap-5 overflow-y-auto px-4 py-4 sm:px-6">
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
        <Calls {...part} />
        <Texts {...part} />
        {modeFacts(point.mode).hasMemory && <Memories {...part} />}
        <Settings {...part} />
        {point.config.workspace !== '' && (
          <div>
            <Choice
              legend="Folder"
              name="fork-workspace"
              value={draft.workspace}
              options={server?.imported ? IMPORTED_FOLDERS : FOLDERS}
              onChange={(workspace) => change({ workspace })}
            />
            <p className="mt-1.5 text-xs text-ink-3">
              {FOLDER_NOTES[draft.workspace]}
              {server?.imported && draft.workspace === 'copy' && (
                <span className="mt-1 block text-warn">
                  The imported file names{' '}
                  <code className="foreign break-all">
                    <ForeignText text={point.config.workspace} />
                  </code>
                  . The model will be able to read everything in it. Copy it only if you trust that.
                </span>
              )}
            </p>
          </div>
        )}
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
              : `${plural(read.changes, 'change')}`
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

/** What every part of the dialog is given. */
interface Part {
  point: ForkDraftReply;
  /** The text that the person came for. */
  focused: string | undefined;
  draft: ForkDraft;
  problems: Readonly<Record<string, string>>;
  onChange: (changes: Partial<ForkDraft>) => void;
}

/** The calls that the fork makes first: each of their arguments opens to be edited. */
function Calls(part: Part) {
  const { point } = part;
  const calls = useMemo(() => forkCalls(point), [point]);
  if (calls.length === 0) return null;
  return (
    <section aria-label="Pending calls">
      <h3 className="caption mb-1.5">Pending calls and their arguments</h3>
      <ul className="divide-y rounded-md border border-line-strong">
        {calls.map(({ callId, tool, chars, fields }) =>
          fields.length === 0 ? (
            <li key={callId} className="px-3 py-1.5 text-sm">
              <span className="font-medium">{shortLine(tool)}</span>{' '}
              <span className="text-ink-3">
                {chars === undefined
                  ? 'has no arguments.'
                  : `${formatCount(chars)} characters of arguments: too long to edit.`}
              </span>
            </li>
          ) : (
            fields.map((field) => (
              <TextItem
                key={field.key}
                {...part}
                item={{
                  key: field.key,
                  label: `${tool}: ${field.name}${field.missing ? ', left out' : ''}`,
                  text: field.text,
                }}
              />
            ))
          ),
        )}
      </ul>
    </section>
  );
}

/** The texts of the conversation, the newest first; each opens to be edited. */
function Texts(part: Part) {
  const { point, focused } = part;
  const texts = useMemo(() => forkTexts(point), [point]);
  const [all, setAll] = useState(false);
  const first = texts.slice(0, 6);
  const shown = all || texts.length <= 8 ? texts : first;
  const rest = texts.find(({ key }) => key === focused && !shown.some((each) => each.key === key));
  const list = rest ? [...shown, rest] : shown;
  if (texts.length === 0) return null;
  return (
    <section aria-label="Conversation">
      <h3 className="caption mb-1.5">Conversation at this point, newest first</h3>
      <ul className="divide-y rounded-md border border-line-strong">
        {list.map((each) => (
          <TextItem key={each.key} {...part} item={each} />
        ))}
      </ul>
      {list.length < texts.length && (
        <Button kind="quiet" size="sm" className="mt-1.5 -ml-2.5" onClick={() => setAll(true)}>
          {plural(texts.length - list.length, 'older message')}
        </Button>
      )}
    </section>
  );
}

function TextItem({
  item,
  focused,
  draft,
  problems,
  onChange,
  action,
}: Omit<Part, 'point'> & {
  item: Pick<ForkText, 'key' | 'label' | 'text' | 'chars'>;
  action?: React.ReactNode;
}) {
  const initially = item.key === focused;
  const [open, setOpen] = useState(initially);
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const text = draft.texts[item.key] ?? item.text;
  const edited = text !== item.text;
  const problem = problems[item.key];
  const write = (written: string) => onChange({ texts: { ...draft.texts, [item.key]: written } });
  useEffect(() => {
    if (initially) area.current?.focus();
  }, [initially]);
  return (
    <li className="min-w-0 px-3 py-1.5">
      <div className="flex min-w-0 items-baseline gap-2">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 flex-1 items-baseline gap-2 text-left"
        >
          <span className="shrink-0 text-sm font-medium">{shortLine(item.label, 60)}</span>
          {!open && (
            <span className="min-w-0 truncate text-sm text-ink-3">
              <ForeignText text={text.slice(0, 200).replaceAll(/\s+/g, ' ')} />
            </span>
          )}
        </button>
        {edited && <span className="shrink-0 text-xs font-medium text-brass">changed</span>}
        {action}
      </div>
      {open && item.chars !== undefined && (
        <p className="mt-1 text-sm text-ink-3">{formatCount(item.chars)} characters: too long to edit.</p>
      )}
      {open && item.chars === undefined && (
        <>
          <label htmlFor={id} className="sr-only">
            {shortLine(item.label, 60)}
          </label>
          <textarea
            ref={area}
            id={id}
            rows={Math.min(12, Math.max(2, text.split('\n').length))}
            className="field my-1.5 [field-sizing:content] max-h-96 resize-y font-mono text-sm"
            spellCheck={false}
            value={text}
            onChange={(event) => write(event.target.value)}
          />
          <HiddenNote text={text} />
          {edited && (
            <Button kind="quiet" size="sm" className="mb-1" onClick={() => write(item.text)}>
              Undo changes
            </Button>
          )}
        </>
      )}
      {problem && <p className="text-xs text-fail">{problem}</p>}
    </li>
  );
}

const EMPTY_FOLDER = { value: 'empty', label: 'An empty folder' } as const;
const COPIED_FOLDER = { value: 'copy', label: 'A copy of the files' } as const;
const FOLDERS = [COPIED_FOLDER, { value: 'same', label: 'The same folder' }, EMPTY_FOLDER] as const;
const IMPORTED_FOLDERS = [EMPTY_FOLDER, COPIED_FOLDER] as const;
const FOLDER_NOTES: Record<ForkDraft['workspace'], string> = {
  copy: 'A copy of the current files, including changes made after this point.',
  same: 'Both runs use the same files and see each other’s changes.',
  empty: 'A new, empty folder.',
};

/** The memory at the fork point: change, delete, add. */
function Memories(part: Part) {
  const { point, draft, problems, onChange } = part;
  const memories = useMemo(() => forkMemories(point), [point]);
  const { newMemory } = draft;
  return (
    <section aria-label="Memory">
      <h3 className="caption mb-1.5">Memory at this point</h3>
      {memories.length > 0 && (
        <ul className="divide-y rounded-md border border-line-strong">
          {memories.map((each) => {
            const deleted = draft.deleted.includes(each.key);
            return (
              <TextItem
                key={each.key}
                {...part}
                item={each}
                action={
                  <button
                    type="button"
                    className={cx(
                      'shrink-0 text-xs underline-offset-2 hover:underline',
                      deleted ? 'font-medium text-fail' : 'text-ink-3',
                    )}
                    onClick={() =>
                      onChange({
                        deleted: deleted
                          ? draft.deleted.filter((key) => key !== each.key)
                          : [...draft.deleted, each.key],
                      })
                    }
                  >
                    {deleted ? 'will be deleted, keep it' : 'delete'}
                  </button>
                }
              />
            );
          })}
        </ul>
      )}
      <div className="mt-2 grid gap-2 sm:grid-cols-[12rem_minmax(0,1fr)]">
        <input
          aria-label="Key of a new memory"
          placeholder="new key"
          className="field font-mono text-sm"
          value={newMemory.key}
          onChange={(event) => onChange({ newMemory: { ...newMemory, key: event.target.value } })}
        />
        <input
          aria-label="Value of a new memory"
          placeholder="value"
          className="field text-sm"
          value={newMemory.value}
          onChange={(event) => onChange({ newMemory: { ...newMemory, value: event.target.value } })}
        />
      </div>
      {problems.newMemory && <p className="mt-1 text-xs text-fail">{problems.newMemory}</p>}
    </section>
  );
}

function Settings({ point, draft, problems, onChange }: Part) {
  const { data } = useApi<ModelsReply>('/api/models', modelsRefresh());
  const names = useMemo(() => {
    const found = data?.models.filter(canRun).map(({ name }) => name) ?? [];
    return found.includes(point.config.model) ? found : [point.config.model, ...found];
  }, [data, point]);
  const { endsBy, unit } = kindFacts(kindOf(point.config));
  const tools = toolsToChoose(point.config);
  return (
    <section aria-label="Model and settings">
      <h3 className="caption mb-1.5">Model and settings</h3>
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-[minmax(0,2fr)_repeat(3,minmax(0,1fr))]">
        <Field label="Model" problem={problems.model} className="max-sm:col-span-2">
          {(props) => (
            <select
              {...props}
              className="field font-mono text-sm"
              value={draft.model}
              onChange={(event) => onChange({ model: event.target.value })}
            >
              {names.map((name) => (
                <option key={name} value={name}>
                  {shortLine(name)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <NumberField
          label={MODEL_OPTIONS.temperature.label}
          placeholder="model's own"
          value={draft.temperature}
          onChange={(temperature) => onChange({ temperature })}
          problem={problems.temperature}
        />
        <NumberField
          label={MODEL_OPTIONS.seed.label}
          placeholder="none"
          value={draft.seed}
          onChange={(seed) => onChange({ seed })}
          problem={problems.seed}
        />
        {(endsBy === 'max_iterations' || endsBy === 'max_cycles') && (
          <NumberField
            label={`${unit}s`}
            placeholder={endsBy === 'max_cycles' ? 'until stopped' : 'limit'}
            value={draft.limit}
            onChange={(limit) => onChange({ limit })}
            problem={problems.limit}
          />
        )}
        <Field label={SETTINGS.think.label} className="max-sm:col-span-2">
          {(props) => (
            <select
              {...props}
              className="field"
              value={draft.think}
              onChange={(event) => onChange({ think: THINKING[event.target.selectedIndex]?.value })}
            >
              {THINKING.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <NumberField
          label={SETTINGS.window_tokens.label}
          placeholder={String(point.config.window_tokens)}
          value={draft.window}
          onChange={(window) => onChange({ window })}
          problem={problems.window}
        />
        <NumberField
          label={SETTINGS.num_predict.label}
          placeholder={String(point.config.num_predict[0])}
          value={draft.reply}
          onChange={(reply) => onChange({ reply })}
          problem={problems.reply}
        />
      </div>
      <NotOfferedNote models={data?.models ?? []} className="mt-2" />
      {tools.length > 0 && (
        <div className="mt-3">
          <span className="mb-1 block text-sm font-medium">{SETTINGS.tools.label}</span>
          <ToolChoice
            tools={tools.map((name) => ({ name }))}
            chosen={draft.tools}
            onChange={(name, isChosen) =>
              onChange({
                tools: isChosen ? [...draft.tools, name] : draft.tools.filter((each) => each !== name),
              })
            }
          />
          {problems.tools && <p className="mt-1 text-xs text-fail">{problems.tools}</p>}
          {draft.tools.includes(FETCH_TOOL) && (
            <HostsField
              value={draft.hosts}
              onChange={(hosts) => onChange({ hosts })}
              problem={problems.hosts}
            />
          )}
        </div>
      )}
    </section>
  );
}
