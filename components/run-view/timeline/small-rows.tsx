'use client';

import { type CopiedFiles, copiedWords, leftOutWords } from '#lib/browser/words/copied-words.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
  formatShortCount,
  formatTokens,
  plural,
} from '#lib/browser/words/format.ts';
import { KIND_WORDS, modeWords, stepWord } from '#lib/browser/words/mode-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { RunConfig } from '#lib/events/config.ts';
import { iterationMs } from '#lib/events/fold-timeline.ts';
import { kindFacts, kindOf, modeFacts } from '#lib/events/modes.ts';
import type { EventOf } from '#lib/events/registry.ts';
import type {
  AttemptRow as AttemptRowData,
  CreatedRow as CreatedRowData,
  IterationRow as IterationRowData,
  PolicyRow as PolicyRowData,
  PreparationRow as PreparationRowData,
  ResumedRow as ResumedRowData,
  StopRow as StopRowData,
} from '#lib/events/timeline.ts';
import { formatUsd } from '#lib/util/format-usd.ts';
import { asJson } from '#lib/util/json.ts';
import { Badge } from '../../ui/badge.tsx';
import { Clock } from '../../ui/clock.tsx';
import { cx } from '../../ui/cx.ts';
import { ForeignMessage } from '../../ui/foreign-message.tsx';
import { ForeignName } from '../../ui/foreign-name.tsx';
import { toneText } from '../../ui/tone.ts';
import { ForkButton } from '../fork-button.tsx';
import { useLive } from '../live-context.ts';
import { useRun } from '../run-context.tsx';
import { RunImages } from '../run-images.tsx';
import { useOperatorWord, useUnfolded } from '../screen-context.ts';
import { JsonFields } from './json-fields.tsx';
import { LongText } from './long-text.tsx';
import { PromptCut } from './prompt-cut.tsx';
import { Disclosure, Figures, Panel, RailNode, RowFrame } from './row-frame.tsx';
import { RestoredMessage } from './saw-panel.tsx';
import { wholeOf } from './whole-of.ts';

/** Where the copy is that the run works on, and what it is a copy of. */
function CopiedNote({
  config: { workspace, copied_from },
  copied,
}: {
  config: RunConfig;
  copied: CopiedFiles;
}) {
  return (
    <p className="foreign mt-1 max-w-read text-sm text-ink-2">
      The workspace is a copy
      {copied_from !== undefined && (
        <>
          {' '}
          of{' '}
          <code>
            <ForeignName text={copied_from} isPath />
          </code>
        </>
      )}{' '}
      ({copiedWords(copied)}). {leftOutWords(copied)}
      {copied_from !== undefined && (
        <>
          {' '}
          The run leaves that folder unchanged. Its files are in{' '}
          <code>
            <ForeignName text={workspace} isPath />
          </code>
          .
        </>
      )}
    </p>
  );
}

