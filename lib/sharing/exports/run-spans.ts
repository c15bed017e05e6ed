import { createHash } from 'node:crypto';
import { type Attributes, type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { ATTR_ERROR_TYPE, ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_CONVERSATION_ID,
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_SEED,
  ATTR_GEN_AI_REQUEST_TEMPERATURE,
  ATTR_GEN_AI_REQUEST_TOP_K,
  ATTR_GEN_AI_REQUEST_TOP_P,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_ID,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
} from '@opentelemetry/semantic-conventions/incubating';
import { argumentsToRun } from '../../events/call-arguments.ts';
import type { RunConfig } from '../../events/config.ts';
import { foldRun } from '../../events/fold-run.ts';
import type { EventOf, RunEvent } from '../../events/registry.ts';
import { emptyRunState, type RunState } from '../../events/run-state.ts';
import type { JsonObject } from '../../util/json.ts';

const AGENT = 'loupe';

/** Ollama options and their span attributes. */
const OPTIONS = {
  num_predict: ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  temperature: ATTR_GEN_AI_REQUEST_TEMPERATURE,
  top_p: ATTR_GEN_AI_REQUEST_TOP_P,
  top_k: ATTR_GEN_AI_REQUEST_TOP_K,
  seed: ATTR_GEN_AI_REQUEST_SEED,
};

interface OpenSpan {
  name: string;
  kind: SpanKind;
  start: number;
  attributes: Attributes;
}

/**
 * A run as spans by OpenTelemetry's conventions for generative AI: `invoke_agent` for the run, in it `chat` for each model
 * call and `execute_tool` for each tool call. The same log always gives the same spans and IDs, so sending it twice
 * adds nothing. They are an OTLP request in JSON, as a collector reads it from a file or over HTTP. A page of the log is
 * one piece, because all spans of a long run take a second to serialize.
 *
 * @param options.content whether to include texts: the task, replies, arguments and results. Off by default, as the
 *   conventions recommend.
 */
export async function* otlpJson(
  pages: AsyncIterable<readonly RunEvent[]> | Iterable<readonly RunEvent[]>,
  options: { content: boolean },
): AsyncGenerator<string> {
  const projection = new SpanProjection(options);
  let before = REQUEST.start;
  for await (const events of pages) {
    const spans = events.flatMap((event) => projection.take(event));
    if (spans.length === 0) continue;
    yield before + resourceSpans(spans);
    before = ',';
  }
  const rest = projection.rest();
  if (rest.length > 0) yield before + resourceSpans(rest);
  else if (before === REQUEST.start) yield before;
  yield `${REQUEST.end}\n`;
}

/** Builds the spans of a run from its events; each is returned when its operation has ended. */
export class SpanProjection {
  readonly #content: boolean;
  readonly #open = new Map<string, OpenSpan>();
  #state = emptyRunState('');

  constructor(options: { content: boolean }) {
    this.#content = options.content;
  }

  /** Takes the next event and returns the spans that end with it. */
  take(event: RunEvent): ReadableSpan[] {
    const before = event.type === 'run.created' ? emptyRunState(event.run_id) : this.#state;
    this.#state = foldRun(before, event);
    const state = this.#state;
    const content = this.#content;
    switch (event.type) {
      case 'model-call.started':
        this.#open.set(callId(event), { start: event.at, ...chatStart(event, state) });
        return [];
      case 'model-call.ended':
        return this.#close(callId(event), event.at, chatEnd(event, content));
      case 'model-call.failed':
        return this.#close(callId(event), event.at, chatFailed(event, content), {
          type: event.kind,
          message: content ? event.error.message : undefined,
        });
      case 'tool-call.started':
        this.#open.set(event.call_id, { start: event.at, ...toolStart(event, state, content) });
        return [];
      case 'tool-call.ended':
      case 'tool-call.interrupted':
        return this.#close(event.call_id, event.at, toolEnd(event, content), toolError(event));
      case 'run.ended':
        return this.rest();
      default:
        return [];
    }
  }

  /** Returns the open spans and the run's own, for a run that is still active or whose log stops here. */
  rest(): ReadableSpan[] {
    const { runId, updatedAt, config } = this.#state;
    if (!config) return [];
    const unfinished = { type: 'unfinished', message: 'It had not ended.' };
    const open = [...this.#open.keys()].flatMap((id) => this.#close(id, updatedAt, {}, unfinished));
    const root = readable(rootSpan(this.#state, config, this.#content), {
      runId,
      id: 'run',
      end: updatedAt,
      error: rootError(this.#state, this.#content),
    });
    this.#state = emptyRunState('');
    return [...open, root];
  }

  #close(id: string, end: number, attributes: Attributes, error?: SpanError): ReadableSpan[] {
    const span = this.#open.get(id);
    if (!span) return [];
    this.#open.delete(id);
    const whole = { ...span, attributes: { ...span.attributes, ...attributes } };
    return [readable(whole, { runId: this.#state.runId, id, end, error, parent: 'run' })];
  }
}

interface SpanError {
  type: string;
  message?: string;
}

function callId({ call }: { call: number }): string {
  return `call ${call}`;
}

/** The parts around the list in an OTLP request in JSON. */
const REQUEST = { start: '{"resourceSpans":[', end: ']}' };

/** Spans as an entry of an OTLP request. */
function resourceSpans(spans: ReadableSpan[]): string {
  const bytes = JsonTraceSerializer.serializeRequest(spans);
  if (!bytes) throw new Error('The spans could not be serialized.');
  return new TextDecoder().decode(bytes).slice(REQUEST.start.length, -REQUEST.end.length);
}

const RESOURCE = resourceFromAttributes({ [ATTR_SERVICE_NAME]: AGENT });

function readable(
  span: OpenSpan,
  {
    runId,
    id,
    end,
    error,
    parent,
  }: { runId: string; id: string; end: number; error: SpanError | undefined; parent?: string },
): ReadableSpan {
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => spanContext(runId, id),
    parentSpanContext: parent === undefined ? undefined : spanContext(runId, parent),
    startTime: hrTime(span.start),
    endTime: hrTime(end),
    duration: hrTime(end - span.start),
    status: error ? { code: SpanStatusCode.ERROR, message: error.message } : { code: SpanStatusCode.UNSET },
    attributes: { ...span.attributes, ...(error ? { [ATTR_ERROR_TYPE]: error.type } : {}) },
    links: [],
    events: [],
    ended: true,
    resource: RESOURCE,
    instrumentationScope: { name: AGENT },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** IDs derived from the run's ID: 16 and 8 bytes as hexadecimal digits. */
function spanContext(runId: string, id: string) {
  const hash = (text: string, digits: number) =>
    createHash('sha256').update(text).digest('hex').slice(0, digits);
  return {
    traceId: hash(runId, 32),
    spanId: hash(`${runId} ${id}`, 16),
    traceFlags: TraceFlags.SAMPLED,
  };
}

function rootSpan(state: RunState, config: RunConfig, content: boolean): OpenSpan {
  const { ended } = state;
  return {
    name: `invoke_agent ${AGENT}`,
    kind: SpanKind.INTERNAL,
    start: state.createdAt,
    attributes: {
      [ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent',
      [ATTR_GEN_AI_PROVIDER_NAME]: 'ollama',
      [ATTR_GEN_AI_AGENT_NAME]: AGENT,
      [ATTR_GEN_AI_CONVERSATION_ID]: state.runId,
      [ATTR_GEN_AI_REQUEST_MODEL]: config.model,
      [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: state.tokensIn,
      [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: state.tokensOut,
      ...(state.tokensEstimated > 0 ? { 'loupe.tokens_estimated': state.tokensEstimated } : {}),
      ...(state.costUsd === undefined ? {} : { 'loupe.cost_usd': state.costUsd }),
      'loupe.mode': config.mode,
      'loupe.iterations': state.iterationsUsed,
      'loupe.phase': state.phase,
      ...(ended ? { 'loupe.termination_reason': ended.result.termination_reason } : {}),
      ...(state.outcome ? { 'loupe.outcome': state.outcome.kind } : {}),
      ...(content && config.task !== ''
        ? { [ATTR_GEN_AI_INPUT_MESSAGES]: messages('user', [{ type: 'text', content: config.task }]) }
        : {}),
      ...(content && ended
        ? {
            [ATTR_GEN_AI_OUTPUT_MESSAGES]: messages('assistant', [
              { type: 'text', content: ended.result.output },
            ]),
          }
        : {}),
    },
  };
}

function rootError({ ended }: RunState, content: boolean): SpanError | undefined {
  if (ended?.result.status !== 'failed') return undefined;
  return {
    type: ended.result.error?.code ?? ended.result.termination_reason,
    message: content ? ended.message : undefined,
  };
}

function chatStart(event: EventOf<'model-call.started'>, state: RunState) {
  const model = state.config?.model ?? '';
  const numbers = Object.entries(OPTIONS).flatMap(([option, attribute]) => {
    const value = event.options[option];
    return typeof value === 'number' ? [[attribute, value] as const] : [];
  });
  return {
    name: `chat ${model}`,
    kind: SpanKind.CLIENT,
    attributes: {
      [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
      [ATTR_GEN_AI_PROVIDER_NAME]: 'ollama',
      [ATTR_GEN_AI_CONVERSATION_ID]: state.runId,
      [ATTR_GEN_AI_REQUEST_MODEL]: model,
      ...Object.fromEntries(numbers),
      'loupe.iteration': event.iteration,
      'loupe.estimated_tokens': event.estimated_tokens,
    },
  };
}

function chatEnd(event: EventOf<'model-call.ended'>, content: boolean): Attributes {
  const { message, timings } = event;
  return {
    ...(event.prompt_tokens === undefined ? {} : { [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: event.prompt_tokens }),
    ...(event.cached_tokens === undefined ? {} : { 'loupe.cached_tokens': event.cached_tokens }),
    ...(event.reply_tokens === undefined ? {} : { [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: event.reply_tokens }),
    ...estimates(event),
    ...(event.done_reason === undefined
      ? {}
      : { [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: [event.done_reason] }),
    ...(timings.loadMs === undefined ? {} : { 'loupe.load_ms': timings.loadMs }),
    ...(content
      ? {
          [ATTR_GEN_AI_OUTPUT_MESSAGES]: messages('assistant', [
            ...(message.thinking ? [{ type: 'reasoning', content: message.thinking }] : []),
            ...(message.content ? [{ type: 'text', content: message.content }] : []),
            ...(message.tool_calls ?? []).map((call) => ({ type: 'tool_call', call })),
          ]),
        }
      : {}),
  };
}

/** Estimated tokens, under separate names. */
function estimates(event: EventOf<'model-call.ended' | 'model-call.failed'>): Attributes {
  const { estimated_prompt_tokens: read, estimated_reply_tokens: written } = event;
  return {
    ...(read === undefined ? {} : { 'loupe.estimated_input_tokens': read }),
    ...(written === undefined ? {} : { 'loupe.estimated_output_tokens': written }),
  };
}

/** What had been received of a reply when its call failed. */
function chatFailed(event: EventOf<'model-call.failed'>, content: boolean): Attributes {
  const parts = [
    ...(event.partial_thinking ? [{ type: 'reasoning', content: event.partial_thinking }] : []),
    ...(event.partial_text ? [{ type: 'text', content: event.partial_text }] : []),
  ];
  return {
    ...estimates(event),
    ...(content && parts.length > 0 ? { [ATTR_GEN_AI_OUTPUT_MESSAGES]: messages('assistant', parts) } : {}),
  };
}

function toolStart(event: EventOf<'tool-call.started'>, state: RunState, content: boolean) {
  const call = state.reply?.calls.find(({ callId }) => callId === event.call_id);
  return {
    name: `execute_tool ${event.tool}`,
    kind: SpanKind.INTERNAL,
    attributes: {
      [ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool',
      [ATTR_GEN_AI_TOOL_NAME]: event.tool,
      [ATTR_GEN_AI_TOOL_CALL_ID]: event.call_id,
      'loupe.iteration': event.iteration,
      ...(content && call
        ? { [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: JSON.stringify(argumentsToRun(state, call)) }
        : {}),
    },
  };
}

type ToolEnd = EventOf<'tool-call.ended' | 'tool-call.interrupted'>;

function toolEnd(event: ToolEnd, content: boolean): Attributes {
  return content ? { [ATTR_GEN_AI_TOOL_CALL_RESULT]: JSON.stringify(event.result) } : {};
}

/** A failed call, without the tool's error text, which is content. */
function toolError(event: ToolEnd): { type: string; message: string } | undefined {
  if (event.type === 'tool-call.interrupted') return { type: 'interrupted', message: 'Outcome unknown.' };
  return event.result.success ? undefined : { type: 'tool_error', message: 'The tool reported a failure.' };
}

/** The shape of `gen_ai.input.messages` and `gen_ai.output.messages`: JSON, since attributes cannot hold objects. */
function messages(role: string, parts: readonly (JsonObject | { type: string; call: unknown })[]): string {
  return JSON.stringify([{ role, parts }]);
}

/** Milliseconds as seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  const whole = Math.floor(ms / 1000);
  return [whole, Math.round((ms - whole * 1000) * 1e6)];
}
