import type {
  CheckAxis,
  CheckCriterion,
  CheckExchange,
  ModelCheck,
  ProbeResult,
} from '../api/model-check.ts';
import { verdictOf } from '../api/summarize-check.ts';
import type { JsonValue } from '../util/json.ts';

const holds = (axis: CheckAxis, rule: string, found: string): CheckCriterion => ({
  axis,
  verdict: 'pass',
  rule,
  found,
});
const broken = (axis: CheckAxis, rule: string, found: string): CheckCriterion => ({
  ...holds(axis, rule, found),
  verdict: 'fail',
});

const fits = holds(
  'calls',
  'Each call can be read, names an offered tool, and its arguments fit it',
  'One call, and it fits.',
);

function exchange(task: string, call: { name: string; arguments: JsonValue }): CheckExchange {
  return {
    request: {
      model: 'qwen3:8b',
      messages: [
        { role: 'system', content: 'You carry out a task in a workspace folder by calling tools.' },
        { role: 'user', content: task },
      ],
      options: { temperature: 0, seed: 1, num_ctx: 8192, num_predict: 512 },
      stream: true,
    },
    reply: { role: 'assistant', content: '', tool_calls: [{ function: call }] },
    done_reason: 'stop',
    prompt_tokens: 412,
    reply_tokens: 28,
    duration_ms: 900,
    read: {
      calls: [{ ...call, layer: 'native', format: 'native', problems: [] }],
      text: '',
      thinking_chars: 0,
      repairs: [],
      coercions: [],
      refusals: [],
      malformed: false,
      cut: false,
    },
  };
}

function probe(
  id: string,
  title: string,
  criteria: CheckCriterion[],
  exchanges: CheckExchange[],
): ProbeResult {
  return {
    id,
    title,
    task: 'Read the file alpha.md.',
    verdict: verdictOf(criteria),
    criteria,
    exchanges,
    duration_ms: 940,
  };
}

/** A handwritten check of a model of middling skill. */
export function sampleCheck(change: Partial<ModelCheck> = {}): ModelCheck {
  const alpha = exchange('Read the file alpha.md and say in one sentence what it is about.', {
    name: 'read_file',
    arguments: { path: 'alpha.md' },
  });
  const chosen = (rule: string) => holds('choice', rule, 'It called read_file {"path":"alpha.md"}.');
  const stops = holds(
    'stops',
    'Once the work is done, it answers and calls nothing more',
    'It answered: “Done.”',
  );
  return {
    model: 'qwen3:8b',
    digest: 'a'.repeat(64),
    probes_version: 1,
    started_at: 1_795_263_500_000,
    ended_at: 1_795_263_541_000,
    conditions: {
      ollama_version: '0.17.4',
      temperature: 0,
      seed: 1,
      window_tokens: 8192,
      num_predict: 512,
      context_tokens: 8192,
      size_bytes: 6_200_000_000,
      vram_bytes: 3_224_000_000,
      load_ms: 8400,
      capabilities: ['completion', 'tools'],
    },
    measured: {
      replies: 15,
      calls: 12,
      layers: { native: 12, json: 0, xml: 0 },
      formats: { native: 12 },
      repaired: 0,
      coerced: 1,
      refused: 0,
      malformed: 0,
      timed_tokens: 640,
      eval_ms: 15_800,
      thinking_replies: 0,
      thinking_chars: 0,
    },
    probes: [
      probe(
        'one-call',
        'One simple call',
        [fits, chosen('Calls read_file once, with path alpha.md')],
        [alpha],
      ),
      probe(
        'types',
        'Arguments of two types',
        [fits, chosen('Calls set_timer once, with the number 4 and the label tea')],
        [alpha],
      ),
      probe(
        'which-tool',
        'The right one of several tools',
        [fits, chosen('Calls search_files once, for banana')],
        [alpha],
      ),
      probe('no-call', 'No call when none is needed', [chosen('Calls nothing, and answers'), stops], [alpha]),
      probe(
        'two-calls',
        'Two calls in one reply',
        [
          fits,
          broken(
            'choice',
            'One reply has both calls of read_file, and no other',
            'It called read_file {"path":"alpha.md"}.',
          ),
        ],
        [alpha],
      ),
      probe(
        'nested',
        'A list of objects as argument',
        [fits, chosen('Calls add_tasks once, with both tasks and their days in order')],
        [alpha],
      ),
      probe(
        'required',
        'A required argument named in passing',
        [fits, chosen('Calls send_note once, to maria@example.org, with Thursday in the text')],
        [alpha],
      ),
      probe(
        'result',
        'A result used in the answer',
        [
          fits,
          holds(
            'results',
            'The answer has the code word of the result, quillback',
            'It answered: “quillback”',
          ),
          stops,
        ],
        [alpha, alpha],
      ),
      probe(
        'error',
        'Recovering from a failed call',
        [
          fits,
          {
            axis: 'results',
            verdict: 'unknown',
            rule: 'After the error, which names notes.md, it reads that file and answers 7341',
            found: 'Ollama per-call timeout: no complete reply within 90 s.',
          },
          { ...stops, verdict: 'unknown', found: 'The work was not done, so its end cannot be judged.' },
        ],
        [alpha],
      ),
      probe(
        'chain',
        'Two steps, then the end',
        [
          fits,
          holds(
            'results',
            'Writes the first line of the result, kestrel, to copy.txt',
            'It called write_file {"path":"copy.txt","content":"kestrel"}.',
          ),
          stops,
        ],
        [alpha, alpha, alpha],
      ),
    ],
    ...change,
  };
}