/** The task and all settings of the run. */
export function CreatedRow({ row }: { row: CreatedRowData }) {
  const [open, toggle] = useUnfolded(row.key, false);
  const { config, copied } = row.event;
  const { task, system, images, ...settings } = config;
  return (
    <RowFrame node={<RailNode shape="dot" />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <Disclosure open={open} onToggle={toggle}>
          <span className="font-semibold">{modeWords(config)}</span>
          <span className="text-sm text-ink-3">and settings</span>
        </Disclosure>
        {row.event.parent && <Badge>fork</Badge>}
      </div>
      {task.trim() ? (
        <div className="mt-1">
          <LongText
            id={`${row.key}.task`}
            text={task}
            label="task"
            whole={wholeOf(row.event, 'config.task')}
            className="words"
          />
        </div>
      ) : (
        <p className="mt-1 text-ink-2">{KIND_WORDS[kindOf(config)].noTask}</p>
      )}
      <RunImages images={images} />
      {copied && !row.event.parent && <CopiedNote config={config} copied={copied} />}
      {open && (
        <div className="mt-2 mb-1 grid gap-3">
          <Panel label="Settings">
            <JsonFields
              id={`${row.key}.settings`}
              value={asJson(settings)}
              label="settings"
              seq={row.seq}
              path="config"
              cuts={[]}
            />
          </Panel>
          {system && (
            <Panel label="System prompt (added first)">
              <LongText
                id={`${row.key}.system`}
                text={system}
                label="system prompt"
                whole={wholeOf(row.event, 'config.system')}
              />
            </Panel>
          )}
        </div>
      )}
    </RowFrame>
  );
}

function loadWords(loaded: NonNullable<PreparationRowData['loaded']>): string {
  if (loaded.remote_host !== undefined) return 'nothing to load';
  return loaded.already_loaded ? 'already loaded' : `loaded in ${formatDuration(loaded.load_ms)}`;
}

/** A shorter wait is the way through the queue, and no waiting in it. */
const QUEUED_MS = 1000;

/** Server and model checks, and loading with its own clock. */
export function PreparationRow({ row }: { row: PreparationRowData }) {
  const { preflight, loadStarted, loaded } = row;
  const again = loadStarted?.cause === undefined ? undefined : loadStarted;
  const createdAt = useRun((view) => view.run.createdAt);
  const queuedMs = row.worker === undefined ? (loadStarted?.waited_ms ?? 0) : row.at - createdAt;
  const ended = useRun((view) => view.run.phase === 'ended');
  // An exploration and a single answer run no commands anywhere.
  const commands = useRun(
    ({ run }) => !run.config || kindFacts(kindOf(run.config)).tools.includes('run_command'),
  );
  const facts = preflight
    ? [
        preflight.remote_host && `runs at ${preflight.remote_host}`,
        preflight.server_version && `Ollama ${preflight.server_version}`,
        preflight.parameter_size,
        preflight.quantization,
        preflight.capabilities?.join(', '),
        preflight.max_context_tokens && `up to ${formatShortCount(preflight.max_context_tokens)} tokens`,
        gpuShare(loaded),
      ].filter(Boolean)
    : [gpuShare(loaded)].filter(Boolean);
  return (
    <RowFrame
      node={<RailNode shape="dot" className={!loaded && !ended ? 'bg-brass-fill breathe' : undefined} />}
    >
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold">
          {loaded
            ? again
              ? 'Model loaded again'
              : 'Model ready'
            : loadStarted
              ? 'Loading the model'
              : 'Checking server and model'}
        </span>
        <span className="min-w-0 flex-1 basis-48 text-sm text-ink-3 max-sm:order-last max-sm:basis-full">
          {facts.join(' · ')}
        </span>
        {loadStarted && !loaded && !ended && <LoadFacts onDisk={preflight?.size_bytes} />}
        <Figures>
          {queuedMs >= QUEUED_MS && <span>queued {formatDuration(queuedMs)}</span>}
          {loaded ? (
            <span>{loadWords(loaded)}</span>
          ) : ended ? null : (
            <Clock since={loadStarted?.at ?? row.at} className="text-brass" />
          )}
        </Figures>
      </div>
      {again && <p className="mt-0.5 text-sm text-warn">{whyAgain(again)}</p>}
      {loaded?.freed_slot && (
        <p className="mt-0.5 text-sm text-warn">
          It was in memory but did not answer: Ollama still held its slot for an aborted reply. It was
          unloaded and loaded again.
        </p>
      )}
      {preflight && commands && !preflight.sandbox.available && (
        <p className="foreign mt-0.5 text-sm text-warn">
          Commands cannot be confined here, so run_command is not offered: {preflight.sandbox.reason}
        </p>
      )}
      {loaded?.context_tokens !== undefined && loadStarted && loaded.context_tokens < loadStarted.num_ctx && (
        <p className="mt-0.5 text-sm text-warn">
          The window is {formatCount(loaded.context_tokens)} tokens; {formatCount(loadStarted.num_ctx)} were
          requested.
        </p>
      )}
    </RowFrame>
  );
}

function whyAgain({
  cause,
  found_context_tokens: found,
  num_ctx: wanted,
}: EventOf<'model.load-started'>): string {
  if (cause === 'slot_freed') return 'It was unloaded so that it answers again: see the call before.';
  if (cause === 'unloaded')
    return 'It was no longer in memory: another client’s model replaced it, or its keep-alive ran out.';
  return `Another client had loaded it with a window of ${formatCount(found ?? 0)} tokens; this run needs ${formatCount(wanted)}. Clients that ask for different windows reload the model from each other.`;
}

/** Details of a loading model. Ollama reports where it loads, but no progress. */
function LoadFacts({ onDisk }: { onDisk: number | undefined }) {
  const load = useLive((live) => live.load);
  const known = useRun((view) => view.run.preflight?.size_bytes);
  const size = onDisk ?? known;
  return (
    <span className="tnum text-sm text-ink-3">
      {load?.sizeBytes
        ? `${formatBytes(load.sizeBytes)} in memory, ${formatPercent((load.vramBytes ?? 0) / load.sizeBytes)} of it on the GPU`
        : size
          ? `${formatBytes(size)} on disk`
          : ''}
    </span>
  );
}

/** The share of the model in GPU memory, if reported. */
function gpuShare(loaded: PreparationRowData['loaded']): string | undefined {
  if (!loaded?.size_bytes) return undefined;
  return `${formatBytes(loaded.size_bytes)}, ${formatPercent((loaded.vram_bytes ?? 0) / loaded.size_bytes)} on GPU`;
}

/** The conversation an attempt begins with. */
export function AttemptRow({ row }: { row: AttemptRowData }) {
  const [open, toggle] = useUnfolded(row.key, false);
  const { event } = row;
  return (
    <RowFrame node={<RailNode shape="dot" />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <Disclosure open={open} onToggle={toggle}>
          <span className="font-semibold">
            {event.attempt === 1 ? 'Conversation' : `Attempt ${event.attempt}`}
          </span>
          <span className="text-sm text-ink-3">
            {event.attempt === 1 ? '' : 'with a corrective prompt, '}
            {plural(event.messages.length, 'message')}, {plural(event.tools.length, 'tool')}
          </span>
        </Disclosure>
      </div>
      {open && (
        <div className="mt-2 mb-1 grid gap-3">
          {event.messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages of an event never move
            <Panel key={index} label={message.role}>
              <LongText
                id={`${row.key}.${index}`}
                text={message.content}
                label={`${message.role} message`}
                whole={wholeOf(event, `messages.${index}.content`)}
              />
              <RunImages images={message.images} />
            </Panel>
          ))}
          <Panel label="Tools offered">
            <ul className="grid gap-0.5">
              {event.tools.map((tool) => (
                <li key={tool.function.name} className="foreign">
                  <span className="font-semibold">{shortLine(tool.function.name)}</span>{' '}
                  <span className="text-ink-2">{tool.function.description}</span>
                </li>
              ))}
            </ul>
          </Panel>
        </div>
      )}
    </RowFrame>
  );
}

