'use client';

import { useMemo } from 'react';
import { mainArgument } from '#lib/browser/state/activity.ts';
import { type KnownChange, knownChange } from '#lib/browser/state/file-versions.ts';
import { lacksFound } from '#lib/browser/state/mark-found.ts';
import { formatDuration } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { changeOfCall, editedArguments } from '#lib/events/file-changes.ts';
import { isCommandTool, serverAndTool } from '#lib/events/mcp-names.ts';
import type { AskedByServer, TimelineRow, ToolRow as ToolRowData, ToolStatus } from '#lib/events/timeline.ts';
import { lazyCode } from '../../hooks/lazy-code.ts';
import { lazyComponent } from '../../hooks/lazy-component.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Clock } from '../../ui/clock.tsx';
import { cx } from '../../ui/cx.ts';
import { ShortName } from '../../ui/foreign-name.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { LayerBadge } from '../../ui/layer-badge.tsx';
import { ForkButton } from '../fork-button.tsx';
import { ForkMark } from '../fork-mark.tsx';
import { useLive } from '../live-context.ts';
import { useRun, useRunSource } from '../run-context.tsx';
import { RunImages } from '../run-images.tsx';
import { useOperatorWord, useRunScreen, useUnfolded, useUnfoldedByFound } from '../screen-context.ts';
import { ApprovalChange } from './approval-change.tsx';
import { ApprovalMark } from './approval-mark.tsx';
import { FileChange } from './file-change.tsx';
import { JsonFields } from './json-fields.tsx';
import { LiveOutput } from './live-tail.tsx';
import { Changes } from './parse-ladder.tsx';
import { resultSummary } from './result-summary.ts';
import { Disclosure, Figures, Panel, RailNode, RowFrame } from './row-frame.tsx';
import { ServerMessages } from './server-messages.tsx';

/** Few runs ask for approval. */
const ApprovalPanel = lazyComponent(
  async () => (await import('./approval-panel.tsx')).ApprovalPanel,
  ({ children }) => children,
);
/** Few runs have servers that ask. */
const serverRequests = lazyCode(() => import('./server-request.tsx'));

const states: Record<ToolStatus, { words: string; text: string; node: string }> = {
  waiting: { words: 'waiting', text: 'text-ink-3', node: 'bg-canvas border border-ink-3' },
  'awaiting approval': { words: 'waits for approval', text: 'text-warn', node: 'bg-warn breathe' },
  approved: { words: 'approved', text: 'text-ink-3', node: 'bg-canvas border border-ink-3' },
  'awaiting answer': { words: 'waits for your answer', text: 'text-warn', node: 'bg-warn breathe' },
  running: { words: 'running', text: 'text-brass', node: 'bg-brass-fill breathe' },
  succeeded: { words: 'ok', text: 'text-ok', node: 'bg-ok' },
  failed: { words: 'failed', text: 'text-fail', node: 'bg-fail' },
  denied: { words: 'denied', text: 'text-warn', node: 'bg-canvas border border-warn' },
  interrupted: { words: 'interrupted', text: 'text-warn', node: 'bg-warn' },
  'not-run': { words: 'not run', text: 'text-ink-3', node: 'bg-canvas border border-ink-3' },
};

/** Tools have short names; a model may ask for any. */
const MAX_NAME_CHARS = 48;

