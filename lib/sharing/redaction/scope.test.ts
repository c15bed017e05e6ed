import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cycleTable, memorySizes } from '../../events/cycle-table.ts';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import { type RunEvent, runEvent } from '../../events/registry.ts';
import { SHARE_SCOPES, type ShareScope } from '../../events/share-scopes.ts';
import { parseError } from '../../model/ollama-body.ts';
import { anyEvent } from '../../testing/any-event.ts';
import { eventsOf } from '../../testing/events-of.ts';
import { completedLog, SampleLog, verifiedLog } from '../../testing/sample-logs.ts';
import { exploreLog, sessionLog } from '../../testing/sample-modes.ts';
import { createRedactor } from './redactor.ts';
import { inScope } from './scope.ts';

const logs = {
  completed: completedLog(),
  verified: verifiedLog(),
  session: sessionLog(),
  explore: exploreLog(4),
};

it('every scope keeps all events with their sequence numbers and times, valid by their schema', () => {
  for (const { events } of Object.values(logs)) {
    for (const scope of SHARE_SCOPES) {
      const seen = events.map((event) => inScope(event, scope));
      expect(seen.map(({ type, seq, at }) => [type, seq, at])).toEqual(
        events.map(({ type, seq, at }) => [type, seq, at]),
      );
      for (const event of seen) expect(runEvent.safeParse(event).success).toBe(true);
    }
  }
});

