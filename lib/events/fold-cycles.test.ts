import { expect, it } from 'vitest';
import { sampleConfig } from '../testing/sample-logs.ts';
import { foldCycles, meanNovelty, noCycles } from './fold-cycles.ts';
import type { NewEvent, RunEvent } from './registry.ts';

const log = (...events: NewEvent[]): RunEvent[] =>
  events.map((event, index) => ({ ...event, run_id: 'r', seq: index + 1, at: 1000 + index }));
const reflected = (cycle: number, text: string): NewEvent => ({
  type: 'cycle.reflected',
  cycle,
  text,
  ended_by: 'reflection',
});
const memory = (operation: 'write' | 'delete', key: string, value?: string): NewEvent => ({
  type: 'memory.changed',
  call_id: 'c1',
  cycle: 1,
  operation,
  key,
  value,
});

const events = log(
  { type: 'cycle.started', cycle: 1, line: 'Cycle 1.' },
  { type: 'tool-call.started', call_id: 'c1', iteration: 1, tool: 'write' },
  memory('write', 'a', 'x'),
  {
    type: 'tool-call.ended',
    call_id: 'c1',
    tool: 'write',
    result: { success: true, tool: 'write', output: 'Stored.' },
    duration_ms: 1,
  },
  { type: 'tool-call.started', call_id: 'c2', iteration: 1, tool: '__proto__' },
  reflected(1, 'I looked at the sky and the sea'),
  { type: 'cycle.started', cycle: 2 },
  reflected(2, 'I looked at the sky and the sea'),
  { type: 'cycle.started', cycle: 3 },
  { type: 'agent.messaged', call_id: 'c3', cycle: 3, text: 'Hello.' },
  reflected(3, 'Something wholly different came to my mind'),
  { type: 'cycle.started', cycle: 4 },
  { type: 'cycle.reflected', cycle: 4, text: '', ended_by: 'call_limit' },
);

it('sums up each cycle: tools, memories, messages, reflection and novelty', () => {
  const { cycles } = foldCycles(noCycles, events);
  expect(cycles.map(({ number, endedBy }) => [number, endedBy])).toEqual([
    [1, 'reflection'],
    [2, 'reflection'],
    [3, 'reflection'],
    [4, 'call_limit'],
  ]);
  expect(cycles[0]).toMatchObject({ memoriesChanged: 1, startedSeq: 1, startedAt: 1000, until: 1005 });
  expect(Object.entries(cycles[0]?.tools ?? {})).toEqual([
    ['write', 1],
    ['__proto__', 1],
  ]);
  expect(cycles.map(({ novelty }) => novelty)).toEqual([undefined, 0, 1, undefined]);
  expect(cycles[2]?.messagesToOperator).toBe(1);
});

it('has no novelty for a reflection without a word, and none compared with one', () => {
  const cycle = (number: number, text: string): NewEvent[] => [
    { type: 'cycle.started', cycle: number },
    reflected(number, text),
  ];
  const texts = ['', '', 'The sky is blue', '…', 'The sky is blue'];
  const { cycles } = foldCycles(noCycles, log(...texts.flatMap((text, index) => cycle(index + 1, text))));
  expect(cycles.map(({ novelty }) => novelty)).toEqual([undefined, undefined, undefined, undefined, 0]);
});