/** One tool call: arguments, result, duration (D7). */
export function ToolRow({ row }: { row: ToolRowData }) {
  const state = states[row.status];
  // Its arguments are the message that a person answers.
  const awaitsReply = useRun(
    ({ run }) => run.awaiting?.cause === 'agent_message' && run.operatorAsked === row.callId,
  );
  const [open, toggle] = useUnfolded(row.key, row.status === 'failed' || awaitsReply);
  const about = mainArgument(row.forked?.arguments ?? row.arguments);
  const changed = row.coercions.length + row.repairs.length;
  const asked = row.status === 'awaiting approval';
  const isLongName = row.name.length > MAX_NAME_CHARS;
  const operates = useRunScreen().server?.operates === true;
  const decides = operates && asked;
  const openRequest = row.status === 'awaiting answer' ? row.asked?.at(-1) : undefined;
  const since =
    openRequest?.received.at ??
    (row.status === 'running' ? row.startedAt : asked ? row.requested?.at : undefined);
  const output = row.result?.success === false ? row.result.output.error : undefined;
  return (
    <RowFrame node={<RailNode shape="square" className={state.node} />}>
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <Disclosure open={open} onToggle={toggle} className="min-w-0">
          <code className={cx('font-semibold', isLongName ? 'foreign min-w-0' : 'whitespace-nowrap')}>
            <ShortName text={row.name} max={MAX_NAME_CHARS} />
          </code>
          {about !== undefined && (
            <code className="min-w-0 truncate text-ink-2">
              <ForeignText text={about.split('\n', 1)[0] ?? ''} />
            </code>
          )}
        </Disclosure>
        {isCommandTool(row.name) ? (
          <Badge title="A custom tool">custom</Badge>
        ) : (
          serverAndTool(row.name) && <Badge title="A tool of an MCP server">MCP</Badge>
        )}
        {row.layer !== 'native' && <LayerBadge layer={row.layer} format={row.format} />}
        {changed > 0 && <Badge tone="live">{row.repairs.length > 0 ? 'repaired' : 'coerced'}</Badge>}
        {row.forked && (
          <Badge tone="warn" title="This run was forked before the call, which ran with edited arguments">
            edited in the fork
          </Badge>
        )}
        <ApprovalMark row={row} />
        {row.result?.truncated && <Badge title="The tool's output exceeded the limit">truncated</Badge>}
        {row.resultSeq !== undefined && (
          <ForkButton
            opening={{
              place: { seq: row.resultSeq },
              words: `after the result of ${shortLine(row.name)}`,
              focus: 'result',
            }}
          />
        )}
        <Figures>
          <span className={cx('font-sans font-medium', state.text)}>{state.words}</span>
          {since !== undefined ? (
            <Clock since={since} className="w-10 text-right" />
          ) : (
            <span className="min-w-10 text-right">
              {row.durationMs === undefined ? '' : formatDuration(row.durationMs)}
            </span>
          )}
        </Figures>
      </div>
      {!open && row.result && (
        <p
          className={cx('foreign mt-0.5 line-clamp-2 font-mono text-xs', output ? 'text-fail' : 'text-ink-3')}
        >
          <ForeignText text={resultSummary(row)} />
        </p>
      )}
      <RunImages images={row.images} />
      {(row.status === 'running' || openRequest) && <RunningOutput callId={row.callId} />}
      {operates && openRequest && <OpenRequest row={row} asked={openRequest} />}
      {decides && <Approval row={row} />}
      {open && isLongName && (
        <Panel label="Name of the tool">
          <pre className="foreign m-0 max-h-[40dvh] overflow-y-auto">
            <ForeignText text={row.name} />
          </pre>
        </Panel>
      )}
      {open && !decides && <Details row={row} />}
    </RowFrame>
  );
}

function Details({ row }: { row: ToolRowData }) {
  const operator = useOperatorWord();
  const edited = editedArguments(row);
  const change = useKnownChange(row);
  const { goTo } = useRunScreen();
  return (
    <div className="mt-2 mb-1 grid gap-3">
      {change && <FileChange change={change} onGo={goTo} />}
      <Panel label={edited ? 'Arguments as the model wrote them' : 'Arguments'}>
        <Arguments row={row} id={`${row.key}.arguments`} />
      </Panel>
      <ForkCallButton row={row} />
      {edited && (
        <Panel
          label={`Arguments it ran with, edited ${row.forked === edited ? 'in the fork' : `by ${operator}`}`}
          tone="warn"
        >
          <JsonFields
            id={`${row.key}.edited`}
            value={edited.arguments}
            label="edited arguments"
            seq={edited.seq}
            path={edited.path}
            cuts={edited.cuts}
          />
        </Panel>
      )}
      {row.coercions.length > 0 && (
        <Panel label="Values converted to fit the tool's schema">
          <Changes repairs={[]} coercions={row.coercions} />
        </Panel>
      )}
      {row.repairs.length > 0 && (
        <Panel label="Repaired">
          <Changes repairs={row.repairs} coercions={[]} />
        </Panel>
      )}
      {row.asked && <AskedDuringCall row={row} asked={row.asked} />}
      {row.messages && <ServerMessages messages={row.messages} />}
      {row.result && (
        <Panel label="Result" tone={row.result.success ? undefined : 'fail'}>
          <JsonFields
            id={`${row.key}.result`}
            value={row.result.output}
            label="result"
            seq={row.resultSeq ?? row.seq}
            path="result.output"
            cuts={row.resultCuts}
          />
        </Panel>
      )}
      {serverAndTool(row.name) && row.result?.note !== undefined && (
        <p className="foreign text-sm text-warn">
          <ForeignText text={row.result.note} />
        </p>
      )}
      {row.status === 'not-run' && (
        <p className="text-sm text-ink-3">This call was parsed from the reply but never started.</p>
      )}
      {row.status === 'interrupted' && (
        <p className="text-sm text-warn">
          The server stopped while this call ran. Its outcome is unknown; it was not run again.
        </p>
      )}
    </div>
  );
}