it('every scope keeps any event valid by its schema', () => {
  fc.assert(
    fc.property(anyEvent, fc.constantFrom(...SHARE_SCOPES), (event, scope) => {
      expect(runEvent.safeParse(inScope(event, scope)).error).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});

it('a summary never shows a field that it has no rule for, in no event and no configuration', () => {
  const name = fc.oneof(
    fc.constantFrom('constructor', '__proto__', 'toString'),
    fc.string().map((text) => `new_${text}`),
  );
  fc.assert(
    fc.property(anyEvent, name, (event, field) => {
      const extended = withField(event, field);
      if (event.type === 'run.created' && extended.type === 'run.created') {
        extended.config = withField(event.config, field);
      }
      expect(JSON.stringify(extended)).toContain('new-text');
      expect(inScope(extended, 'summary')).toEqual(inScope(event, 'summary'));
    }),
    { numRuns: 2000 },
  );
});

it('a link shows no field that the schema does not know, at any depth', () => {
  const { events } = completedLog();
  const extended = events.map((event): RunEvent => {
    switch (event.type) {
      case 'run.created':
        return { ...event, config: { ...event.config, budget: withField(event.config.budget, 'new') } };
      case 'model-call.ended':
        return { ...event, timings: withField(event.timings, 'new') };
      case 'run.ended':
        return { ...event, result: withField(event.result, 'new') };
      default:
        return withField(event, 'new');
    }
  });
  expect(JSON.stringify(extended).match(/new-text/g)).toHaveLength(events.length);
  for (const scope of SHARE_SCOPES) {
    const shown = (log: readonly RunEvent[]) =>
      log.map((event) => createRedactor().event(inScope(event, scope)));
    expect(shown(extended)).toEqual(shown(events));
  }
});

/** A copy with a field that no schema knows. */
function withField<Value extends object>(value: Value, field: string): Value {
  return Object.defineProperty({ ...value }, field, { value: 'new-text', enumerable: true });
}

/** A log in which every text is a distinct word. */
function words(): SampleLog {
  return new SampleLog({ config: { task: 'the-task', system: 'the-system' } })
    .push({
      type: 'attempt.started',
      attempt: 2,
      messages: [
        { role: 'user', content: 'the-corrective-prompt' },
        { role: 'tool', content: 'the-earlier-result' },
      ],
      tools: [],
    })
    .push({
      type: 'model-call.ended',
      call: 1,
      message: { role: 'assistant', content: 'the-reply', thinking: 'the-thought' },
      duration_ms: 1,
      timings: {},
    })
    .push({
      type: 'approval.requested',
      call_id: 'c1',
      iteration: 1,
      tool: 't',
      arguments: { a: 'the-argument' },
    })
    .push({
      type: 'tool-call.ended',
      call_id: 'c1',
      tool: 't',
      result: { success: true, tool: 't', output: 'the-result', note: 'the-note' },
      duration_ms: 1,
    })
    .push({
      type: 'policy.compacted',
      iteration: 1,
      before_tokens: 2,
      after_tokens: 1,
      limit_tokens: 2,
      folded: [{ message: 1, kind: 'one-line', before_chars: 9, content: 'the-fold' }],
    })
    .push({
      type: 'verification.checked',
      attempt: 1,
      outcome: 'fail',
      checks: [
        {
          check: { type: 'command', command: 'the-check' },
          passed: false,
          output: 'the-check-output',
          duration_ms: 1,
        },
      ],
      opinions: [
        {
          check: { type: 'rubric', criteria: 'the-criteria', model: 'judge' },
          model: 'judge',
          prompt: 'the-judge-prompt',
          reply: 'the-judge-reply',
          verdict: 'fail',
          reason: 'the-reason',
          duration_ms: 1,
        },
      ],
    })
    .push({ type: 'operator.messaged', message_id: 'm1', text: 'the-message', idempotency_key: 'the-key' });
}

function left(scope: ShareScope): string[] {
  const text = JSON.stringify(words().events.map((event) => inScope(event, scope)));
  return [...new Set(text.match(/the-[a-z-]+/g))].sort();
}

it('withholds the results of tools and checks', () => {
  expect(left('without_results')).toEqual(
    [
      'the-argument',
      'the-check',
      'the-criteria',
      'the-key',
      'the-message',
      'the-reply',
      'the-system',
      'the-task',
      'the-thought',
    ].sort(),
  );
});

it('a summary contains only the task and the answer', () => {
  expect(left('summary')).toEqual(['the-task']);
  const end = completedLog().events.at(-1);
  if (end?.type !== 'run.ended') throw new Error('no end');
  expect(inScope(end, 'summary')).toMatchObject({ result: { output: end.result.output } });
});

it('a summary contains neither the prompts and replies for the operator nor the commands of custom tools', () => {
  const tool = { name: 'deploy', description: 'the-description', parameters: {}, command: ['the-command'] };
  const changed = ['operator_prompt', 'operator_replies', 'command_tools', 'checks', 'answer_schema'];
  const { events } = new SampleLog({
    config: {
      operator_replies: ['the-operator-reply'],
      operator_prompt: 'the-operator-prompt',
      command_tools: [{ ...tool, stdin: 'none', access: 'read', timeout_seconds: 5 }],
    },
  }).push({
    ...{ type: 'run.forked', from: { run_id: 'other', seq: 1 }, iteration: 1, cycle: 0, edits: [] },
    settings: [
      ...changed.map((name) => ({ name, before: 'the-former-text', after: ['the-new-text'] })),
      { name: 'max_iterations', before: 5, after: 10 },
    ],
    ...{ answered: false, files: { kind: 'none' } },
  });
  const [created, forked] = events.map((event) => inScope(event, 'summary'));
  expect(JSON.stringify(created)).not.toMatch(/the-(?:operator|description|command)/);
  expect(JSON.stringify(forked)).not.toContain('-text');
  expect(forked).toMatchObject({
    settings: [...changed.map((name) => ({ name })), { name: 'max_iterations', before: 5, after: 10 }],
  });
});

it('a warning about a cut prompt quotes no withheld result', () => {
  // As lib/policies/prompt-cut.ts writes it.
  const [, warned] = new SampleLog().push({
    type: 'policy.warned',
    code: 'prompt_cut',
    iteration: 2,
    message:
      'Prompt cut: sent ≈ 9,000 tokens, evaluated 10. Most likely lost, from the front: user “the-task”, tool “the-result”.',
    detail: {
      call: 2,
      sent_tokens: 9000,
      evaluated_tokens: 10,
      lost_count: 2,
      lost: [
        { index: 1, role: 'user', excerpt: 'the-task', tokens: 4500 },
        { index: 2, role: 'tool', excerpt: 'the-result', tokens: 4500 },
      ],
    },
  }).events;
  if (!warned) throw new Error('no event');
  for (const scope of ['without_results', 'summary'] as const) {
    const seen = inScope(warned, scope);
    expect(JSON.stringify(seen)).not.toContain('the-');
    expect(JSON.stringify(seen)).toContain('Prompt cut: sent');
  }
});

it('a summary quotes neither a malformed call nor a partial reply', () => {
  const [, failed] = new SampleLog().push({
    type: 'model-call.failed',
    call: 1,
    kind: 'malformed_call',
    error: { code: 'malformed_call', message: `error parsing tool call: raw='{"a": "the-argument` },
    raw: '{"a": "the-argument',
    partial_text: '<think>the-text',
    partial_thinking: 'the-thought',
    visible_text: 'the-visible-text',
    estimated_reply_tokens: 7,
    duration_ms: 3,
  }).events;
  if (!failed) throw new Error('no event');
  expect(JSON.stringify(inScope(failed, 'summary'))).not.toContain('the-');
  expect(inScope(failed, 'summary')).toMatchObject({ estimated_reply_tokens: 7 });
});

it('a summary does not quote a reply of Ollama that could not be read', () => {
  const { message } = parseError('Unexpected token', 'the-reply "content": "the-text"');
  const error = { code: 'model_bad_response', message };
  const [ended] = eventsOf(completedLog().events, 'run.ended');
  if (!ended) throw new Error('no end');
  const { events } = new SampleLog()
    .push({ type: 'model-call.failed', call: 1, kind: 'bad_response', error, duration_ms: 3 })
    .push({ type: 'policy.retried', iteration: 1, cause: 'transient', message, wait_ms: 1 })
    .push({ type: 'policy.warned', code: 'chat_error', message: `Error during chat completion: ${message}` })
    .push({ type: 'operator-call.ended', call_id: 'a', model: 'm', text: '', duration_ms: 1, error: message })
    .push({ type: 'verification.started', attempt: 1, reason: 'error', output: '', error })
    .push({ type: 'mcp-sampling.ended', request_id: 'r', call_id: 'a', error, duration_ms: 1 })
    .push({ ...ended, message, result: { ...ended.result, error } });
  for (const event of events.slice(1)) {
    expect(JSON.stringify(event)).toContain('the-reply');
    expect(JSON.stringify(inScope(event, 'summary'))).not.toContain('the-');
    expect(JSON.stringify(inScope(event, 'summary'))).toContain('Ollama response parse error: ‹withheld›');
  }
  // What a model answers an MCP server is a result of the call.
  const [sampled] = eventsOf(events, 'mcp-sampling.ended');
  if (!sampled) throw new Error('no event');
  expect(JSON.stringify(inScope(sampled, 'without_results'))).not.toContain('the-');
});

it('shows the edits of a fork only within the scope', () => {
  const [, forked] = new SampleLog().push({
    type: 'run.forked',
    from: { run_id: 'other', seq: 7 },
    iteration: 1,
    cycle: 0,
    edits: [
      { target: 'message', index: 3, role: 'tool', before: 'the-old-result', after: 'the-new-result' },
      { target: 'reply', before: 'the-old-reply', after: 'the-new-reply' },
      { target: 'memory', key: 'the-key', before: 'the-old-memory', after: 'the-new-memory' },
    ],
    settings: [],
    answered: false,
    files: { kind: 'copied', from: '/the-folder', files: 1, bytes: 1, left_out: 0 },
    log_path: '/the-log',
  }).events;
  if (!forked) throw new Error('no event');
  const seen = (scope: ShareScope) => JSON.stringify(inScope(forked, scope));
  expect(seen('without_results')).not.toContain('-result');
  expect(seen('without_results')).toContain('the-new-reply');
  expect(seen('summary')).not.toContain('the-');
});

it('a summary does not count the placeholders of withheld memories', () => {
  const seen = exploreLog(4).events.map((event) => inScope(event, 'summary'));
  const { cycles } = foldTimeline(emptyTimeline, seen);
  expect(cycles.changes.length).toBeGreaterThan(0);
  const { rows } = cycleTable(cycles);
  expect(rows).toHaveLength(4);
  for (const row of rows) {
    expect(row).not.toHaveProperty('memory_keys');
    expect(row).not.toHaveProperty('memory_chars');
  }
  expect(memorySizes(cycles.cycles, cycles.changes)).toEqual([]);
});
