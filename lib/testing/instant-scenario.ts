import type { ScenarioInput } from '../demo/scenario.ts';

/**
 * A scenario for benchmarking the loop: alternating `write_file` and `read_file` calls, `iterations` in total and all
 * different, then an answer. Nothing waits, so all time spent is the client's.
 */
export function instantScenario(iterations: number, name = 'instant'): ScenarioInput {
  const write = { name: 'write_file', arguments: { path: 'file-{{n}}.txt', content: 'Line {{n}}.\n' } };
  const read = { name: 'read_file', arguments: { path: 'file-{{n}}.txt' } };
  const pairs = Math.floor(iterations / 2);
  return {
    name,
    description: `${iterations} tool calls, none like the one before, then an answer`,
    steps: [
      ...(pairs > 0
        ? [{ repeat: pairs, steps: [{ reply: { tool_calls: [write] } }, { reply: { tool_calls: [read] } }] }]
        : []),
      ...(iterations % 2 === 1
        ? [{ reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } }]
        : []),
      { reply: { content: 'The task is completed.' } },
    ],
  };
}