it('uses the novelty by embeddings if the run computes it', () => {
  const advised = (cycle: number, similarity: number, measure: 'ngram' | 'embeddings'): NewEvent => ({
    ...{ type: 'diversity.advised', cycle, measure, similarity, threshold: 0.6 },
    ...{ nearest_cycle: 1, compared: [1] },
  });
  const diversity = { threshold: 0.6, window: 5, embedding_model: 'embedder' };
  const explore = { context_limit: 8192, max_cycles: 3, calls_per_cycle: 5, cycle_line: true, diversity };
  const { cycles } = foldCycles(
    noCycles,
    log(
      { type: 'run.created', config: sampleConfig({ mode: 'explore', task: '', explore }) },
      ...[{ type: 'cycle.started' as const, cycle: 1 }, reflected(1, 'The sky is blue')],
      ...[{ type: 'cycle.started' as const, cycle: 2 }, reflected(2, 'Azure is the heaven above')],
      ...[
        { type: 'cycle.started' as const, cycle: 3 },
        advised(3, 0.9, 'embeddings'),
        reflected(3, 'Fish swim'),
      ],
      advised(3, 0.2, 'ngram'),
    ),
  );
  expect(cycles.map(({ novelty, noveltyMeasure }) => [novelty?.toFixed(1), noveltyMeasure])).toEqual([
    [undefined, undefined],
    ['0.1', 'embeddings'],
    ['0.8', 'ngram'],
  ]);
  // The comparison that fell back to words is excluded from the mean by embeddings.
  expect(meanNovelty(cycles)).toMatchObject({ measure: 'embeddings', novelty: expect.closeTo(0.1) });
  expect(meanNovelty(cycles.slice(0, 1))).toBeUndefined();
});

it('counts as the run does: refused calls have not failed, and texts for MCP servers use tokens', () => {
  const ended = (call_id: string, output: { error: string; denied?: boolean }): NewEvent => ({
    ...{ type: 'tool-call.ended', call_id, tool: 'write', duration_ms: 0 },
    result: { success: false, tool: 'write', output },
  });
  const { cycles } = foldCycles(
    noCycles,
    log(
      { type: 'cycle.started', cycle: 1 },
      ended('c1', { error: 'The operator denied this call.', denied: true }),
      { type: 'tool-call.started', call_id: 'c2', iteration: 1, tool: 'write' },
      {
        ...{ type: 'mcp-sampling.ended', request_id: 'm1', call_id: 'c2', text: 'Yes.' },
        ...{ prompt_tokens: 40, reply_tokens: 2, duration_ms: 5 },
      },
      ended('c2', { error: 'The disk is full.' }),
    ),
  );
  expect(cycles).toMatchObject([{ toolCalls: 1, failedToolCalls: 1, tokensIn: 40, tokensOut: 2 }]);
});

it('keeps unchanged cycle objects, and skips known events', () => {
  const half = foldCycles(noCycles, events.slice(0, 7));
  const whole = foldCycles(half, events);
  expect(whole.cycles[0]).toBe(half.cycles[0]);
  expect(foldCycles(whole, events)).toBe(whole);
});

it('reports every memory change with its call', () => {
  const { changes } = foldCycles(
    noCycles,
    log(
      { type: 'cycle.started', cycle: 1 },
      ...[memory('write', 'a', '1'), memory('write', 'b', '2'), memory('delete', 'a')],
    ),
  );
  expect(changes).toMatchObject([
    { seq: 2, key: 'a', value: '1', callId: 'c1', cycle: 1 },
    { seq: 3, key: 'b', value: '2' },
    { seq: 4, key: 'a', value: undefined },
  ]);
});

it('includes memories that a fork edited, added or deleted', () => {
  const forked: NewEvent = {
    ...{ type: 'run.forked', from: { run_id: 'p', seq: 4 }, iteration: 1, cycle: 1, settings: [] },
    ...{ answered: false, files: { kind: 'none' } },
    edits: [
      { target: 'memory', key: 'a', before: 'x', after: 'longer' },
      { target: 'memory', key: 'b', after: '' },
      { target: 'memory', key: 'c', before: 'y' },
      { target: 'reply', before: 'One', after: 'Two' },
    ],
  };
  const { changes } = foldCycles(
    noCycles,
    log(...events.slice(0, 4).map(({ run_id, seq, at, ...each }) => each as NewEvent), forked),
  );
  expect(changes.map(({ key, value, cycle, callId }) => [key, value, cycle, callId])).toEqual([
    ['a', 'x', 1, 'c1'],
    ['a', 'longer', 1, undefined],
    ['b', '', 1, undefined],
    ['c', undefined, 1, undefined],
  ]);
});
