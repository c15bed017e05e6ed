import { describe, expect, it } from 'vitest';
import { forkRequest } from '../../api/fork-run.ts';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { terminationReason } from '../../events/termination.ts';
import { endedLog, SampleLog, sampleConfig } from '../../testing/sample-logs.ts';
import { continueWith, forkBeforeCause, moreSteps, suggestionFor, tryAgain } from './next-steps.ts';

function ended(reason: Parameters<typeof endedLog>[0]) {
  const { events } = endedLog(reason);
  const end = events.at(-1);
  if (end?.type !== 'run.ended') throw new Error('the sample has not ended');
  return { end, timeline: foldTimeline(emptyTimeline, events) };
}

const exploreConfig = ({ max_cycles }: { max_cycles: number | null }) =>
  sampleConfig({
    mode: 'explore',
    explore: { context_limit: 32_768, max_cycles, calls_per_cycle: 5, cycle_line: true },
  });

const extent = (iteration: number, cycle = 0) => {
  const state = emptyRunState('run');
  return { ...state, iteration, cycle: { ...state.cycle, number: cycle } };
};

it.each(terminationReason.options)('after %s there is a fork point before the cause', (reason) => {
  const { end, timeline } = ended(reason);
  const opening = forkBeforeCause(timeline, end, 'task');
  const steps = timeline.rows.filter(({ kind }) => kind === 'iteration').map(({ iteration }) => iteration);
  expect(opening?.words).toMatch(/^before iteration \d+$/);
  expect(steps).toContain(
    opening && 'before_iteration' in opening.place ? opening.place.before_iteration : 0,
  );
});

it('forks a repetition before its second call', () => {
  const { end, timeline } = ended('repetition');
  const opening = forkBeforeCause(timeline, end, 'task');
  const last = timeline.rows.findLast(({ kind }) => kind === 'iteration')?.iteration ?? 0;
  expect(opening?.place).toMatchObject({ before_iteration: last - 1 });
});

it('suggests a setting that differs from the one that led to the end', () => {
  const config = sampleConfig({ budget: { max_tokens_total: 100 }, model_options: { temperature: 0.2 } });
  const suggested = (reason: Parameters<typeof endedLog>[0]) =>
    suggestionFor(config, ended(reason).end)?.changes;
  expect(suggested('max_iterations')).toEqual({ max_iterations: '20' });
  expect(suggested('stall')).toEqual({ stall_guard: 'off' });
  expect(suggested('repetition')).toEqual({ temperature: '0.5' });
  expect(suggested('budget_exceeded')).toEqual({ max_tokens_total: '200' });
  expect(suggested('timeout')).toEqual({ call_timeout_seconds: String((config.call_timeout_ms / 1000) * 2) });
  expect(suggested('final_answer')).toBeUndefined();
});

it('suggests another temperature for a run that repeated a pattern, and a fork before its second pass', () => {
  const { end, timeline } = ended('max_iterations');
  const { events } = endedLog('max_iterations');
  const replies = events.filter(({ type }) => type === 'reply.parsed').map(({ seq }) => seq);
  const pattern = { tools: ['read_file', 'write_file'], length: 2, times: 4, seqs: replies.slice(-8) };
  const config = sampleConfig({ model_options: { temperature: 0.2 } });
  expect(suggestionFor(config, end, { pattern })).toMatchObject({ changes: { temperature: '0.5' } });
  expect(forkBeforeCause(timeline, end, 'task', pattern)?.words).toBe('before iteration 5');
});

it('suggests twice the reply limit for an answer that was cut off, where the window has room', () => {
  const end = { ...ended('final_answer').end, outcome: { kind: 'answered_cut_off' as const } };
  const suggested = (window_tokens: number) =>
    suggestionFor(sampleConfig({ num_predict: [2048, 4096], window_tokens }), end);
  expect(suggested(32_768)).toEqual({
    words: 'with a reply limit of 8,192 tokens',
    changes: { predict_first: '4096', predict_second: '8192' },
    raisesLimit: true,
  });
  expect(suggested(4096)).toBeUndefined();
});

it('suggests twice the reply limit for a run that stayed silent because its replies were cut off', () => {
  const { end } = ended('nudge_exhausted');
  const config = sampleConfig({ num_predict: [2048, 4096], window_tokens: 32_768 });
  expect(suggestionFor(config, end, { lastReplyCut: true })?.changes).toEqual({
    predict_first: '4096',
    predict_second: '8192',
  });
  expect(suggestionFor(config, end)).toBeUndefined();
});

it.each([
  ['timeout', true],
  ['context_full', true],
  ['budget_exceeded', true],
  ['stall', false],
  ['repetition', false],
] as const)('whether the setting after %s raises the limit that ended the run: %s [D8]', (reason, raises) => {
  expect(suggestionFor(sampleConfig(), ended(reason).end)?.raisesLimit).toBe(raises);
});

