import type { RunConfig } from '../../../events/config.ts';
import type { EventOf, RunEvent } from '../../../events/registry.ts';
import type { Opinion } from '../../../events/verification.ts';
import { assertNever } from '../../../util/assert-never.ts';
import { WITHHELD, withheldEdit, withheldMessage, withheldOpinion, withoutExcerpts } from './withheld.ts';
import { withoutResults } from './without-results.ts';

/**
 * Keeps the task, the calls with their times, figures, and the outcome with the answer. Withholds prompts, arguments,
 * results, thinking, messages and other text of the model.
 */
export function summaryOnly(event: RunEvent): RunEvent {
  switch (event.type) {
    case 'run.created': {
      const {
        system: _system,
        blocked_patterns: _patterns,
        answer_schema: _schema,
        images: _images,
        operator_replies: _replies,
        operator_prompt: _prompt,
        command_tools: _commands,
        ...config
      } = event.config;
      return { ...event, config: { ...config, checks: config.checks.map(withheldCheck) } };
    }
    case 'run.forked': {
      const { log_path: _path, files, ...rest } = event;
      return {
        ...rest,
        ...(event.tools && { tools: event.tools.map(withheldTool) }),
        edits: event.edits.map(withheldEdit),
        settings: event.settings.map(withheldChange),
        files: files.kind === 'copied' ? { ...files, from: WITHHELD } : files,
      };
    }
    case 'attempt.started': {
      const { log_path: _path, ...rest } = event;
      return {
        ...rest,
        messages: event.messages.map(withheldMessage),
        tools: event.tools.map(withheldTool),
      };
    }
    case 'model-call.ended':
      return { ...event, message: { role: event.message.role, content: '' } };
    case 'model-call.failed': {
      const {
        partial_text: _text,
        partial_thinking: _thinking,
        visible_text: _visible,
        raw: _raw,
        ...rest
      } = event;
      // The server quotes the malformed call.
      const message = event.kind === 'malformed_call' ? WITHHELD : withoutQuote(event.error.message);
      return { ...rest, error: { ...event.error, message } };
    }
    case 'policy.retried':
      return { ...event, message: withoutQuote(event.message) };
    case 'reply.parsed':
      return {
        ...event,
        calls: event.calls.map(({ span: _span, ...call }) => ({ ...call, arguments: {} })),
        text: '',
        thinking: '',
        // Kept, because without the texts it could no longer be computed.
        swallowed_tokens: event.swallowed_tokens ?? 0,
        coercions: [],
        repairs: [],
        refusals: event.refusals.map(({ reason }) => ({ reason, raw: '', message: WITHHELD })),
      };
    case 'approval.requested':
      return withoutResults({ ...event, arguments: {} });
    case 'approval.decided': {
      const { arguments: _arguments, reason: _reason, ...rest } = event;
      return rest;
    }
    case 'tool-call.started':
    case 'mcp-request.received':
    case 'mcp-request.answered':
    case 'mcp-sampling.ended':
    case 'mcp-messages.logged':
    case 'tool-call.ended':
    case 'tool-call.interrupted':
    case 'policy.compacted':
      return withoutResults(event);
    case 'policy.nudged':
      return { ...event, text: WITHHELD };
    case 'answer.checked':
      return event.problem === undefined ? event : { ...event, problem: WITHHELD };
    case 'policy.warned': {
      const { detail: _detail, ...rest } = event.code === 'prompt_cut' ? withoutExcerpts(event) : event;
      return { ...rest, message: withoutQuote(rest.message) };
    }
    case 'verification.started':
      return { ...event, output: '' };
    case 'verification.checked':
      return {
        ...event,
        checks: event.checks.map((result) => ({
          ...result,
          check: withheldCheck(result.check),
          output: WITHHELD,
        })),
        ...(event.opinions && {
          opinions: event.opinions.map((each) => ({
            ...withheldOpinion(each),
            check: withheldRubric(each.check),
          })),
        }),
      };
    case 'operator.messaged': {
      const { images: _images, idempotency_key: _key, ...rest } = event;
      return { ...rest, text: WITHHELD };
    }
    case 'harness.prompted':
    case 'agent.messaged':
      return { ...event, text: WITHHELD };
    case 'handover.started':
      return { ...event, text: WITHHELD };
    case 'handover.ended':
      return event.text === undefined ? event : { ...event, text: WITHHELD };
    case 'operator-call.started':
      return { ...event, messages: event.messages.map(({ role }) => ({ role, content: WITHHELD })) };
    case 'operator-call.ended': {
      const { thinking: _thinking, error, ...rest } = event;
      return { ...rest, text: WITHHELD, ...(error === undefined ? {} : { error: withoutQuote(error) }) };
    }
    case 'cycle.started': {
      const { line: _line, ...rest } = event;
      return rest;
    }
    case 'cycle.reflected':
      return { ...event, text: event.text === '' ? '' : WITHHELD };
    case 'diversity.advised': {
      // A text can be guessed from its embedding.
      const { vectors: _vectors, ...rest } = event;
      return rest.feedback === undefined ? rest : { ...rest, feedback: WITHHELD };
    }
    case 'memory.changed': {
      const { value, ...rest } = event;
      return { ...rest, key: WITHHELD, ...(value === undefined ? {} : { value: WITHHELD }) };
    }
    case 'run.ended': {
      const { error } = event.result;
      return {
        ...event,
        message: withoutQuote(event.message),
        result: { ...event.result, error: error && { ...error, message: withoutQuote(error.message) } },
        files_written: event.files_written.map(() => WITHHELD),
      };
    }
    case 'mcp-sampling.started':
    case 'run.started':
    case 'run.resumed':
    case 'preflight.checked':
    case 'model.load-started':
    case 'model.loaded':
    case 'server-wait.started':
    case 'server-wait.ended':
    case 'iteration.started':
    case 'model-call.started':
    case 'budget.checked':
    case 'turn.ended':
    case 'turn.paused':
    case 'message.awaited':
    case 'autopilot.switched':
    case 'operator.delivered':
    case 'stop.requested':
      return event;
    default:
      return assertNever(event);
  }
}

