import { importedSummary } from '../api/summarize-run.ts';
import type { RunConfig } from '../events/config.ts';
import { foldAll } from '../events/fold-run.ts';
import type { EventOf, NewEvent, RunEvent } from '../events/registry.ts';
import { emptyRunState } from '../events/run-state.ts';
import type { TerminationReason } from '../events/termination.ts';
import { PARSER_LAYERS, type ParserLayer } from '../parser/layers.ts';
import { type FileRun, slicesOf, toEventRow } from '../store/import-run.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** A whole configuration, for logs that are made and not run. */
export function sampleConfig(overrides: Partial<RunConfig> = {}): RunConfig {
  return {
    mode: 'task',
    agentic: true,
    task: 'Read the three reports in this folder, compare their figures and write a summary to summary.md.',
    model: 'qwen3:8b',
    workspace: '/home/ada/projects/quarterly-reports',
    tier: 'standard',
    max_iterations: 10,
    window_tokens: 32_768,
    compact_at: 0.75,
    keep_rounds: 3,
    result_chars: 8000,
    num_predict: [2048, 4096],
    call_timeout_ms: 120_000,
    load_timeout_ms: 600_000,
    repetition_threshold: 3,
    stall_guard: true,
    stall_threshold: 5,
    nudge_plans: true,
    max_nudges: 2,
    budget: {},
    checks: [],
    max_attempts: 3,
    live_tokens: true,
    think: true,
    keep_alive: '5m',
    model_options: {},
    parser_layers: [...PARSER_LAYERS],
    ...overrides,
  };
}

