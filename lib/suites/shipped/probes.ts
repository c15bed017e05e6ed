import type { SuiteCaseInput } from '../../api/suite.ts';
import type { Check } from '../../events/check.ts';
import { PROBE_TASKS } from './probe-tasks.ts';

/** The ten probes of Model Check as tasks. Three of them need tools that are among a run's made-up tools. */
export const PROBES_SUITE = {
  name: 'Probes',
  description:
    'The ten probes of Model Check as tasks: one call, arguments of two types, the right tool, no call, two calls, a list of objects, a required argument, a result used, an error, two steps.',
  cases: [
    probe('one-call', {
      files: { 'alpha.md': 'Alpha is a lighthouse.\n' },
      target: 'lighthouse',
      checks: [called('read_file', { at_most: 1, arguments: { path: 'alpha.md' } })],
    }),
    probe('types', {
      settings: { distractor_tools: 1 },
      checks: [called('set_timer', { at_most: 1, arguments: { label: 'tea', minutes: 4 } })],
    }),
    probe('which-tool', {
      files: { 'alpha.md': 'An apple.\n', 'list.md': 'A banana.\n' },
      target: 'list.md',
      checks: [called('search_files', { arguments: { pattern: 'banana' } })],
    }),
    probe('no-call', {
      files: { 'alpha.md': '\n' },
      checks: [
        { type: 'answer_equals', value: 120 },
        { type: 'tool_not_called', tool: 'read_file' },
        { type: 'tool_not_called', tool: 'write_file' },
        { type: 'tool_not_called', tool: 'run_command' },
      ],
    }),
    probe('two-calls', {
      files: { 'alpha.md': 'Alpha.\n', 'beta.md': 'Beta.\n' },
      checks: [
        called('read_file', { arguments: { path: 'alpha.md' } }),
        called('read_file', { arguments: { path: 'beta.md' } }),
        { type: 'iterations_at_most', iterations: 2 },
      ],
    }),
    probe('nested', {
      settings: { distractor_tools: 2 },
      checks: [
        called('add_tasks', {
          at_most: 1,
          arguments: {
            tasks: [
              { title: 'paint the door', days: 2 },
              { title: 'mow the lawn', days: 1 },
            ],
          },
        }),
      ],
    }),
    probe('required', {
      settings: { distractor_tools: 3 },
      checks: [
        called('send_note', { at_most: 1, arguments: { to: 'maria@example.org', subject: 'Meeting' } }),
      ],
    }),
    probe('result', {
      files: { 'alpha.md': 'Notes of the harbour office.\nThe code word is quillback.\n' },
      target: 'quillback',
      checks: [called('read_file', { arguments: { path: 'alpha.md' } })],
    }),
    probe('error', {
      files: { 'notes.md': 'The number is 7341.\n' },
      checks: [{ type: 'answer_equals', value: 7341 }],
    }),
    probe('chain', {
      files: { 'source.txt': 'kestrel\nosprey\n' },
      checks: [{ type: 'file_contains', path: 'copy.txt', text: 'kestrel' }],
    }),
  ],
};

function probe(
  id: keyof typeof PROBE_TASKS,
  content: Omit<SuiteCaseInput, 'id' | 'input' | 'tags'>,
): SuiteCaseInput {
  return { id: `probe.${id}`, input: PROBE_TASKS[id], tags: ['probe'], ...content };
}

function called(tool: string, limits: Omit<Extract<Check, { type: 'tool_called' }>, 'type' | 'tool'>): Check {
  return { type: 'tool_called', tool, ...limits };
}