/** The server's requests, without the one that is answered above the details. */
function AskedDuringCall({ row, asked }: { row: ToolRowData; asked: readonly AskedByServer[] }) {
  const operates = useRunScreen().server?.operates === true;
  const waits = row.status === 'awaiting answer';
  const shown = waits && operates ? asked.slice(0, -1) : asked;
  const code = serverRequests.useCode();
  return code && shown.length > 0 && <code.ServerRequests asked={shown} status={row.status} />;
}

function OpenRequest({ row, asked }: { row: ToolRowData; asked: AskedByServer }) {
  const runId = useRun((view) => view.run.runId);
  const code = serverRequests.useCode();
  if (!code) return null;
  return <code.ServerRequest key={asked.received.request_id} asked={asked} runId={runId} rowKey={row.key} />;
}

function Approval({ row }: { row: ToolRowData }) {
  const runId = useRun((view) => view.run.runId);
  const tools = useRun((view) => view.run.tools);
  const isFork = useRun((view) => view.run.forked !== undefined);
  return (
    <ApprovalPanel row={row} runId={runId} tools={tools} isFork={isFork}>
      <Asked row={row} />
    </ApprovalPanel>
  );
}

/** A waiting call for reading: what it changes, if that is known, and its arguments. */
function Asked({ row }: { row: ToolRowData }) {
  const change = useKnownChange(row);
  const { goTo } = useRunScreen();
  const [open, toggle] = useUnfoldedByFound(
    `${row.key}.asked`,
    (words, isBeyond) => isBeyond || lacksFound('', JSON.stringify(row.arguments), words),
  );
  const args = <Arguments row={row} id={`${row.key}.asked`} />;
  if (!row.file && !change) return <Panel label="Arguments">{args}</Panel>;
  return (
    <>
      {row.file ? <ApprovalChange row={row} /> : change && <FileChange change={change} onGo={goTo} />}
      <div>
        <Disclosure open={open} onToggle={toggle} className="text-sm text-ink-2">
          Arguments
        </Disclosure>
        {open && <div className="mt-1.5">{args}</div>}
      </div>
    </>
  );
}

/** The change that a call makes to a file, if the log has it. */
function useKnownChange(row: ToolRowData): KnownChange | undefined {
  const store = useRunSource();
  // The rows before a call do not change, so later rows need no update.
  return useMemo(() => changeIn(store.view.getState().timeline.rows, row), [store, row]);
}

/** The change as the log has it; the log of an earlier version may have what the file held in other calls. */
function changeIn(rows: readonly TimelineRow[], row: ToolRowData): KnownChange | undefined {
  const change = changeOfCall(rows, row);
  if (!change) return knownChange(rows, row);
  const { path, before, after } = change;
  // Truncated texts cannot be compared; the end card loads them whole.
  if (before.kind !== 'text' || before.cut || !after || after.cut) return undefined;
  return { path, before: before.text, after: after.text, commandSince: false };
}

/** The arguments as the model wrote them. */
function Arguments({ row, id }: { row: ToolRowData; id: string }) {
  return (
    <JsonFields
      id={id}
      value={row.arguments}
      label="arguments"
      seq={row.seq}
      path={row.argumentsPath}
      cuts={row.argumentsCuts}
    />
  );
}

/** Makes the call once more with other arguments, in a fork before it. */
function ForkCallButton({ row }: { row: ToolRowData }) {
  const { server } = useRunScreen();
  const fork = server?.operates ? server.fork : undefined;
  if (!fork || row.status === 'running' || row.status === 'awaiting answer') return null;
  const words = `before ${shortLine(row.name)}`;
  return (
    <Button
      size="sm"
      className="justify-self-start print:hidden"
      title="Starts a new run that makes this call with your arguments"
      onClick={() => fork({ place: { before_call: row.callId }, words, focus: 'arguments' })}
    >
      <ForkMark className="size-4" />
      Fork with other arguments
    </Button>
  );
}

function RunningOutput({ callId }: { callId: string }) {
  const output = useLive((live) => live.toolOutput[callId]);
  if (!output?.text) return null;
  return (
    <div className="mt-2 rounded-md border bg-sunken px-3 py-2 font-mono text-xs leading-relaxed">
      <LiveOutput live={output} />
    </div>
  );
}