it('offers more iterations only after the limit, and never more than allowed', () => {
  const { end } = ended('max_iterations');
  const more = (limit: number) => moreSteps(sampleConfig({ max_iterations: limit }), extent(limit), end);
  expect(more(10)).toEqual({
    words: '10 more',
    request: { at: { end: true }, settings: { max_iterations: 20 }, workspace: 'same' },
  });
  expect(more(95)?.words).toBe('5 more');
  expect(more(100)).toBeUndefined();
  expect(moreSteps(sampleConfig(), extent(3), ended('stall').end)).toBeUndefined();
});

it('offers the same number of cycles again once all are done', () => {
  const { end } = ended('final_answer');
  const explore = (max_cycles: number | null) => exploreConfig({ max_cycles });
  expect(moreSteps(explore(2), extent(5, 2), end)).toEqual({
    words: '2 more cycles',
    request: { at: { end: true }, settings: { max_cycles: 4 }, workspace: 'same' },
  });
  expect(moreSteps(explore(1), extent(5, 1), end)?.words).toBe('1 more cycle');
  expect(moreSteps(explore(null), extent(5, 2), end)).toBeUndefined();
  expect(moreSteps(explore(1000), extent(5, 1000), end)).toBeUndefined();
});

describe('try again from here', () => {
  it.each(terminationReason.options)('is offered only after a failure: %s', (reason) => {
    const { end, timeline } = ended(reason);
    const request = tryAgain(timeline, end);
    expect(request !== undefined).toBe(reason === 'error' || reason === 'timeout');
    if (request) expect(forkRequest.safeParse(request).error).toBeUndefined();
  });

  it('returns to the point before the failed call and its retries', () => {
    const log = new SampleLog()
      .prepare()
      .round({ calls: [{ name: 'read_file', arguments: {}, result: { output: '' } }] });
    const before = log.iteration().events.length;
    for (const cause of ['transient', undefined] as const) {
      log.callStarts();
      log.push({
        type: 'model-call.failed',
        call: 2,
        kind: 'http',
        error: { code: 'model_http', message: 'no' },
        duration_ms: 1,
      });
      if (cause) log.push({ type: 'policy.retried', iteration: 2, cause, message: 'no', wait_ms: 0 });
    }
    log.end('error', { message: 'no' });
    const end = log.events.at(-1);
    if (end?.type !== 'run.ended') throw new Error('the sample has not ended');
    expect(tryAgain(foldTimeline(emptyTimeline, log.events), end)).toEqual({
      at: { seq: before },
      workspace: 'same',
    });
  });

  it('starts at the end if no call failed', () => {
    const log = new SampleLog().prepare();
    log.end('error', { message: 'no' });
    const end = log.events.at(-1);
    if (end?.type !== 'run.ended') throw new Error('the sample has not ended');
    expect(tryAgain(foldTimeline(emptyTimeline, log.events), end)?.at).toEqual({ end: true });
  });
});

describe('continue with a hint', () => {
  const changed = (reason: Parameters<typeof endedLog>[0], config = sampleConfig(), place = extent(4)) =>
    continueWith('Hint', config, place, ended(reason).end)?.request.settings;

  it.each(terminationReason.options)('continues after %s, at the end of the conversation', (reason) => {
    const found = continueWith('Look.', sampleConfig(), extent(2), ended(reason).end);
    expect(found?.request).toMatchObject({ at: { end: true }, message: 'Look.', workspace: 'same' });
    expect(forkRequest.safeParse(found?.request).error).toBeUndefined();
  });

  it('raises only the limit that would end it immediately', () => {
    const config = sampleConfig({ max_iterations: 10, budget: { max_tokens_total: 100 } });
    expect(changed('final_answer', config)).toEqual({});
    expect(changed('max_iterations', config, extent(10))).toEqual({ max_iterations: 20 });
    expect(changed('final_answer', config, extent(9))).toEqual({ max_iterations: 20 });
    expect(changed('budget_exceeded', config)).toEqual({ budget: { max_tokens_total: 200 } });
    expect(changed('context_full')).toEqual({ window_tokens: sampleConfig().window_tokens * 2 });
    expect(changed('final_answer', exploreConfig({ max_cycles: 3 }), extent(9, 3))).toEqual({
      max_cycles: 6,
    });
  });

  it('is offered neither before the first message nor without iterations left', () => {
    expect(continueWith('Hint', sampleConfig(), extent(0), ended('error').end)).toBeUndefined();
    const full = sampleConfig({ max_iterations: 100 });
    expect(continueWith('Hint', full, extent(100), ended('max_iterations').end)).toBeUndefined();
  });
});
