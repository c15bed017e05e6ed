import type { ShareRecord } from '../../api/share.ts';
import type { NewEvent } from '../../events/registry.ts';
import type { ParserLayer } from '../../parser/layers.ts';
import { sampleConfig } from '../sample-logs.ts';

export const config = sampleConfig({
  task: 'Write the file notes.txt',
  model: 'loupe-demo',
  workspace: '/tmp/workspace',
  window_tokens: 8192,
  live_tokens: false,
  think: false,
});

export const warned = (message: string): NewEvent => ({ type: 'policy.warned', code: 'test', message });

export const ended = {
  type: 'run.ended',
  result: {
    status: 'completed',
    output: 'Done.',
    model_used: 'loupe-demo',
    tokens_in: 1,
    tokens_out: 2,
    error: null,
    termination_reason: 'final_answer',
    iterations_used: 1,
  },
  message: 'The model answered.',
  evidence: [1],
  cost_usd: 0,
  tool_calls: 0,
  files_written: [],
} satisfies NewEvent;

export const modelCall = {
  type: 'model-call.started',
  iteration: 1,
  message_count: 1,
  tool_count: 0,
  options: {},
  think: false,
  stream: false,
  estimated_tokens: 1,
} as const;

/** A model call that Ollama itself could not read. */
export const swallowed: NewEvent = {
  type: 'model-call.failed',
  call: 1,
  kind: 'malformed_call',
  error: { code: 'malformed_call', message: 'error parsing tool call' },
  duration_ms: 1,
};

export const emptyReply = {
  type: 'reply.parsed',
  call: 1,
  iteration: 1,
  outcome: 'empty',
  layer: 'none',
  calls: [],
  text: '',
  thinking: '',
  coercions: [],
  repairs: [],
  refusals: [],
  attempts: [],
  malformed: false,
  cut: false,
} satisfies NewEvent;

/**
 * Two silent replies as logs had them before `swallowed_tokens`: of the first Ollama dropped a call, the second was
 * meant.
 */
export const unmarkedLoss: NewEvent[] = [27, 1].flatMap((tokens, index): NewEvent[] => {
  const call = index + 1;
  return [
    { ...modelCall, call, tool_count: 1 },
    {
      type: 'model-call.ended',
      call,
      message: { role: 'assistant', content: '' },
      reply_tokens: tokens,
      duration_ms: 1,
      timings: {},
    },
    { ...emptyReply, call },
  ];
});

/** A reply that was read, with a call of each of these layers. */
export function reply(options: {
  calls?: ParserLayer[];
  mended?: boolean;
  refusals?: number;
  malformed?: boolean;
}): NewEvent {
  const { calls = [], mended = false, refusals = 0, malformed = false } = options;
  return {
    type: 'reply.parsed',
    call: 1,
    iteration: 1,
    outcome: calls.length > 0 ? 'tool_calls' : 'final_answer',
    layer: calls[0] ?? 'none',
    calls: calls.map((layer, index) => ({
      call_id: `c${index}`,
      name: 'read_file',
      arguments: {},
      layer,
      format: `the ${layer} format`,
    })),
    text: 'Text.',
    thinking: '',
    coercions: mended ? [{ call: 0, path: 'lines', before: '3', after: 3 }] : [],
    repairs: mended ? [{ call: 0, rule: 'trailing comma', before: ',}', after: '}' }] : [],
    refusals: Array.from({ length: refusals }, () => ({ reason: 'cut', raw: '{', message: 'Cut off.' })),
    attempts: [],
    malformed,
    cut: false,
  };
}

export const share = (id: string, run_id: string, over: Partial<ShareRecord> = {}): ShareRecord => ({
  ...{
    id,
    run_id,
    token_hash: id.padStart(64, '0'),
    title: 'A run',
    scope: 'everything',
    show: ['email'],
  },
  ...{ created_at: 5, expires_at: 1_900_000_000_000, views: 0 },
  ...over,
});