/** The heading of an iteration: a hairline, its number and its sums. */
export function IterationRow({ row }: { row: IterationRowData }) {
  const budgeted = useRun((view) =>
    Object.values(view.run.config?.budget ?? {}).some((limit) => limit !== undefined),
  );
  const mode = useRun((view) => view.run.config?.mode);
  // In an exploration the cycles are the chapters: a step within one has no line of its own.
  if (modeFacts(mode).hasCycles) {
    return (
      <div className="flex h-5">
        <div className="relative w-5 shrink-0" aria-hidden="true">
          <span className="absolute inset-y-0 left-1/2 w-px bg-line-strong" />
          <span className="tnum absolute top-0.5 left-1/2 min-w-4 -translate-x-1/2 bg-canvas py-0.5 text-center font-mono text-2xs leading-none text-ink-3">
            {row.iteration}
          </span>
        </div>
        <span className="sr-only">Step {row.iteration}</span>
      </div>
    );
  }
  return (
    <div className="flex gap-3 sm:gap-4">
      <div className="relative w-5 shrink-0" aria-hidden="true">
        <span className="absolute inset-y-0 left-1/2 w-px bg-line-strong" />
        <span className="tnum absolute top-[1.5625rem] left-1/2 min-w-5 -translate-x-1/2 bg-canvas py-1 text-center font-mono text-sm leading-none font-semibold text-ink-2">
          {row.iteration}
        </span>
      </div>
      <div className="mt-5 mb-1 flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 border-t border-line-strong pt-1.5">
        <h2 className="caption text-ink-2">
          {stepWord(mode)} {row.iteration}
          {row.attempt > 1 && <span className="text-ink-3"> of attempt {row.attempt}</span>}
        </h2>
        <ForkButton
          opening={{
            place: { before_iteration: row.iteration, attempt: row.attempt },
            words: `before ${stepWord(mode).toLowerCase()} ${row.iteration}`,
          }}
        />
        <Figures>
          {row.budget && budgeted && (
            <span className="max-sm:hidden" title={`Used before this ${stepWord(mode).toLowerCase()}`}>
              {usedWords(row.budget, formatShortCount)} used
            </span>
          )}
          {row.toolCalls > 0 && (
            <span>
              {plural(row.toolCalls, 'call')}
              {row.failedToolCalls > 0 && <span className="text-fail">, {row.failedToolCalls} failed</span>}
            </span>
          )}
          {!row.ended && row.waitingSince === undefined ? (
            <Clock since={row.at + row.waitedMs} className="w-10 text-right text-brass" />
          ) : (
            <span className="min-w-10 text-right">{formatDuration(iterationMs(row))}</span>
          )}
        </Figures>
      </div>
    </div>
  );
}

