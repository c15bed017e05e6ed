import { expect, it } from 'vitest';
import { foldCycles, noCycles } from '../events/fold-cycles.ts';
import { calls, play, says, stop } from '../testing/loop-harness.ts';

it('a session of 500 turns stays fast until its end [S17]', async () => {
  const started = performance.now();
  await using run = await play(
    { mode: 'session', autopilot: true, autopilot_turns: 1000, window_tokens: 2_000_000 },
    [
      {
        repeat: 250,
        steps: [
          calls({ name: 'write_file', arguments: { path: 'log.md', content: 'Turn {{n}}.\n' } }),
          says('Turn {{turn}} is done.'),
        ],
      },
      says('Still here.'),
    ],
    {
      during: async ({ log }) => {
        while (log.state.turns.completed < 500) await log.changed(log.state.seq, AbortSignal.timeout(60_000));
        log.append([stop()]);
      },
    },
  );
  const { turns, messages } = run.log.state;
  expect(turns.completed).toBeGreaterThanOrEqual(500);
  expect(messages.length).toBeGreaterThanOrEqual(1001);
  expect(run.end.result.termination_reason).toBe('stopped');
  const starts = run.of('turn.ended').map(({ at }) => at);
  const tenth = (from: number) => ((starts[from + 50] ?? 0) - (starts[from] ?? 0)) / 50;
  console.info(
    `500 turns: ${Math.round(performance.now() - started)} ms in all, ` +
      `${tenth(0).toFixed(1)} ms a turn at the start, ${tenth(440).toFixed(1)} ms at the end`,
  );
}, 120_000);

it('an exploration of 200 cycles stays fast to its end [X12, X22]', async () => {
  const started = performance.now();
  await using run = await play(
    { mode: 'explore', max_cycles: 200, window_tokens: 2_000_000, diversity: {} },
    [
      {
        repeat: 200,
        steps: [
          calls({ name: 'write', arguments: { key: 'k{{n}}', value: 'Idea number {{n}}.' } }),
          calls({ name: 'list' }, { name: 'pattern_search', arguments: { pattern: 'number {{n}}' } }),
          says('In cycle {{n}} I thought about the number {{n}} and its neighbors.'),
        ],
      },
    ],
  );
  expect(run.end).toMatchObject({
    result: { termination_reason: 'final_answer', status: 'completed', iterations_used: 600 },
    message: 'All 200 cycles are done.',
  });
  expect(run.log.state.memory.size).toBe(200);
  expect(run.log.state.reflections).toHaveLength(200);
  const folding = performance.now();
  const { cycles } = foldCycles(noCycles, run.log.events);
  expect(cycles).toHaveLength(200);
  expect(cycles.at(-1)).toMatchObject({
    number: 200,
    modelCalls: 3,
    tools: { write: 1, list: 1, pattern_search: 1 },
    memoriesChanged: 1,
    endedBy: 'reflection',
  });
  const ends = run.of('cycle.reflected').map(({ at }) => at);
  const pace = (from: number) => ((ends[from + 20] ?? 0) - (ends[from] ?? 0)) / 20;
  console.info(
    `200 cycles: ${Math.round(performance.now() - started)} ms in all, ` +
      `${pace(0).toFixed(1)} ms a cycle at the start, ${pace(175).toFixed(1)} ms at the end; ` +
      `${run.log.events.length} events folded to cycles in ${Math.round(performance.now() - folding)} ms`,
  );
}, 120_000);
