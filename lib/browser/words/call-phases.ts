import { tokensPerSecond } from '../../events/speed.ts';
import type { CallRow } from '../../events/timeline.ts';

/** What a model call spent its time on. */
export interface CallPhase {
  readonly kind: 'wait' | 'load' | 'prompt' | 'thinking' | 'writing' | 'reply';
  readonly label: string;
  readonly ms: number;
}

const LABELS: Readonly<Record<CallPhase['kind'], string>> = {
  wait: 'waiting for Ollama',
  load: 'loading the model',
  prompt: 'reading the prompt',
  thinking: 'thinking',
  writing: 'writing',
  reply: 'thinking and writing',
};

/** Shorter waits are the way there and back, and no waiting. */
const WAIT_MS = 100;
/** A loaded model reports some milliseconds of looking itself up. */
const LOAD_MS = 50;

/**
 * The phases of a call that has ended, in their order, as Ollama measured them. Thinking and writing are told apart by when
 * the first word was heard, which only a streamed reply tells; else they are one. What is left between Ollama's own sum and
 * the whole is waiting. Nothing that was not measured is shown. Pure.
 */
export function phasesOf({ ended }: Pick<CallRow, 'ended'>): CallPhase[] {
  if (!ended) return [];
  const { loadMs = 0, promptEvalMs, evalMs } = ended.timings;
  if (promptEvalMs === undefined && evalMs === undefined) return [];
  const wait = ended.duration_ms - loadMs - (promptEvalMs ?? 0) - (evalMs ?? 0);
  const phase = (kind: CallPhase['kind'], ms: number): CallPhase => ({ kind, label: LABELS[kind], ms });
  return [
    ...(wait > WAIT_MS ? [phase('wait', wait)] : []),
    ...(loadMs > LOAD_MS ? [phase('load', loadMs)] : []),
    ...(promptEvalMs ? [phase('prompt', promptEvalMs)] : []),
    ...(evalMs ? reply(ended, evalMs).map(([kind, ms]) => phase(kind, ms)) : []),
  ];
}

function reply(
  { message, heard, duration_ms }: NonNullable<CallRow['ended']>,
  evalMs: number,
): [CallPhase['kind'], number][] {
  const thought = message.thinking !== undefined && message.thinking !== '';
  if (!thought) return [['writing', evalMs]];
  if (heard?.thinking_ms === undefined) return [['reply', evalMs]];
  if (heard.text_ms === undefined) return [['thinking', evalMs]];
  const whole = duration_ms - heard.thinking_ms;
  const share = whole > 0 ? Math.min(1, Math.max(0, (heard.text_ms - heard.thinking_ms) / whole)) : 1;
  return [
    ['thinking', evalMs * share],
    ['writing', evalMs * (1 - share)],
  ];
}

/** What a server read of a prompt, as far as it is known. */
export interface PromptReading {
  /** The whole prompt. */
  readonly tokens: number;
  /** Cached from an earlier call and not read again; `undefined` when the server doesn't tell. */
  readonly cached: number | undefined;
  /** Tokens per second of those that were read. */
  readonly rate: number | undefined;
}

/**
 * How much of its prompt a call read, and how fast. Ollama counts the whole prompt and times only what was not cached, so
 * there is a speed only where it tells how much was cached, or where nothing can have been (OL17). Pure.
 */
export function promptReading({
  ended,
  afterLoad,
}: Pick<CallRow, 'ended' | 'afterLoad'>): PromptReading | undefined {
  const tokens = ended?.prompt_tokens;
  if (ended === undefined || tokens === undefined) return undefined;
  const cached = ended.cached_tokens ?? (afterLoad ? 0 : undefined);
  if (cached === undefined || cached > tokens) return { tokens, cached: undefined, rate: undefined };
  return { tokens, cached, rate: tokensPerSecond(tokens - cached, ended.timings.promptEvalMs) };
}

/** The speed at which a call wrote its reply, in tokens per second. */
export function replyRate({ ended }: Pick<CallRow, 'ended'>): number | undefined {
  return tokensPerSecond(ended?.reply_tokens, ended?.timings.evalMs);
}
