import { expect, it } from 'vitest';
import type { CreateRunRequest } from '../api/create-run.ts';
import type { ScenarioStepInput } from '../demo/scenario.ts';
import { runScenario } from '../sharing/exports/run-scenario.ts';
import { calls, type PlayedRun, play, says, silence } from '../testing/loop-harness.ts';

/** The events without times and folder, which differ between runs. */
function told(run: PlayedRun): unknown[] {
  return run.log.events.map((event) =>
    JSON.parse(
      JSON.stringify(event, (key, value) =>
        /^(at|duration_ms|cleanup_ms|load_ms|wait_ms|seconds_used|timings|size_bytes|vram_bytes|heard)$/.test(
          key,
        )
          ? undefined
          : value,
      ).replaceAll(run.workspace, '/workspace'),
    ),
  );
}

const broken = (fault: NonNullable<ScenarioStepInput['fault']>, healed: ScenarioStepInput) => ({
  attempts: [{ fault }, { reply: healed.reply }],
});

const RUNS: [string, Partial<CreateRunRequest>, ScenarioStepInput[]][] = [
  [
    'tools, a leaked call, thoughts and literal braces',
    {},
    [
      {
        reply: {
          thinking: 'First look.',
          tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }],
        },
      },
      says('{"name": "write_file", "arguments": {"path": "a.md", "content": "{{n}} of {{task}}"}}'),
      calls(
        { name: 'read_file', arguments: { path: 'a.md' } },
        { name: 'read_file', arguments: { path: 'no.md' } },
      ),
      says('Done.'),
    ],
  ],
  [
    'a plan, silence, and an end without an act',
    {},
    [says('I will read the file now.'), silence, silence, silence],
  ],
  [
    'passing faults',
    {},
    [
      broken({ kind: 'busy' }, calls({ name: 'write_file', arguments: { path: 'a.md', content: 'x' } })),
      broken({ kind: 'reset' }, calls({ name: 'read_file', arguments: { path: 'a.md' } })),
      broken({ kind: 'malformed-call' }, says('Done after all.')),
    ],
  ],
  ['a fault that stays', {}, [{ fault: { kind: 'http', status: 500, body: { error: 'out of memory' } } }]],
  [
    'checks that fail first',
    { checks: [{ type: 'file_exists', path: 'b.md' }] },
    [calls({ name: 'write_file', arguments: { path: 'a.md', content: 'x' } }), says('Done.')],
  ],
  ['a single answer', { agentic: false, live_tokens: true }, [says('Forty-two.')]],
  [
    'cycles with a memory',
    { mode: 'explore', max_cycles: 2, task: undefined },
    [
      calls({ name: 'write', arguments: { key: 'k', value: 'v' } }),
      says('I wrote something down.'),
      calls({ name: 'read', arguments: { key: 'k' } }),
      says('I read it again.'),
    ],
  ],
];

it.each(RUNS)('a recorded run replays identically from its scenario: %s', async (_, request, steps) => {
  const task = request.mode === 'explore' ? {} : { task: 'Do it with {{care}}' };
  await using first = await play({ ...task, ...request }, steps);
  const { models, scenarios } = await runScenario([first.log.events]);
  expect(scenarios.at(-1)?.name).toBe('run-run');
  const [scenario, ...others] = scenarios;
  await using second = await play({ ...task, ...request }, scenario?.steps ?? [], {
    scenario,
    fake: { models, scenarios: others },
  });
  expect(second.fake.problems).toEqual([]);
  expect(told(second)).toEqual(told(first));
});
