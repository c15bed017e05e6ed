import type { JsonObject } from '../util/json.ts';
import type { ScenarioInput, ScenarioStepInput } from './scenario.ts';

interface Call {
  name: string;
  arguments: JsonObject;
}

const read = (path: string): Call => ({ name: 'read_file', arguments: { path } });

/** A good model's behavior in each probe of a check, by a phrase of its task: its calls in order, then its answer. */
const PLAY: { match: string; turns: (Call[] | string)[] }[] = [
  { match: 'say in one sentence', turns: [[read('alpha.md')], 'It is about a lighthouse.'] },
  { match: 'Set a timer', turns: [[{ name: 'set_timer', arguments: { label: 'tea', minutes: 4 } }]] },
  { match: 'Search all files', turns: [[{ name: 'search_files', arguments: { pattern: 'banana' } }]] },
  { match: 'How many minutes', turns: ['120'] },
  { match: 'beta.md', turns: [[read('alpha.md'), read('beta.md')]] },
  {
    match: 'Add two tasks',
    turns: [
      [
        {
          name: 'add_tasks',
          arguments: {
            tasks: [
              { title: 'Paint the door', days: 2 },
              { title: 'Mow the lawn', days: 1 },
            ],
          },
        },
      ],
    ],
  },
  {
    match: 'Maria',
    turns: [
      [
        {
          name: 'send_note',
          arguments: { to: 'maria@example.org', subject: 'Meeting', text: 'We meet on Thursday at noon.' },
        },
      ],
    ],
  },
  { match: 'code word', turns: [[read('alpha.md')], 'The code word is Quillback.'] },
  { match: 'notes.txt', turns: [[read('notes.txt')], [read('notes.md')], 'The number is 7,341.'] },
  {
    match: 'source.txt',
    turns: [
      [read('source.txt')],
      [{ name: 'write_file', arguments: { path: './copy.txt', content: 'kestrel' } }],
      'It is done.',
    ],
  },
];

/**
 * A model that passes every probe of a check.
 *
 * @param speak how it writes its calls; default: natively
 */
export function passingModel(
  model: string,
  speak: (calls: readonly Call[]) => ScenarioStepInput['reply'] = (calls) => ({ tool_calls: [...calls] }),
): ScenarioInput[] {
  return PLAY.map(({ match, turns }, index) => ({
    name: `${model.replaceAll(':', '-')}-probe-${index + 1}`,
    model,
    match,
    steps: turns.map((turn) => ({ reply: typeof turn === 'string' ? { content: turn } : speak(turn) })),
  }));
}

/** A model that writes its calls as text, in the tags of Hermes and Qwen. */
export function leakingModel(model: string): ScenarioInput[] {
  return passingModel(model, (calls) => ({
    content: calls.map((call) => `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`).join('\n'),
  }));
}