const TOOLS = ['read_file', 'write_file', 'list_files', 'search_files', 'run_command'].map((name) => ({
  type: 'function' as const,
  function: {
    name,
    description: `The tool ${name}.`,
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
}));

export interface SampleCall {
  name: string;
  arguments: JsonObject;
  /** The tool's result; if missing, the call is parsed but never started. */
  result?: { output: JsonValue; truncated?: true } | { error: string };
  ms?: number;
  layer?: ParserLayer;
  format?: string;
}

export interface SampleReply {
  text?: string;
  thinking?: string;
  calls?: SampleCall[];
  parsed?: Partial<Extract<NewEvent, { type: 'reply.parsed' }>>;
  /** Milliseconds the model took. */
  ms?: number;
  loadMs?: number;
}

/**
 * Writes a log event by event, the way the engine would: numbered, timed, and valid by the schemas (its test checks
 * that). For tests and for the gallery of states.
 */
export class SampleLog {
  readonly events: RunEvent[] = [];
  readonly runId: string;
  #at: number;
  #calls = 0;
  #toolCalls = 0;
  #messages = 0;
  #iteration = 0;
  #attempt = 0;
  #iterations = 0;
  #tokensIn = 0;
  #tokensOut = 0;
  readonly #config: RunConfig;

  constructor(options: { runId?: string; at?: number; config?: Partial<RunConfig> } = {}) {
    this.runId = options.runId ?? 'sample';
    this.#at = options.at ?? Date.UTC(2026, 10, 20, 9, 30);
    this.#config = sampleConfig(options.config);
    this.push({ type: 'run.created', config: this.#config });
  }

  get seq(): number {
    return this.events.length;
  }

  push(event: NewEvent, afterMs = 4): this {
    this.#at += afterMs;
    this.events.push({ ...event, run_id: this.runId, seq: this.events.length + 1, at: this.#at });
    return this;
  }

  /** Worker, checks and model: everything before the first iteration. */
  prepare(options: { loadMs?: number; warm?: boolean } = {}): this {
    const loadMs = options.warm ? 0 : (options.loadMs ?? 4180);
    this.push({ type: 'run.started', worker: 'web-1', epoch: 1 }, 12);
    this.push(
      {
        type: 'preflight.checked',
        server_version: '0.14.2',
        capabilities: ['completion', 'tools', 'thinking'],
        max_context_tokens: 40_960,
        parameter_size: '8.2B',
        quantization: 'Q4_K_M',
        digest: '500a1f067a9f',
        sandbox: { available: true, kind: 'bubblewrap' },
      },
      38,
    );
    this.push(
      { type: 'model.load-started', model: this.#config.model, num_ctx: this.#config.window_tokens },
      6,
    );
    this.push(
      {
        type: 'model.loaded',
        already_loaded: options.warm ?? false,
        load_ms: loadMs,
        context_tokens: this.#config.window_tokens,
        size_bytes: 7_900_000_000,
        vram_bytes: 7_900_000_000,
      },
      loadMs + 3,
    );
    return this.attempt();
  }

  attempt(extra: string[] = []): this {
    this.#attempt += 1;
    this.#iteration = 0;
    this.#messages = 2;
    return this.push({
      type: 'attempt.started',
      attempt: this.#attempt,
      messages: [
        {
          role: 'system',
          content: 'You are a careful assistant that works in a folder of files.\n\nUse the tools.',
        },
        { role: 'user', content: [this.#config.task, ...extra].join('\n\n') },
      ],
      tools: TOOLS,
    });
  }

  iteration(): this {
    this.#iteration += 1;
    this.#iterations += 1;
    const { budget } = this.#config;
    if (Object.keys(budget).length > 0) {
      this.push({
        type: 'budget.checked',
        iteration: this.#iteration,
        tokens_used: this.#tokensIn + this.#tokensOut,
        cost_usd: 0,
        seconds_used: (this.#at - (this.events[0]?.at ?? this.#at)) / 1000,
      });
    }
    return this.push({ type: 'iteration.started', attempt: this.#attempt, iteration: this.#iteration });
  }

  callStarts({ think = this.#config.think }: Partial<Pick<RunConfig, 'think'>> = {}): this {
    this.#calls += 1;
    return this.push({
      type: 'model-call.started',
      call: this.#calls,
      iteration: this.#iteration,
      message_count: this.#messages,
      tool_count: TOOLS.length,
      options: { num_ctx: this.#config.window_tokens, num_predict: 2048, ...this.#config.model_options },
      think,
      stream: this.#config.live_tokens,
      estimated_tokens: 900 + this.#messages * 310,
    });
  }

  callFails(
    failure: Omit<Extract<NewEvent, { type: 'model-call.failed' }>, 'type' | 'call' | 'duration_ms'>,
    ms = 800,
  ): this {
    return this.push({ type: 'model-call.failed', call: this.#calls, duration_ms: ms, ...failure }, ms);
  }

  /** The reply to the open call, and how it was read. */
  reply(reply: SampleReply): this {
    const ms = reply.ms ?? 3400;
    const promptTokens = 860 + this.#messages * 322;
    const replyTokens = Math.max(
      6,
      Math.ceil(((reply.text?.length ?? 0) + (reply.thinking?.length ?? 0)) / 4) +
        (reply.calls?.length ?? 0) * 42,
    );
    this.#tokensIn += promptTokens;
    this.#tokensOut += replyTokens;
    const calls = (reply.calls ?? []).map((call, position) => ({
      call_id: `c${this.#toolCalls + position + 1}`,
      name: call.name,
      arguments: call.arguments,
      layer: call.layer ?? ('native' as const),
      format: call.format ?? call.layer ?? 'native',
    }));
    const native = calls.filter((call) => call.layer === 'native');
    this.push(
      {
        type: 'model-call.ended',
        call: this.#calls,
        message: {
          role: 'assistant',
          content: reply.text ?? '',
          thinking: reply.thinking,
          tool_calls: native.map((call) => ({ function: { name: call.name, arguments: call.arguments } })),
        },
        done_reason: 'stop',
        prompt_tokens: promptTokens,
        reply_tokens: replyTokens,
        duration_ms: ms,
        timings: {
          totalMs: ms,
          loadMs: reply.loadMs ?? 21,
          promptEvalMs: Math.round(ms * 0.18),
          evalMs: Math.round(ms * 0.78),
        },
      },
      ms,
    );
    const layer = calls[0]?.layer ?? 'none';
    return this.push({
      type: 'reply.parsed',
      call: this.#calls,
      iteration: this.#iteration,
      outcome: calls.length > 0 ? 'tool_calls' : reply.text ? 'final_answer' : 'empty',
      layer,
      format: calls[0]?.format,
      calls,
      text: reply.text ?? '',
      thinking: reply.thinking ?? '',
      coercions: [],
      repairs: [],
      refusals: [],
      attempts: [
        { layer: 'native', found: native.length },
        ...(layer === 'native'
          ? []
          : [{ layer: 'json' as const, found: calls.filter((call) => call.layer === 'json').length }]),
        ...(layer === 'native' || layer === 'json'
          ? []
          : [{ layer: 'xml' as const, found: calls.filter((call) => call.layer === 'xml').length }]),
      ],
      malformed: false,
      cut: false,
      ...reply.parsed,
    });
  }

  /** Asks a person about the next call of the last reply. */
  ask(call: SampleCall): this {
    return this.push({
      type: 'approval.requested',
      call_id: `c${this.#toolCalls + 1}`,
      iteration: this.#iteration,
      tool: call.name,
      arguments: call.arguments,
    });
  }

  /** The person's decision. A denied call has its result immediately. */
  decide(
    call: SampleCall,
    decided: { decision: EventOf<'approval.decided'>['decision']; arguments?: JsonObject; reason?: string },
    ms = 4000,
  ): this {
    const call_id = `c${this.#toolCalls + 1}`;
    this.push({ type: 'approval.decided', call_id, tool: call.name, by: 'operator', ...decided }, ms);
    if (decided.decision !== 'denied') return this;
    this.#toolCalls += 1;
    const error = `The operator denied this call: ${decided.reason} It was not run and nothing was changed.`;
    const result = { success: false, tool: call.name, output: { error, denied: true } };
    return this.push({ type: 'tool-call.ended', call_id, tool: call.name, result, duration_ms: 0 });
  }

  /** Runs the calls of the last reply. */
  tools(calls: SampleCall[]): this {
    for (const call of calls) {
      this.toolStarts(call);
      if (call.result) this.toolEnds(call);
    }
    return this;
  }

  toolStarts(call: SampleCall): this {
    this.#toolCalls += 1;
    if (this.#toolCalls === 1) this.#messages += 1;
    return this.push({
      type: 'tool-call.started',
      call_id: `c${this.#toolCalls}`,
      iteration: this.#iteration,
      tool: call.name,
    });
  }

  toolEnds(call: SampleCall): this {
    this.#messages += 1;
    const ms = call.ms ?? 7;
    const result = call.result ?? { error: 'nothing' };
    return this.push(
      {
        type: 'tool-call.ended',
        call_id: `c${this.#toolCalls}`,
        tool: call.name,
        result:
          'error' in result
            ? { success: false, tool: call.name, output: { error: result.error } }
            : { success: true, tool: call.name, ...result },
        duration_ms: ms,
      },
      ms,
    );
  }

  /** One whole iteration: a call, its reply, its tools. */
  round(reply: SampleReply): this {
    this.iteration().callStarts().reply(reply);
    return this.tools(reply.calls ?? []);
  }

  end(
    reason: TerminationReason,
    options: { message: string; output?: string; evidence?: number[]; files?: string[] } & Partial<
      Pick<Extract<NewEvent, { type: 'run.ended' }>, 'forced' | 'verification' | 'outcome'>
    > & { error?: { code: string; message: string; hint?: string } },
  ): this {
    const status =
      reason === 'final_answer'
        ? 'completed'
        : reason === 'stopped'
          ? 'cancelled'
          : reason === 'error'
            ? 'failed'
            : 'partial';
    return this.push({
      type: 'run.ended',
      result: {
        status,
        output: options.output ?? '',
        model_used: this.#config.model,
        tokens_in: this.#tokensIn,
        tokens_out: this.#tokensOut,
        error: options.error ?? null,
        termination_reason: reason,
        iterations_used: this.#iterations,
      },
      message: options.message,
      evidence: options.evidence ?? [this.seq],
      forced: options.forced,
      cost_usd: 0,
      tool_calls: this.#toolCalls,
      files_written: options.files ?? [],
      verification: options.verification,
      outcome: options.outcome,
    });
  }
}

const REPORT = '# Q3 report\n\nRevenue rose to 4.2 M EUR (+7 %).\nCosts fell to 3.1 M EUR.\nHeadcount: 41.\n';

const list: SampleCall = {
  name: 'list_files',
  arguments: { path: '.' },
  result: { output: { entries: ['q1.md', 'q2.md', 'q3.md', 'notes/'] } },
};
const read = (path: string): SampleCall => ({
  name: 'read_file',
  arguments: { path },
  result: { output: { path, content: REPORT, lines: 5 } },
});
const write: SampleCall = {
  name: 'write_file',
  arguments: {
    path: 'summary.md',
    content:
      '# Summary\n\nRevenue grew in every quarter; costs fell in Q3.\n\n| | Q1 | Q2 | Q3 |\n|---|---|---|---|\n| Revenue | 3.8 | 3.9 | 4.2 |\n',
  },
  result: { output: { path: 'summary.md', bytes: 143, created: true } },
  ms: 11,
};

/** A run with one iteration per number; equal numbers make equal calls. */
export function choiceEvents(
  choices: readonly number[],
  options: ConstructorParameters<typeof SampleLog>[0] = {},
): RunEvent[] {
  const log = new SampleLog(options).prepare();
  for (const choice of choices) {
    log.round({
      ...(choice % 3 === 0 ? { thinking: `Thought ${choice}` } : {}),
      text: `Text ${choice % 2} ${'and so on '.repeat(choice)}`,
      calls: [
        { name: 'read_file', arguments: { path: `${choice}.txt` }, result: { output: `Is ${choice}` } },
      ],
    });
  }
  return log.events;
}

/** A fork in its first iteration, with nothing changed. */
export function sampleFork(from: { run_id: string; seq: number }): Extract<NewEvent, { type: 'run.forked' }> {
  return {
    type: 'run.forked',
    from,
    iteration: 1,
    cycle: 0,
    edits: [],
    settings: [],
    answered: false,
    files: { kind: 'none' },
  };
}

/** A run that went well, in four iterations. */
export function completedLog(options: ConstructorParameters<typeof SampleLog>[0] = {}): SampleLog {
  const log = new SampleLog(options).prepare();
  log.round({
    thinking: 'The user wants a comparison of three reports. I should first see which files there are.',
    calls: [list],
    ms: 2900,
  });
  log.round({
    thinking: 'Three reports. I read all of them before I write anything.',
    text: 'I will read the three reports.',
    calls: [read('q1.md'), read('q2.md'), read('q3.md')],
    ms: 4100,
  });
  log.round({ calls: [write], ms: 6200 });
  log.round({
    text: 'The summary is in `summary.md`. Revenue grew from 3.8 to 4.2 M EUR over the three quarters, and costs fell in the third. The task is completed.',
    ms: 2300,
  });
  return log.end('final_answer', {
    message: 'The model answered without asking for another tool.',
    output:
      'The summary is in `summary.md`. Revenue grew from 3.8 to 4.2 M EUR over the three quarters, and costs fell in the third. The task is completed.',
    files: ['summary.md'],
  });
}

/** Still going: a command is running in iteration 3. */
export function runningLog(options: ConstructorParameters<typeof SampleLog>[0] = {}): SampleLog {
  const log = new SampleLog(options).prepare();
  log.round({ thinking: 'First I look around.', calls: [list], ms: 2900 });
  log.round({ text: 'Reading the reports.', calls: [read('q1.md'), read('q2.md')], ms: 4100 });
  const command: SampleCall = { name: 'run_command', arguments: { command: 'npm test -- --run' } };
  log
    .iteration()
    .callStarts()
    .reply({ thinking: 'Now the tests.', calls: [command, write], ms: 2000 });
  return log.toolStarts(command);
}

/** A call that a person changed, one that was denied, and one that waits for an answer. */
export function approvalLog(options: ConstructorParameters<typeof SampleLog>[0] = {}): SampleLog {
  const log = new SampleLog({
    ...options,
    config: { approval: { default: 'auto', tools: { write_file: 'ask', run_command: 'ask' } } },
  }).prepare();
  const command = (text: string): SampleCall => ({ name: 'run_command', arguments: { command: text } });
  log.round({ thinking: 'First I look around.', calls: [list], ms: 2900 });

  log
    .iteration()
    .callStarts()
    .reply({ text: 'I write the summary.', calls: [write], ms: 3100 });
  const content = '# Summary\n\nRevenue rose in all three quarters.\n';
  log.ask(write).decide(write, { decision: 'edited', arguments: { ...write.arguments, content } });
  log.tools([write]);

  const push = command('git push --force origin main');
  log
    .iteration()
    .callStarts()
    .reply({ calls: [push], ms: 2200 });
  log.ask(push).decide(push, { decision: 'denied', reason: 'Nothing leaves this machine.' });

  const tests = command('npm test -- --run && ls -la reports | head -20');
  log
    .iteration()
    .callStarts()
    .reply({ text: 'Then the tests.', calls: [tests], ms: 2000 });
  return log.ask(tests);
}

/** A model call is out, with thinking on the way. */
export function callingLog(options: ConstructorParameters<typeof SampleLog>[0] = {}): SampleLog {
  const log = new SampleLog(options).prepare();
  log.round({ thinking: 'First I look around.', calls: [list], ms: 2900 });
  return log.iteration().callStarts();
}

/** Every way in which a reply can be hard to read. */
export function repairedLog(options: ConstructorParameters<typeof SampleLog>[0] = {}): SampleLog {
  const log = new SampleLog(options).prepare({ warm: true });
  log.round({
    text: 'Let me look.',
    calls: [{ ...list, layer: 'json', format: 'json' }],
    parsed: {
      attempts: [
        { layer: 'native', found: 0 },
        { layer: 'json', format: 'json', found: 1 },
      ],
    },
  });
  log.round({
    calls: [
      {
        name: 'read_file',
        arguments: { path: 'q1.md', start_line: 5 },
        layer: 'xml',
        format: 'hermes',
        result: { output: { content: 'Revenue rose.' } },
      },
    ],
    parsed: {
      coercions: [{ call: 0, path: 'start_line', before: '5', after: 5 }],
      repairs: [
        {
          call: 0,
          rule: 'missing closing brace',
          before: '{"name": "read_file", "arguments": {"path": "q1.md", "start_line": "5"}',
          after: '{"name": "read_file", "arguments": {"path": "q1.md", "start_line": "5"}}',
        },
      ],
    },
  });
  log.round({
    text: 'I would now open the door.',
    calls: [read('q2.md')],
    parsed: {
      refusals: [
        {
          reason: 'name-not-offered',
          raw: '<tool_call>{"name": "open_file", "arguments": {"path": "q2.md"}}</tool_call>',
          name: 'open_file',
          nearest: 'read_file',
          message: 'The tool "open_file" was not offered.',
        },
      ],
    },
  });
  log.iteration().callStarts();
  log.reply({
    text: '<tool_call>{"name": "write_file", "argum',
    parsed: {
      malformed: true,
      outcome: 'empty',
      text: '',
      refusals: [
        {
          reason: 'malformed',
          raw: '<tool_call>{"name": "write_file", "argum',
          message: 'The call breaks off.',
        },
      ],
    },
  });
  log.push({
    type: 'policy.retried',
    iteration: 4,
    cause: 'malformed',
    message: 'The reply held a broken tool call; the same messages are sent once more.',
    wait_ms: 0,
  });
  log.callStarts().callFails(
    {
      kind: 'busy',
      status: 503,
      error: {
        code: 'model_busy',
        message: 'Ollama is busy: the queue is full.',
        hint: 'Wait, or raise OLLAMA_MAX_QUEUE.',
      },
    },
    400,
  );
  log.push({
    type: 'policy.retried',
    iteration: 4,
    cause: 'transient',
    message: 'Ollama was busy; trying again in 2 s.',
    wait_ms: 2000,
  });
  log.callStarts().reply({ text: 'I plan to write the summary next.' });
  log.push({
    type: 'policy.nudged',
    iteration: 4,
    cause: 'plan',
    text: 'Please use the available tools to complete the task. Do not just describe what to do -- actually call the tools.',
    count: 1,
    limit: 2,
  });
  log.round({
    calls: [
      {
        ...write,
        result: { error: 'The folder "summary.md" already exists; a file cannot be written there.' },
      },
    ],
  });
  log.push({
    type: 'policy.compacted',
    iteration: 6,
    before_tokens: 25_120,
    after_tokens: 9_310,
    limit_tokens: 24_576,
    folded: [
      {
        message: 3,
        kind: 'one-line',
        before_chars: 18_400,
        content: 'list_files . → ok, 18400 characters (folded)',
      },
      {
        message: 5,
        kind: 'head-and-tail',
        before_chars: 42_000,
        content: '# Q1 report … (34000 characters left out) … end',
      },
    ],
  });
  log.push({
    type: 'policy.warned',
    code: 'window_lowered',
    message: 'The model was loaded with a window of 16,384 tokens; 32,768 were requested.',
  });
  log.round({ calls: [write] });
  log.push({ type: 'run.resumed', worker: 'web-2', epoch: 2 }, 48_000);
  log.push({ type: 'model.load-started', model: 'qwen3:8b', num_ctx: 32_768 });
  log.push({ type: 'model.loaded', already_loaded: true, load_ms: 0, context_tokens: 32_768 }, 90);
  log.round({
    text: `Done. Text with a direction trick: \u202Eevil.txt\u202C, an escape \u001b[31mred\u001b[0m and <script>alert(1)</script>. The task is completed.`,
  });
  return log.end('final_answer', {
    message: 'The model answered without asking for another tool.',
    output: 'Done. The task is completed.',
    files: ['summary.md'],
  });
}

/** One finished log per termination reason (G17). */
export function endedLog(
  reason: TerminationReason,
  options: ConstructorParameters<typeof SampleLog>[0] = {},
): SampleLog {
  if (reason === 'final_answer') return completedLog(options);
  const log = new SampleLog(options).prepare();
  const partial = 'I have read two of the three reports so far.';
  switch (reason) {
    case 'repetition': {
      log.round({ calls: [read('q1.md')] }).round({ calls: [read('q1.md')] });
      log.round({ text: partial, calls: [{ ...read('q1.md'), result: undefined }] });
      // The third list is refused: its call was parsed but never started.
      log.events.splice(log.events.findLastIndex((event) => event.type === 'tool-call.started'));
      const evidence = log.events.filter((event) => event.type === 'reply.parsed').map((event) => event.seq);
      return log.end(reason, {
        message: 'The model asked for read_file with the same arguments three times in a row.',
        output: partial,
        evidence,
      });
    }
    case 'stall':
      for (const path of ['a.md', 'b.md', 'c.md', 'd.md', 'e.md']) log.round({ calls: [read(path)] });
      return log.end(reason, {
        message: 'Five rounds went by without a file being written.',
        output: partial,
      });
    case 'max_iterations':
      for (let index = 1; index <= 10; index += 1) {
        log.round({ calls: [index % 3 === 0 ? write : read(`part-${index}.md`)] });
      }
      return log.end(reason, {
        message: 'The limit of 10 iterations was reached before the model gave an answer.',
        output: partial,
        files: ['summary.md'],
      });
    case 'nudge_exhausted':
      for (const count of [1, 2]) {
        log.iteration().callStarts().reply({ ms: 900 });
        log.push({
          type: 'policy.nudged',
          iteration: count,
          cause: 'empty',
          text: 'Please use the available tools to complete the task. Do not just describe what to do -- actually call the tools.',
          count,
          limit: 2,
        });
      }
      log.iteration().callStarts().reply({ ms: 900 });
      return log.end(reason, { message: 'The model stayed silent after both nudges.' });
    case 'budget_exceeded':
      log.round({ calls: [read('q1.md')] }).round({ calls: [read('q2.md')] });
      log.push({
        type: 'budget.checked',
        iteration: 3,
        tokens_used: 4210,
        cost_usd: 0,
        seconds_used: 21,
        exceeded: 'tokens',
      });
      return log.end(reason, {
        message: 'The budget of 4,000 tokens is spent: 4,210 used.',
        output: partial,
      });
    case 'timeout':
      log
        .round({ calls: [read('q1.md')] })
        .iteration()
        .callStarts();
      log.callFails(
        {
          kind: 'timeout',
          error: {
            code: 'model_timeout',
            message: 'Ollama per-call timeout: no reply within 120 s.',
            hint: 'Raise the call timeout, or use a smaller model.',
          },
          partial_text: partial,
        },
        120_000,
      );
      return log.end(reason, { message: 'A model call took longer than 120 s.', output: partial });
    case 'context_full':
      log.round({ calls: [read('huge.log')] });
      return log.end(reason, {
        message: 'Even shortened, the conversation does not fit into the window of 32,768 tokens.',
        output: partial,
      });
    case 'stopped':
      log.round({ calls: [read('q1.md')] });
      log.push({ type: 'stop.requested', force: false, by: 'operator' }, 300);
      return log.end(reason, {
        message: 'Stopped by you after iteration 1.',
        output: partial,
        forced: false,
      });
    case 'error':
      log
        .round({ calls: [read('q1.md')] })
        .iteration()
        .callStarts();
      log.callFails({
        kind: 'unreachable',
        error: {
          code: 'model_unreachable',
          message: 'Cannot connect to Ollama at http://127.0.0.1:11434. Is Ollama running?',
          hint: 'Start it with: ollama serve',
        },
      });
      return log.end(reason, {
        message: 'Ollama could not be reached after 3 tries.',
        output: partial,
        error: {
          code: 'model_unreachable',
          message: 'Cannot connect to Ollama at http://127.0.0.1:11434. Is Ollama running?',
          hint: 'Start it with: ollama serve',
        },
      });
  }
}

/** Checks that fail first and pass after a corrective attempt. */
export function verifiedLog(options: ConstructorParameters<typeof SampleLog>[0] = {}): SampleLog {
  const exists = { type: 'file_exists', path: 'summary.md' } as const;
  const tests = { type: 'command', command: 'npm test' } as const;
  const log = new SampleLog({
    ...options,
    config: { ...options?.config, checks: [exists, tests], budget: { max_tokens_total: 60_000 } },
  }).prepare();
  log.round({ calls: [write] }).round({ text: 'The task is completed.' });
  log.push({
    type: 'verification.started',
    attempt: 1,
    reason: 'final_answer',
    output: 'The task is completed.',
  });
  log.push(
    {
      type: 'verification.checked',
      attempt: 1,
      outcome: 'partial_pass',
      checks: [
        { check: exists, passed: true, output: 'summary.md exists (143 bytes).', duration_ms: 1 },
        {
          check: tests,
          passed: false,
          output: 'FAIL sum.test.js\n  expected 4, got 5\nexit code 1',
          duration_ms: 1840,
        },
      ],
    },
    1850,
  );
  log.attempt(['These checks failed: npm test. Correct the work.']);
  log.round({ calls: [write] }).round({ text: 'Corrected. The task is completed.' });
  log.push({
    type: 'verification.started',
    attempt: 2,
    reason: 'final_answer',
    output: 'Corrected. The task is completed.',
  });
  log.push(
    {
      type: 'verification.checked',
      attempt: 2,
      outcome: 'pass',
      checks: [
        { check: exists, passed: true, output: 'summary.md exists (143 bytes).', duration_ms: 1 },
        { check: tests, passed: true, output: 'ok 4 tests\nexit code 0', duration_ms: 1790 },
      ],
    },
    1800,
  );
  return log.end('final_answer', {
    message: 'The model answered, and all checks pass.',
    output: 'Corrected. The task is completed.',
    files: ['summary.md'],
    verification: 'pass',
  });
}

/** A long run with at least `events` events, most of them tool calls. */
export function longLog(events: number, options: ConstructorParameters<typeof SampleLog>[0] = {}): SampleLog {
  const log = new SampleLog({ ...options, config: { ...options?.config, max_iterations: 100 } }).prepare();
  for (let index = 1; log.seq < events; index += 1) {
    const calls = Array.from({ length: 6 }, (_, position) =>
      position === 5 ? write : read(`chapter-${index}-${position}.md`),
    );
    log.round({ text: `Round ${index}: reading on.`, calls, ms: 1200 });
  }
  return log.end('final_answer', {
    message: 'The model answered without asking for another tool.',
    output: 'All chapters are read. The task is completed.',
    files: ['summary.md'],
  });
}

/** A log as the store imports it. */
export function sampleFile({ events }: { events: readonly RunEvent[] }): FileRun & {
  events: readonly RunEvent[];
} {
  const state = foldAll(emptyRunState(events[0]?.run_id ?? ''), events);
  const slices = [...slicesOf(events.map(toEventRow))];
  return { events, summary: importedSummary(state, 1_800_000_000_000), slices };
}
