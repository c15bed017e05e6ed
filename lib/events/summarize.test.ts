import { expect, it } from 'vitest';
import { sampleConfig } from '../testing/sample-logs.ts';
import { type NewEvent, runEvent } from './registry.ts';
import { summarize } from './summarize.ts';

const asked = { request_id: 'q1', call_id: 'c1' };
const result = { success: true as const, tool: 'read_file', output: 'x' };
const ended = {
  status: 'partial' as const,
  output: '',
  model_used: 'm',
  tokens_in: 0,
  tokens_out: 0,
  error: null,
  termination_reason: 'stall' as const,
  iterations_used: 5,
};
const parsed = {
  call: 1,
  iteration: 1,
  layer: 'none' as const,
  calls: [],
  thinking: '',
  coercions: [],
  repairs: [],
  refusals: [],
  attempts: [],
  malformed: false,
  cut: false,
};

const lines: [NewEvent, string | RegExp][] = [
  [
    { type: 'approval.requested', call_id: 'c', iteration: 1, tool: 'run_command', arguments: {} },
    'run_command waits for approval',
  ],
  [
    { type: 'approval.decided', call_id: 'c', tool: 'run_command', decision: 'approved', by: 'operator' },
    'run_command was approved',
  ],
  [
    {
      type: 'approval.decided',
      call_id: 'c',
      tool: 'run_command',
      decision: 'edited',
      arguments: {},
      by: 'operator',
    },
    'run_command was approved with other arguments',
  ],
  [
    {
      type: 'approval.decided',
      call_id: 'c',
      tool: 'run_command',
      decision: 'denied',
      reason: 'Not here',
      by: 'operator',
    },
    'run_command was denied by the operator: Not here',
  ],
  [
    { type: 'run.created', config: sampleConfig({ task: 'word '.repeat(200) }) },
    /^Run created for qwen3:8b: word .*…$/,
  ],
  [
    {
      type: 'run.forked',
      from: { run_id: 'other', seq: 7 },
      iteration: 1,
      cycle: 0,
      edits: [{ target: 'reply', before: 'a', after: 'b' }],
      settings: [{ name: 'seed', after: 1 }],
      answered: false,
      files: { kind: 'none' },
    },
    'Forked from run other after event 7; 2 changes',
  ],
  [{ type: 'run.started', worker: 'w', epoch: 1 }, 'Worker w took the run'],
  [{ type: 'run.resumed', worker: 'w', epoch: 2 }, 'Worker w resumed the run (epoch 2)'],
  [{ type: 'run.resumed', worker: 'w', epoch: 3, after_wait: true }, 'Worker w continued the run'],
  [{ type: 'preflight.checked', sandbox: { available: false, kind: 'none' } }, /commands are not offered$/],
  [{ type: 'model.load-started', model: 'm', num_ctx: 32_768 }, 'Loading m with a window of 32,768 tokens'],
  [{ type: 'model.loaded', already_loaded: false, load_ms: 1500 }, 'Model loaded in 1.5 s'],
  [{ type: 'attempt.started', attempt: 1, messages: [], tools: [] }, 'Attempt 1 begins with 0 tools'],
  [{ type: 'iteration.started', attempt: 1, iteration: 2 }, 'Iteration 2'],
  [
    {
      type: 'model-call.started',
      call: 1,
      iteration: 1,
      message_count: 1,
      tool_count: 0,
      options: {},
      think: false,
      stream: false,
      estimated_tokens: 12_900,
    },
    'Call 1: 1 message, about 12,900 tokens',
  ],
  [
    {
      type: 'model-call.ended',
      call: 1,
      message: { role: 'assistant', content: '' },
      done_reason: 'length',
      reply_tokens: 2048,
      duration_ms: 20,
      timings: {},
    },
    'Call 1 answered in 20 ms with 2,048 tokens, cut off',
  ],
  [
    {
      type: 'model-call.ended',
      call: 2,
      message: { role: 'assistant', content: '' },
      reply_tokens: 1,
      duration_ms: 20,
      timings: {},
    },
    'Call 2 answered in 20 ms with 1 token',
  ],
  [
    {
      type: 'model-call.failed',
      call: 1,
      kind: 'busy',
      error: { code: 'x', message: 'busy' },
      duration_ms: 1,
    },
    'Call 1 failed: busy',
  ],
  [{ type: 'reply.parsed', ...parsed, outcome: 'final_answer', text: 'a\nb' }, 'Text: a b'],
  [{ type: 'reply.parsed', ...parsed, outcome: 'empty', text: '', cut: true }, 'Empty reply (cut off)'],
  [{ type: 'tool-call.started', call_id: 'c1', iteration: 1, tool: 'read_file' }, 'Calling read_file'],
  [
    { type: 'tool-call.ended', call_id: 'c1', tool: 'read_file', result, duration_ms: 3.4 },
    'read_file succeeded in 3 ms',
  ],
  [{ type: 'tool-call.interrupted', call_id: 'c1', tool: 'read_file', result }, /outcome is unknown$/],
  [
    {
      type: 'mcp-request.received',
      ...asked,
      server: 'files',
      request: { kind: 'form', message: 'Which\nfolder?', fields: [] },
    },
    'The server files asks for input: Which folder?',
  ],
  [
    {
      type: 'mcp-request.received',
      ...asked,
      server: 'files',
      request: { kind: 'sampling', messages: [], max_tokens: 5 },
    },
    'The server files asks for a text from the model',
  ],
  [
    { type: 'mcp-request.answered', ...asked, action: 'decline', by: 'operator' },
    'The request of the server was declined',
  ],
  [
    { type: 'mcp-request.answered', ...asked, action: 'cancel', by: 'stop' },
    /cancelled, because the run stops$/,
  ],
  [{ type: 'mcp-request.answered', ...asked, action: 'cancel', by: 'server' }, /no longer waits/],
  [{ type: 'mcp-sampling.started', ...asked, options: {} }, 'Asking the model for the server'],
  [
    { type: 'mcp-sampling.ended', ...asked, text: 'Hello', duration_ms: 3 },
    'The model wrote for the server in 3 ms: Hello',
  ],
  [
    { type: 'mcp-sampling.ended', ...asked, error: { code: 'x', message: 'busy' }, duration_ms: 3 },
    'The model wrote nothing for the server: busy',
  ],
  [
    { type: 'mcp-messages.logged', call_id: 'c1', server: 'files', lines: ['a', 'b'] },
    'The server files reported: b',
  ],
  [
    { type: 'policy.nudged', iteration: 1, cause: 'plan', text: '', count: 1, limit: 2 },
    'Nudge 1 of 2: the reply was only a plan',
  ],
  [
    { type: 'policy.nudged', iteration: 1, cause: 'schema', text: '', count: 1, limit: 2 },
    'Schema retry 1 of 2: the answer does not fit the schema',
  ],
  [{ type: 'answer.checked', iteration: 1, call: 1, fits: true }, 'The answer fits the schema'],
  [
    { type: 'answer.checked', iteration: 1, call: 1, fits: false, problem: 'count: too small' },
    'The answer does not fit the schema: count: too small',
  ],
  [
    { type: 'policy.retried', iteration: 1, cause: 'transient', message: 'busy', wait_ms: 2000 },
    'Retrying in 2.0 s: busy',
  ],
  [
    {
      type: 'policy.compacted',
      iteration: 1,
      before_tokens: 9000,
      after_tokens: 3000,
      limit_tokens: 8000,
      folded: [],
    },
    '0 older results shortened: about 9,000 tokens became 3,000',
  ],
  [{ type: 'policy.warned', code: 'x', message: 'Look.' }, 'Look.'],
  [
    {
      type: 'budget.checked',
      iteration: 1,
      tokens_used: 50_000,
      cost_usd: 0,
      seconds_used: 1,
      exceeded: 'tokens',
    },
    'The budget is spent (tokens): 50,000 tokens, 1.0 s',
  ],
  [
    { type: 'verification.started', attempt: 1, reason: 'stall', output: '' },
    'Checking the work of attempt 1',
  ],
  [
    {
      type: 'verification.checked',
      attempt: 1,
      outcome: 'fail',
      checks: [{ check: { type: 'file_exists', path: 'a' }, passed: false, output: '', duration_ms: 1 }],
    },
    '0 of 1 check passed',
  ],
  [
    {
      type: 'verification.checked',
      attempt: 1,
      outcome: 'pass',
      checks: [{ check: { type: 'file_exists', path: 'a' }, passed: true, output: '', duration_ms: 1 }],
      opinions: [
        {
          check: { type: 'rubric', criteria: 'c' },
          ...{ model: 'judge', verdict: 'fail', reason: 'No.', duration_ms: 1 },
        },
        { check: { type: 'rubric', criteria: 'c' }, model: 'm', reason: 'No answer.', duration_ms: 1 },
      ],
    },
    '1 of 1 check passed; Opinion of judge: fail; Opinion of m: not judged: No answer.',
  ],
  [
    { type: 'server-wait.started', error: { code: 'c', message: 'Refused.' }, limit_ms: 600_000 },
    'Waiting up to 10 min for Ollama: Refused.',
  ],
  [{ type: 'server-wait.ended', outcome: 'back', waited_ms: 3000 }, 'Ollama is back after 3.0 s'],
  [
    { type: 'server-wait.ended', outcome: 'gave_up', waited_ms: 3000 },
    'Ollama did not come back within 3.0 s',
  ],
  [
    { type: 'server-wait.ended', outcome: 'stopped', waited_ms: 3000 },
    'The wait for Ollama was stopped after 3.0 s',
  ],
  [{ type: 'turn.ended', iteration: 3, outcome: 'empty' }, 'Turn ended with nothing'],
  [{ type: 'turn.paused', iteration: 3, wait_ms: 200 }, 'Pause of 200 ms between turns'],
  [{ type: 'message.awaited', iteration: 3, cause: 'text' }, 'Waiting for a message'],
  [
    { type: 'message.awaited', iteration: 3, cause: 'autopilot_turns' },
    'Autopilot reached its turn limit; waiting for a message',
  ],
  [{ type: 'autopilot.switched', on: true }, 'Autopilot switched on'],
  [{ type: 'harness.prompted', iteration: 3, text: 'Continue.' }, 'Loupe added: Continue.'],
  [{ type: 'cycle.started', cycle: 2, line: 'Cycle 2.' }, 'Cycle 2'],
  [
    { type: 'cycle.reflected', cycle: 2, text: ' ', ended_by: 'reflection' },
    'Cycle 2 ended without a reflection',
  ],
  [
    { type: 'cycle.reflected', cycle: 2, text: '', ended_by: 'reflection', swallowed_tokens: 3 },
    'Cycle 2 ended without a reflection. The model wrote 3 tokens, but none arrived: Ollama drops tool calls that it cannot read.',
  ],
  [
    { type: 'cycle.reflected', cycle: 2, text: '', ended_by: 'call_limit' },
    'Cycle 2 was ended after too many calls',
  ],
  [
    {
      type: 'diversity.advised',
      cycle: 3,
      measure: 'ngram',
      similarity: 0.9,
      threshold: 0.6,
      nearest_cycle: 1,
      compared: [1],
      feedback: 'Look elsewhere.',
    },
    'The last reflection is 90% similar to that of cycle 1; feedback was added',
  ],
  [
    {
      type: 'diversity.advised',
      cycle: 3,
      measure: 'embeddings',
      similarity: 0.998,
      threshold: 0.999,
      nearest_cycle: 1,
      compared: [1],
    },
    'The last reflection is 99% similar to that of cycle 1',
  ],
  [
    { type: 'memory.changed', call_id: 'c1', cycle: 1, operation: 'write', key: 'a', value: 'b' },
    'Memory "a" written: b',
  ],
  [{ type: 'operator.messaged', message_id: 'm1', text: 'Hello' }, 'The operator said: Hello'],
  [
    { type: 'operator.messaged', message_id: 'p1', text: 'Hello', by: 'model', call_id: 'c1' },
    'The replying model said: Hello',
  ],
  [
    {
      type: 'operator-call.started',
      ...{ call_id: 'c1', model: 'small', num_ctx: 4096, num_predict: 1024 },
      messages: [{ role: 'user', content: 'Hi' }],
    },
    'small is asked to answer for the operator',
  ],
  [
    { type: 'operator-call.ended', call_id: 'c1', model: 'small', text: 'Hello', duration_ms: 3 },
    'small answered for the operator',
  ],
  [
    { type: 'operator-call.ended', call_id: 'c1', model: 'small', text: '', error: 'Gone.', duration_ms: 3 },
    'small could not answer for the operator: Gone.',
  ],
  [
    {
      type: 'handover.started',
      ...{ iteration: 4, tokens: 900, limit_tokens: 1000, measured: false, text: 'Write a summary.' },
    },
    'Handover: the conversation has ≈900 of 1,000 tokens, so the model is asked for a summary',
  ],
  [
    { type: 'handover.ended', iteration: 5, outcome: 'done', text: 'Summary' },
    'The conversation continues in a fresh context that begins with the summary',
  ],
  [
    { type: 'handover.ended', iteration: 5, outcome: 'failed' },
    'The model wrote no summary; the conversation continues unchanged',
  ],
  [
    { type: 'operator.delivered', message_ids: ['m1'], as: 'user-message' },
    '1 message of the operator reached the model as a user message',
  ],
  [{ type: 'agent.messaged', call_id: 'c1', cycle: 1, text: 'Hi' }, '[AGENT]: Hi'],
  [{ type: 'stop.requested', force: true, by: 'operator' }, 'Immediate stop requested'],
  [
    {
      type: 'run.ended',
      result: ended,
      message: 'No file was written.',
      evidence: [],
      cost_usd: 0,
      tool_calls: 0,
      files_written: [],
    },
    'Run ended (stall): No file was written.',
  ],
];

it.each(lines)('describes $0.type in one line', (event, line) => {
  const summary = summarize(runEvent.parse({ ...event, run_id: 'r', seq: 1, at: 0 }));
  if (typeof line === 'string') expect(summary).toBe(line);
  else expect(summary).toMatch(line);
  expect(summary.length).toBeLessThanOrEqual(200);
  expect(summary).not.toMatch(/\n/);
});

it('has a line for every event type', () => {
  const known = runEvent.options.map((option) => option.shape.type.value);
  expect(new Set(lines.map(([event]) => event.type))).toEqual(new Set(known));
});
