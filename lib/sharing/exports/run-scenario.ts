import {
  type FaultInput,
  type ScenarioFile,
  type ScenarioStepInput,
  scenarioFile,
  turnOf,
} from '../../demo/scenario.ts';
import { foldRun } from '../../events/fold-run.ts';
import type { EventOf, RunEvent } from '../../events/registry.ts';
import { emptyRunState } from '../../events/run-state.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../util/json.ts';

type Answer = Pick<ScenarioStepInput, 'reply' | 'fault'>;

/**
 * A recorded run as a scenario of the fake Ollama: the same replies and faults at the same points of the conversation,
 * so that the run can be replayed without its model, in a test or a bug report. Every attempt of a run is a separate
 * scenario, identified by its first words. Not recorded: pauses between pieces of text, and tool results, since tools
 * run again.
 */
export async function runScenario(
  pages: AsyncIterable<readonly RunEvent[]> | Iterable<readonly RunEvent[]>,
): Promise<ScenarioFile> {
  let state = emptyRunState('');
  const attempts: { firstWords: string; answers: Map<number, Answer[]> }[] = [];
  let turn = 0;
  const take = (event: RunEvent) => {
    state = foldRun(event.type === 'run.created' ? emptyRunState(event.run_id) : state, event);
    switch (event.type) {
      case 'attempt.started':
        attempts.push({
          firstWords: event.messages.find(({ role }) => role === 'user')?.content ?? '',
          answers: new Map(),
        });
        break;
      case 'model-call.started':
        turn = turnOf(state.messages);
        break;
      case 'model-call.ended':
        note(attempts.at(-1)?.answers, turn, { reply: replyOf(event) });
        break;
      case 'model-call.failed':
        note(attempts.at(-1)?.answers, turn, { fault: faultOf(event, state.config?.model ?? '') });
        break;
      default:
    }
  };
  for await (const events of pages) for (const event of events) take(event);
  const { runId, config, preflight } = state;
  const name = `run-${runId}`;
  const scenarios = attempts
    .map(({ firstWords, answers }, index) => ({
      name: index === 0 ? name : `${name}-attempt-${index + 1}`,
      description: `The replies of the run ${runId}${index === 0 ? '' : `, attempt ${index + 1}`}.`,
      model: config?.model,
      ...(firstWords === '' ? {} : { match: firstWords }),
      steps: stepsOf(answers),
      after_last: 'error' as const,
    }))
    .filter(({ steps }) => steps.length > 0)
    // The first matching scenario plays, and the prompt of a later attempt contains that of the first.
    .reverse();
  return scenarioFile.parse({
    models: [
      {
        name: config?.model ?? name,
        ...(preflight?.capabilities ? { capabilities: preflight.capabilities } : {}),
        ...(preflight?.max_context_tokens ? { context_length: preflight.max_context_tokens } : {}),
        ...(preflight?.parameter_size ? { parameter_size: preflight.parameter_size } : {}),
        ...(preflight?.quantization ? { quantization: preflight.quantization } : {}),
      },
    ],
    scenarios:
      scenarios.length > 0
        ? scenarios
        : [{ name, description: `The run ${runId} asked its model nothing.`, steps: [{ reply: {} }] }],
  });
}

function note(answers: Map<number, Answer[]> | undefined, turn: number, answer: Answer): void {
  if (!answers) return;
  const known = answers.get(turn);
  if (known) known.push(answer);
  else answers.set(turn, [answer]);
}

/** A step per turn. A turn without an answer was never requested, so the fake must report a request for it. */
function stepsOf(answers: ReadonlyMap<number, readonly Answer[]>): ScenarioStepInput[] {
  const last = Math.max(-1, ...answers.keys());
  return Array.from({ length: last + 1 }, (_, turn) => {
    const given = answers.get(turn) ?? [];
    const [only] = given;
    if (only === undefined)
      return { fault: { kind: 'http', status: 500, body: 'never asked in the recording' } };
    return given.length === 1 ? only : { attempts: [...given] };
  });
}

function replyOf(event: EventOf<'model-call.ended'>): ScenarioStepInput['reply'] {
  const { message } = event;
  return {
    content: message.content,
    ...(message.thinking === undefined ? {} : { thinking: message.thinking }),
    tool_calls: (message.tool_calls ?? []).flatMap(callOf),
    ...(event.done_reason === undefined ? {} : { done_reason: event.done_reason }),
    prompt_eval_count: event.prompt_tokens ?? null,
    ...(event.cached_tokens === undefined ? {} : { prompt_eval_cached_count: event.cached_tokens }),
    eval_count: event.reply_tokens ?? null,
    literal: true,
  };
}

function callOf(entry: JsonValue): { name: string; arguments: JsonObject }[] {
  if (!isRecord(entry) || !isRecord(entry.function)) return [];
  const { name, arguments: args } = entry.function;
  return typeof name === 'string' ? [{ name, arguments: isRecord(args) ? args : {} }] : [];
}

/** The fault on the wire that makes the call fail in the same way. */
function faultOf(event: EventOf<'model-call.failed'>, model: string): FaultInput {
  const { kind, status, error } = event;
  const written = { after_tokens: event.partial_text ? 1 : 0 };
  // An invalid response is quoted unchanged in the message (lib/model/model-error.ts).
  const [, given, body] = /^Ollama HTTP (\d{3}): ([\s\S]*)$/.exec(error.message) ?? [];
  if (given !== undefined && body !== undefined) return { kind: 'http', status: Number(given), body };
  switch (kind) {
    case 'unreachable':
      return { kind: 'reset' };
    case 'busy':
      return { kind: 'busy' };
    case 'cut_off':
      return { kind: error.message.includes('ECONNRESET') ? 'reset' : 'close', ...written };
    case 'timeout':
    case 'aborted':
      return { kind: 'hang', headers: true, ...written };
    case 'malformed_call':
      return { kind: 'malformed-call', ...(event.raw ? { error: event.raw } : {}), ...written };
    case 'bad_response':
      return event.partial_text ? { kind: 'broken-line', ...written } : { kind: 'not-json' };
    case 'model_missing':
      return refusal(404, `model '${model}' not found`);
    case 'no_tool_support':
      return refusal(400, `${model} does not support tools`);
    case 'no_thinking_support':
      return refusal(400, `${model} does not support thinking`);
    case 'no_thinking_levels':
      return refusal(400, 'think value "high" is not supported for this model');
    case 'overflow':
      // As in Ollama, the runner's error is JSON within the text.
      return refusal(
        400,
        JSON.stringify({
          error: {
            code: 400,
            type: 'exceed_context_size_error',
            message: error.message,
            n_prompt_tokens: event.prompt_tokens,
            n_ctx: event.context_tokens,
          },
        }),
      );
    case 'http':
      return refusal(status ?? 500, error.message);
  }
}

function refusal(status: number, message: string): FaultInput {
  return { kind: 'http', status, body: { error: message } };
}
