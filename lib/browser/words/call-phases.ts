import { tokensPerSecond } from '../../events/speed.ts';
import type { CallRow } from '../../events/timeline.ts';

/** A phase of a model call. */
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

/** Shorter waits are network latency. */
const WAIT_MS = 100;
/** A loaded model reports a load time of a few milliseconds. */
const LOAD_MS = 50;

/**
 * The phases of an ended call in order, as measured by Ollama. Thinking and writing are separated at the first streamed
 * text; without streaming they are one phase. The rest of the total duration is waiting. Only measured phases are
 * returned. Pure.
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

/** How a prompt was evaluated, as far as known. */
export interface PromptReading {
  /** The complete prompt. */
  readonly tokens: number;
  /** Cached from an earlier call and not evaluated again; `undefined` if not reported. */
  readonly cached: number | undefined;
  /** Tokens per second of those that were read. */
  readonly rate: number | undefined;
}

/**
 * How much of its prompt a call evaluated, and how fast. Ollama counts the complete prompt but times only the uncached
 * part, so the speed is known only if the cached part is reported or must be empty (OL17). Pure.
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

/** Generation speed of a call in tokens per second. */
export function replyRate({ ended }: Pick<CallRow, 'ended'>): number | undefined {
  return tokensPerSecond(ended?.reply_tokens, ended?.timings.evalMs);
}
