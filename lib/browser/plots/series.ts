import { PROMPT_ROLES, type RoleTokens } from '../../events/prompt-role.ts';

/** What a run spends its time on. `model`: a call whose phases are not known, because it is open or failed. */
export const TIME_KINDS = ['load', 'prompt', 'thinking', 'writing', 'model', 'tool', 'waiting'] as const;
export type TimeKind = (typeof TIME_KINDS)[number];

/** A stretch of a run's time. */
export interface TimeSegment {
  readonly kind: TimeKind;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** The event that started it. */
  readonly seq: number;
  /** The tool that ran, or what was waited for. */
  readonly detail?: string;
}

/** One model call with everything up to the next one. */
export interface CallTime {
  /** Number of the call; 0 for what precedes the first. */
  readonly call: number;
  readonly seq: number;
  readonly iteration: number;
  readonly attempt: number;
  readonly status: 'open' | 'ended' | 'failed' | 'lost' | 'before';
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Without gaps: each begins where its predecessor ends. */
  readonly segments: readonly TimeSegment[];
}

/** The total time of each kind, in milliseconds. */
export type TimeTotals = Readonly<Record<TimeKind, number>>;

export function totalTimes(times: readonly Pick<CallTime, 'segments'>[]): TimeTotals {
  const totals = { load: 0, prompt: 0, thinking: 0, writing: 0, model: 0, tool: 0, waiting: 0 };
  for (const { segments } of times) for (const { kind, from, to } of segments) totals[kind] += to - from;
  return totals;
}

/** The figures of one iteration, over its model calls. */
export interface RunStep {
  /** Position among all iterations of the run, from 1. */
  readonly position: number;
  readonly attempt: number;
  readonly iteration: number;
  /** The event that started it. */
  readonly seq: number;
  /** The prompt of its last call, by role; missing before the first. */
  readonly roles?: RoleTokens;
  /** Estimated tokens of that prompt: the sum of `roles`. */
  readonly estimated: number;
  /** Tokens of that prompt as counted by the server. */
  readonly evaluated?: number;
  /** Tokens that fit into the window; 0 if unknown. */
  readonly window: number;
  /** Whether older results were shortened before it, and the estimates before and after. */
  readonly compacted?: { readonly before: number; readonly after: number };
  /** Whether the conversation was handed over to a fresh context before it. */
  readonly handedOver?: true;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** How many of both are estimates. */
  readonly tokensEstimated: number;
  /** Generated tokens per second over its calls; missing if none reports it. */
  readonly rate?: number;
}

/** Consecutive steps as one, where there are more than can be drawn. */
export interface StepGroup {
  readonly first: RunStep;
  readonly last: RunStep;
  /** The one with the largest prompt. */
  readonly fullest: RunStep;
  /** The sum of the group. */
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly tokensEstimated: number;
  /** The lowest, mean and highest speed; missing if none is known. */
  readonly rate?: { readonly low: number; readonly mean: number; readonly high: number };
  readonly compacted: boolean;
  /** Whether the conversation was handed over before one of them. */
  readonly handedOver: boolean;
}

/** The tokens of a prompt by role, in the order in which they are stacked; zeros before the first call. */
export function stackedRoles({ roles }: Pick<RunStep, 'roles'>): number[] {
  return PROMPT_ROLES.map((role) => roles?.[role] ?? 0);
}
