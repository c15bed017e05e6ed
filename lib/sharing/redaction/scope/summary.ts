import type { EventOf, RunEvent, RunEventType } from '../../../events/registry.ts';
import { WITHHELD } from '../../../events/share-scopes.ts';
import { type FieldRules, omitted, shown, shownFields } from './shown-fields.ts';
import { CONFIG, withheldChange, withheldCheck, withheldRubric } from './summary-config.ts';
import {
  unquotedError,
  withheldEdit,
  withheldMessage,
  withheldOpinion,
  withheldRequest,
  withheldResult,
  withoutExcerpt,
  withoutQuote,
} from './withheld.ts';

/**
 * Keeps the task, the calls with their times, figures, and the outcome with the answer. Withholds prompts, arguments,
 * results, thinking, messages and other text of the model.
 */
export function summaryOnly(event: RunEvent): RunEvent {
  return summaryOf(
    event.type === 'reply.parsed'
      ? // Without the texts it could no longer be computed.
        { ...event, swallowed_tokens: event.swallowed_tokens ?? 0 }
      : event,
  );
}

function summaryOf<T extends RunEventType>(event: EventOf<T>): EventOf<T> {
  const { run_id, seq, at, type, ...fields } = event;
  const rules = EVENTS[type as T];
  return { run_id, seq, at, type, ...shownFields(fields, rules) } as EventOf<T>;
}

const withheld = (): string => WITHHELD;

type Envelope = 'run_id' | 'seq' | 'at' | 'type';

