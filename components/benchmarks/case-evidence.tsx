'use client';

import { useState } from 'react';
import type { BenchmarkCaseReply, BenchmarkEvidence, BenchmarkResult } from '#lib/api/benchmark.ts';
import type { JsonValue } from '#lib/util/json.ts';
import { useApi } from '../hooks/use-api.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { JsonBlock } from '../ui/json-block.tsx';
import { LayerBadge } from '../ui/layer-badge.tsx';
import { Tabs } from '../ui/tabs.tsx';

const SHORT_CHARS = 80;

type Part = 'judged' | 'reply' | 'request' | 'expected';

/** One case: both readings with their judgments, the raw reply, the request, and the calls that are right. */
export function CaseEvidence({ path, position }: { path: string; position: number }) {
  const { data, error } = useApi<BenchmarkCaseReply>(`${path}/cases/${position}`);
  const [part, setPart] = useState<Part>('judged');
  if (!data) return error ? <ErrorNote error={error} /> : <p className="pb-3">Loading…</p>;
  const { result, evidence } = data;
  return (
    <section aria-label={result.case_id} className="min-w-0 pb-4 sm:pl-6">
      <div className="rounded-md border bg-raised px-3 py-2">
        <Tabs<Part>
          label={`Case ${result.case_id}`}
          tabs={[
            { id: 'judged', label: 'Judged' },
            { id: 'expected', label: 'Expected' },
            { id: 'reply', label: 'Raw reply' },
            { id: 'request', label: 'Sent' },
          ]}
          chosen={part}
          onChoose={setPart}
        >
          {part === 'judged' && <Judged result={result} evidence={evidence} />}
          {part === 'expected' && <Expected evidence={evidence} />}
          {part === 'reply' && (
            <JsonBlock label="Copy the reply" value={evidence.reply ?? result.error?.message ?? null} />
          )}
          {part === 'request' && <JsonBlock label="Copy the request" value={evidence.request} />}
        </Tabs>
      </div>
    </section>
  );
}

function Judged({ result, evidence }: { result: BenchmarkResult; evidence: BenchmarkEvidence }) {
  const notes = [
    ...evidence.repairs.map(({ rule, before, after }) => `Repaired (${rule}): ${before} → ${after}`),
    ...evidence.refusals.map(({ message }) => `Not taken as a call: ${message}`),
  ];
  return (
    <div className="grid gap-4 text-sm">
      {result.error && <ErrorNote error={result.error} />}
      <div className="grid gap-4 md:grid-cols-2">
        <Reading title="Native alone" judged={result.native} calls={evidence.native_calls} />
        <Reading title="With Loupe" judged={result.read} calls={evidence.read_calls} />
      </div>
      {notes.map((note) => (
        <p key={note} className="foreign text-xs text-ink-3">
          <ForeignText text={note} />
        </p>
      ))}
    </div>
  );
}

type ShownCall = BenchmarkEvidence['native_calls'][number] & Partial<BenchmarkEvidence['read_calls'][number]>;

function Reading({
  title,
  judged,
  calls,
}: {
  title: string;
  judged: BenchmarkResult['read'];
  calls: readonly ShownCall[];
}) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="font-medium">{title}</h3>
      {judged && (
        <p className={judged.right ? 'text-ok' : 'foreign text-warn'}>
          {judged.right ? 'Right.' : <ForeignText text={`Wrong. ${judged.reason}`} />}
        </p>
      )}
      {calls.length === 0 && <p className="text-ink-3">No call.</p>}
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of one reply never move
        <div key={index} className="mt-1 min-w-0">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <code className="foreign font-medium">
              <ShortName text={call.name} />
            </code>
            {call.layer && call.format && <LayerBadge layer={call.layer} format={call.format} />}
          </div>
          <Block value={call.arguments} />
          {call.coerced && (
            <p className="foreign text-xs text-ink-3">
              <ForeignText text={`Type converted: ${call.coerced.join(', ')}`} />
            </p>
          )}
        </div>
      ))}
    </section>
  );
}

function Expected({ evidence: { expected } }: { evidence: BenchmarkEvidence }) {
  return (
    <div className="text-sm">
      <p className="text-ink-3">
        {expected.length === 0
          ? 'The files give no expected call for this case, so only whether the reply calls a function is judged.'
          : 'Each argument has a list of accepted values; "" means it may be omitted. A dot in a name is sent as an underscore.'}
      </p>
      {expected.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the calls never move
        <Block key={index} value={call} />
      ))}
    </div>
  );
}

function Block({ value }: { value: JsonValue }) {
  const line = JSON.stringify(value);
  const text = line.length <= SHORT_CHARS ? line : JSON.stringify(value, null, 2);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre tabIndex={0} className="foreign max-h-60 overflow-auto font-mono text-xs leading-relaxed">
      <ForeignText text={text} />
    </pre>
  );
}