/** What Loupe decided: nudges, retries, shortening, warnings, a spent budget (D9). */
export function PolicyRow({ row }: { row: PolicyRowData }) {
  const [open, toggle] = useUnfolded(row.key, false);
  const mode = useRun((view) => view.run.config?.mode);
  const { event } = row;
  switch (event.type) {
    case 'policy.nudged':
      return (
        <Notice
          tone="warn"
          title={`${event.cause === 'schema' ? 'Schema retry' : 'Nudge'} ${event.count} of ${event.limit}`}
          detail={
            (event.swallowed_tokens
              ? `None of the ${formatCount(event.swallowed_tokens)} generated tokens arrived, so the model was told to try again.`
              : undefined) ??
            {
              empty: 'The reply was empty, so the model was told to act.',
              plan: 'The reply was only a plan, so the model was told to act.',
              malformed: 'The call could not be parsed, so the model was told to try again.',
              schema:
                'The answer does not fit the schema, so the model was asked for it again, as JSON only.',
            }[event.cause]
          }
          open={open}
          onToggle={toggle}
        >
          <Panel label="Message to the model">
            <p className="foreign">{event.text}</p>
          </Panel>
        </Notice>
      );
    case 'answer.checked':
      return (
        <Notice
          tone={event.fits ? 'ok' : 'warn'}
          title={event.fits ? 'The answer fits the schema' : 'The answer does not fit the schema'}
          detail={event.problem}
        />
      );
    case 'policy.retried':
      return (
        <Notice
          tone="warn"
          title="Retry"
          detail={event.message}
          figure={event.wait_ms > 0 ? `after ${formatDuration(event.wait_ms)}` : undefined}
        />
      );
    case 'policy.compacted':
      return (
        <Notice
          tone="live"
          title="Older results shortened"
          detail={`${plural(event.folded.length, 'message')} shortened in requests from here on. The log keeps the full text.`}
          figure={`${formatShortCount(event.before_tokens)} → ${formatShortCount(event.after_tokens)} of ${formatShortCount(event.limit_tokens)} tok`}
          open={open}
          onToggle={toggle}
        >
          <ShortenedMessages event={event} rowKey={row.key} />
        </Notice>
      );
    case 'policy.warned':
      if (event.code === 'prompt_cut') {
        return (
          <Notice
            tone="fail"
            title="Prompt cut"
            detail={event.message
              .replace(/^Prompt cut: /, '')
              .replace(/ (Most likely lost|No message|The oldest messages go first).*$/s, '')}
            open
          >
            <PromptCut event={event} />
          </Notice>
        );
      }
      return <Notice tone="warn" title="Note" detail={event.message} />;
    case 'budget.checked':
      return (
        <Notice
          tone="warn"
          title="Budget spent"
          detail={`The ${event.exceeded ?? 'budget'} limit was passed before ${stepWord(mode).toLowerCase()} ${event.iteration}.`}
          figure={spentWords(event)}
        />
      );
  }
}