/** The error of a reply that could not be read quotes its beginning (T6), in every message that repeats the error. */
function withoutQuote(message: string): string {
  return message.replace(/(?<=Ollama response parse error: ).+$/s, WITHHELD);
}

/** Settings that a summary shows neither in a configuration nor as a change. */
const WITHHELD_SETTINGS: ReadonlySet<string> = new Set([
  'system',
  'blocked_patterns',
  'answer_schema',
  'images',
  'operator_replies',
  'operator_prompt',
  'command_tools',
  'checks',
] satisfies (keyof RunConfig)[]);

function withheldChange({ name, before, after }: EventOf<'run.forked'>['settings'][number]) {
  const shown = (value: typeof before) => (WITHHELD_SETTINGS.has(name) ? WITHHELD : value);
  return {
    name,
    ...(before === undefined ? {} : { before: shown(before) }),
    ...(after === undefined ? {} : { after: shown(after) }),
  };
}

function withheldTool({ function: { name } }: EventOf<'attempt.started'>['tools'][number]) {
  return { type: 'function' as const, function: { name, description: WITHHELD, parameters: {} } };
}

function withheldCheck(check: RunConfig['checks'][number]): RunConfig['checks'][number] {
  switch (check.type) {
    case 'command':
      return { ...check, command: WITHHELD };
    case 'file_exists':
      return { ...check, path: WITHHELD };
    case 'file_contains':
      return { ...check, path: WITHHELD, text: WITHHELD };
    case 'answer_contains':
      return { ...check, text: WITHHELD };
    case 'answer_matches':
      return { ...check, pattern: WITHHELD };
    case 'answer_equals':
      return { type: check.type, value: WITHHELD };
    case 'answer_schema':
      return { ...check, schema: { title: WITHHELD } };
    case 'tool_called': {
      const { arguments: _arguments, ...rest } = check;
      return rest;
    }
    case 'rubric':
      return withheldRubric(check);
    case 'tool_not_called':
    case 'iterations_at_most':
      return check;
    default:
      return assertNever(check);
  }
}

function withheldRubric(check: Opinion['check']): Opinion['check'] {
  return { ...check, criteria: WITHHELD };
}