/** What is shown of each event, besides its envelope. */
const EVENTS: { readonly [T in RunEventType]: FieldRules<Omit<EventOf<T>, Envelope>> } = {
  'run.created': { config: (config) => shownFields(config, CONFIG), parent: shown, copied: shown },
  'run.forked': {
    from: shown,
    iteration: shown,
    cycle: shown,
    edits: (edits) => edits.map(withheldEdit),
    settings: (settings) => settings.map(withheldChange),
    tools: (tools) => tools.map(withheldTool),
    answered: shown,
    continues: shown,
    cost_usd: shown,
    files: (files) => (files.kind === 'copied' ? { ...files, from: WITHHELD } : files),
    log_path: omitted,
  },
  'run.started': { worker: shown, epoch: shown },
  'run.resumed': { worker: shown, epoch: shown, after_wait: shown },
  'preflight.checked': {
    server_version: shown,
    capabilities: shown,
    max_context_tokens: shown,
    parameter_size: shown,
    quantization: shown,
    digest: shown,
    template_hash: shown,
    size_bytes: shown,
    remote_host: shown,
    sandbox: shown,
    mcp_servers: shown,
  },
  'model.load-started': {
    model: shown,
    num_ctx: shown,
    waited_ms: shown,
    cause: shown,
    found_context_tokens: shown,
  },
  'model.loaded': {
    already_loaded: shown,
    load_ms: shown,
    context_tokens: shown,
    size_bytes: shown,
    vram_bytes: shown,
    freed_slot: shown,
    remote_host: shown,
    digest: shown,
  },
  'server-wait.started': { error: shown, limit_ms: shown },
  'server-wait.ended': { outcome: shown, waited_ms: shown },
  'attempt.started': {
    attempt: shown,
    messages: (messages) => messages.map(withheldMessage),
    tools: (tools) => tools.map(withheldTool),
    system_prompt: shown,
    log_path: omitted,
  },
  'iteration.started': { attempt: shown, iteration: shown },
  'model-call.started': {
    call: shown,
    iteration: shown,
    message_count: shown,
    tool_count: shown,
    options: shown,
    think: shown,
    stream: shown,
    format: shown,
    estimated_tokens: shown,
  },
  'model-call.ended': {
    call: shown,
    message: ({ role }) => ({ role, content: '' }),
    done_reason: shown,
    prompt_tokens: shown,
    cached_tokens: shown,
    reply_tokens: shown,
    estimated_prompt_tokens: shown,
    estimated_reply_tokens: shown,
    duration_ms: shown,
    timings: shown,
    heard: shown,
  },
  'model-call.failed': {
    call: shown,
    kind: shown,
    error: (error, { kind }) => ({
      ...error,
      // The server quotes the malformed call.
      message: kind === 'malformed_call' ? WITHHELD : withoutQuote(error.message),
    }),
    status: shown,
    prompt_tokens: shown,
    context_tokens: shown,
    transient: shown,
    partial_text: omitted,
    partial_thinking: omitted,
    visible_text: omitted,
    estimated_prompt_tokens: shown,
    estimated_reply_tokens: shown,
    raw: omitted,
    cleanup_ms: shown,
    server_idle_ms: shown,
    freed_slot: shown,
    duration_ms: shown,
  },
  'reply.parsed': {
    call: shown,
    iteration: shown,
    outcome: shown,
    layer: shown,
    format: shown,
    calls: (calls) => calls.map(({ span: _span, ...call }) => ({ ...call, arguments: {} })),
    text: () => '',
    thinking: () => '',
    coercions: () => [],
    repairs: () => [],
    refusals: (refusals) => refusals.map(({ reason }) => ({ reason, raw: '', message: WITHHELD })),
    attempts: shown,
    malformed: shown,
    swallowed_tokens: shown,
    cut: shown,
  },
  'approval.requested': {
    call_id: shown,
    iteration: shown,
    tool: shown,
    arguments: () => ({}),
    file: omitted,
    scopes: shown,
  },
  'approval.decided': {
    call_id: shown,
    tool: shown,
    decision: shown,
    arguments: omitted,
    reason: omitted,
    scope: shown,
    by: shown,
    standing: shown,
  },
  'tool-call.started': { call_id: shown, iteration: shown, tool: shown, file: omitted },
  'mcp-request.received': { request_id: shown, call_id: shown, server: shown, request: withheldRequest },
  'mcp-request.answered': { request_id: shown, call_id: shown, action: shown, content: omitted, by: shown },
  'mcp-sampling.started': { request_id: shown, call_id: shown, options: shown, waited_ms: shown },
  'mcp-sampling.ended': {
    request_id: shown,
    call_id: shown,
    text: withheld,
    done_reason: shown,
    error: unquotedError,
    prompt_tokens: shown,
    reply_tokens: shown,
    duration_ms: shown,
  },
  'mcp-messages.logged': {
    call_id: shown,
    server: shown,
    lines: (lines) => lines.map(withheld),
    left_out: shown,
  },
  'tool-call.ended': {
    call_id: shown,
    tool: shown,
    result: withheldResult,
    images: omitted,
    new_information: shown,
    duration_ms: shown,
  },
  'tool-call.interrupted': { call_id: shown, tool: shown, result: withheldResult },
  'answer.checked': { iteration: shown, call: shown, fits: shown, problem: withheld },
  'policy.nudged': {
    iteration: shown,
    cause: shown,
    swallowed_tokens: shown,
    text: withheld,
    count: shown,
    limit: shown,
  },
  'policy.retried': { iteration: shown, cause: shown, think: shown, message: withoutQuote, wait_ms: shown },
  'policy.compacted': {
    iteration: shown,
    before_tokens: shown,
    after_tokens: shown,
    limit_tokens: shown,
    folded: (folded) => folded.map((fold) => ({ ...fold, content: WITHHELD })),
  },
  'policy.warned': {
    code: shown,
    message: (message, { code }) => withoutQuote(code === 'prompt_cut' ? withoutExcerpt(message) : message),
    iteration: shown,
    detail: omitted,
  },
  'budget.checked': {
    iteration: shown,
    tokens_used: shown,
    tokens_estimated: shown,
    cost_usd: shown,
    seconds_used: shown,
    exceeded: shown,
  },
  'verification.started': { attempt: shown, reason: shown, output: () => '', error: unquotedError },
  'verification.checked': {
    attempt: shown,
    outcome: shown,
    checks: (checks) =>
      checks.map((result) => ({ ...result, check: withheldCheck(result.check), output: WITHHELD })),
    opinions: (opinions) =>
      opinions.map((each) => ({ ...withheldOpinion(each), check: withheldRubric(each.check) })),
    waited_ms: shown,
  },
  'turn.ended': { iteration: shown, outcome: shown, swallowed_tokens: shown },
  'turn.paused': { iteration: shown, wait_ms: shown },
  'harness.prompted': { iteration: shown, text: withheld },
  'message.awaited': { iteration: shown, cause: shown, call_id: shown },
  'autopilot.switched': { on: shown },
  'cycle.started': { cycle: shown, line: omitted },
  'cycle.reflected': {
    cycle: shown,
    text: (text) => (text === '' ? '' : WITHHELD),
    ended_by: shown,
    swallowed_tokens: shown,
  },
  'diversity.advised': {
    cycle: shown,
    measure: shown,
    similarity: shown,
    threshold: shown,
    nearest_cycle: shown,
    compared: shown,
    // A text can be guessed from its embedding.
    vectors: omitted,
    feedback: withheld,
  },
  'memory.changed': { call_id: shown, cycle: shown, operation: shown, key: withheld, value: withheld },
  'handover.started': {
    iteration: shown,
    tokens: shown,
    limit_tokens: shown,
    measured: shown,
    text: withheld,
  },
  'handover.ended': { iteration: shown, outcome: shown, text: withheld },
  'operator-call.started': {
    call_id: shown,
    model: shown,
    messages: (messages) => messages.map(({ role }) => ({ role, content: WITHHELD })),
    num_ctx: shown,
    num_predict: shown,
  },
  'operator-call.ended': {
    call_id: shown,
    model: shown,
    text: withheld,
    thinking: omitted,
    error: withoutQuote,
    prompt_tokens: shown,
    reply_tokens: shown,
    duration_ms: shown,
  },
  'operator.messaged': {
    message_id: shown,
    text: withheld,
    images: omitted,
    idempotency_key: omitted,
    by: shown,
    call_id: shown,
  },
  'operator.delivered': { message_ids: shown, as: shown, call_id: shown },
  'agent.messaged': { call_id: shown, cycle: shown, text: withheld },
  'stop.requested': { force: shown, by: shown },
  'run.ended': {
    result: (result) => ({
      ...result,
      error: result.error && unquotedError(result.error),
    }),
    message: withoutQuote,
    evidence: shown,
    forced: shown,
    tokens_estimated: shown,
    cost_usd: shown,
    tool_calls: shown,
    files_written: (files) => files.map(withheld),
    verification: shown,
    outcome: shown,
  },
};

function withheldTool({ function: { name } }: EventOf<'attempt.started'>['tools'][number]) {
  return { type: 'function' as const, function: { name, description: WITHHELD, parameters: {} } };
}