/** The messages that a compaction shortened. */
function ShortenedMessages({ event, rowKey }: { event: EventOf<'policy.compacted'>; rowKey: string }) {
  const call = useRun(({ timeline }) => {
    const place = timeline.rowOfSeq[event.seq] ?? 0;
    const next = timeline.rows.slice(place, place + 4).find((row) => row.kind === 'call');
    return next?.kind === 'call' ? next.call : undefined;
  });
  return (
    <>
      {event.folded.map((entry, index) => (
        <Panel
          key={entry.message}
          label={`Message ${entry.message + 1}, ${entry.kind === 'one-line' ? 'one line' : 'head and tail'} instead of ${formatCount(entry.before_chars)} characters`}
        >
          <LongText
            id={`${rowKey}.${entry.message}`}
            text={entry.content}
            label="shortened message"
            whole={wholeOf(event, `folded.${index}.content`)}
          />
          <RestoredMessage call={call} index={entry.message} id={`${rowKey}.${entry.message}`} />
        </Panel>
      ))}
    </>
  );
}

function spentWords(budget: EventOf<'budget.checked'>): string {
  return `${usedWords(budget)}, ${formatDuration(budget.seconds_used * 1000)}`;
}

function usedWords(
  { tokens_used, tokens_estimated, cost_usd }: EventOf<'budget.checked'>,
  formatNumber?: (count: number) => string,
): string {
  const tokens = formatTokens(tokens_used, tokens_estimated, formatNumber);
  // Logs from before models had prices contain a meaningless 0.
  return cost_usd ? `${tokens} tok, ${formatUsd(cost_usd)}` : `${tokens} tok`;
}

const bars = { ok: 'bg-ok', warn: 'bg-warn', live: 'bg-brass-fill', fail: 'bg-fail' };

function Notice({
  tone,
  title,
  detail,
  figure,
  open,
  onToggle,
  children,
}: {
  tone: 'ok' | 'warn' | 'live' | 'fail';
  title: string;
  detail?: string | undefined;
  figure?: string;
  open?: boolean;
  onToggle?: () => void;
  children?: React.ReactNode;
}) {
  const heading = <span className={cx('font-semibold', toneText[tone])}>{title}</span>;
  return (
    <RowFrame node={<RailNode shape="bar" className={bars[tone]} />}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        {onToggle && open !== undefined ? (
          <Disclosure open={open} onToggle={onToggle}>
            {heading}
          </Disclosure>
        ) : (
          heading
        )}
        {detail !== undefined && <ForeignMessage text={detail} className="min-w-0 text-sm text-ink-2" />}
        {figure && (
          <Figures>
            <span>{figure}</span>
          </Figures>
        )}
      </div>
      {open && <div className="mt-2 mb-1 grid gap-3">{children}</div>}
    </RowFrame>
  );
}

export function StopRow({ row }: { row: StopRowData }) {
  const { event } = row;
  const operator = useOperatorWord();
  return (
    <RowFrame node={<RailNode shape="bar" />}>
      <span className="font-semibold">{event.force ? 'Stop now' : 'Stop after this step'}</span>{' '}
      <span className="text-sm text-ink-2">
        requested by {event.by === 'operator' ? operator : 'the server, which is shutting down'}
      </span>
    </RowFrame>
  );
}

/** A seam: the server was lost, and another worker took the run over (D19). */
export function ResumedRow({ row }: { row: ResumedRowData }) {
  if (row.event.after_wait) {
    return (
      <RowFrame node={<RailNode shape="bar" className="bg-line-strong" />}>
        <span className="text-sm text-ink-3">Continued after the wait</span>
      </RowFrame>
    );
  }
  return (
    <RowFrame node={<RailNode shape="bar" className="bg-warn" />}>
      <span className="font-semibold text-warn">Interrupted and resumed</span>{' '}
      <span className="text-sm text-ink-2">
        The server was down for {formatDuration(row.silentMs)}. The run resumed from its log.
      </span>
    </RowFrame>
  );
}
