import type { RunConfig } from '../../events/config.ts';
import { conversationFill } from '../../events/message-size.ts';
import { DEFAULT_MODE, kindFacts, kindOf, type ModeGauge, modeFacts } from '../../events/modes.ts';
import { RETRY_LIMITS } from '../../events/retry-limits.ts';
import type { RunState } from '../../events/run-state.ts';
import { BUDGET_LIMITS, isSettingOf, maxEmptyReplies, SETTINGS } from '../../events/settings.ts';
import { WITHHELD } from '../../events/share-scopes.ts';
import { effectiveWindow } from '../../events/window.ts';
import { workedMs } from '../../events/worked-ms.ts';
import { formatUsd } from '../../util/format-usd.ts';
import {
  formatClock,
  formatCount,
  formatDuration,
  formatPercent,
  formatShortCount,
  formatTokens,
} from '../words/format.ts';
import { patternWords } from '../words/pattern-words.ts';
import type { Gauge } from './gauge.ts';
import { callPattern, callRounds, identicalRounds } from './repeated-calls.ts';

/**
 * Every guardrail of a run with its counter, in the order in which they are checked (G18). Pure.
 *
 * @param now milliseconds since 1970, for the time budget
 */
export function ledgerOf(run: RunState, now: number): Gauge[] {
  const fired = firedGauge(run);
  return gaugesOf(run, now).map((gauge) => {
    if (gauge.id === fired) return { ...filled(run, gauge), fired: true };
    return run.phase === 'ended' ? withoutForecast(gauge) : gauge;
  });
}

/** Removes the forecast from the gauge of a run that has ended for another reason. */
function withoutForecast({ outcome: _, ...gauge }: Gauge): Gauge {
  return gauge.tone === 'near' ? { ...gauge, tone: 'calm' } : gauge;
}

/** A window can be full because of a refused request whose size Ollama does not report. */
function filled(run: RunState, gauge: Gauge): Gauge {
  if (gauge.id !== 'context' || run.result?.termination_reason !== 'context_full') return gauge;
  const refused = run.failedCall?.kind === 'overflow';
  const why = refused ? 'Ollama refused this request as too long' : 'the next request did not fit';
  const detail = `${gauge.detail}; ${why}`;
  if (gauge.used >= gauge.limit) return { ...gauge, detail };
  return { ...gauge, used: gauge.limit, value: 'full', detail, tone: 'reached' };
}

/** The counter that ended the run, with the figures it had; `undefined` when none did. */
export function firedLimit(run: RunState): Gauge | undefined {
  return ledgerOf(run, run.updatedAt).find((gauge) => gauge.fired);
}

function firedGauge(run: RunState): string | undefined {
  switch (run.result?.termination_reason) {
    case 'max_iterations':
      return modeFacts(run.config?.mode).hasCycles ? 'cycles' : 'iterations';
    case 'repetition':
      return 'repetition';
    case 'stall':
      return 'stall';
    case 'nudge_exhausted':
      return 'nudges';
    case 'budget_exceeded':
      return run.budget?.exceeded;
    case 'context_full':
      return isConversationFull(run) ? 'conversation' : 'context';
    default:
      return undefined;
  }
}

/** Whether the rule of endless conversations ended the run, and not Ollama, which refused a request. */
function isConversationFull(run: RunState): boolean {
  if (!modeFacts(run.config?.mode).gauges.includes('conversation')) return false;
  const { tokens, limitTokens } = conversationFill(run);
  return tokens > limitTokens;
}

function gaugesOf(run: RunState, now: number): Gauge[] {
  const { config } = run;
  if (!config) return [];
  return kindFacts(kindOf(config)).gauges.flatMap((name) => GAUGES[name](run, config, now));
}

const GAUGES: Readonly<Record<ModeGauge, (run: RunState, config: RunConfig, now: number) => Gauge[]>> = {
  iterations: (run, config) => [
    {
      ...count({
        id: 'iterations',
        label: SETTINGS.max_iterations.label,
        used: run.iteration,
        limit: config.max_iterations,
      }),
      outcome: `${endsAt(config.max_iterations)}; the partial result is kept`,
      events: run.callHistorySeqs.slice(-1),
    },
  ],
  repetition: (run, config) => [repetition(run, config.repetition_threshold)],
  stall(run, config) {
    if (!config.stall_guard) return [];
    return [
      {
        ...count({
          id: 'stall',
          label: SETTINGS.stall_threshold.label,
          used: roundsWithoutNews(run),
          limit: config.stall_threshold,
        }),
        outcome: endsAt(config.stall_threshold),
        events: [...(run.lastNewsSeq > 0 ? [run.lastNewsSeq] : []), ...run.callHistorySeqs.slice(-1)],
      },
    ];
  },
  nudges(run, config) {
    if (config.max_nudges === 0) return [];
    return [
      {
        ...count({ id: 'nudges', label: 'Nudges', used: run.nudges, limit: config.max_nudges }),
        outcome: 'after the last nudge, another empty reply ends the run',
        events: run.nudgeSeqs,
      },
    ];
  },
  cycles(run, config) {
    const limit = config.explore?.max_cycles;
    // Reaching the last cycle is what was requested, not a limit that was hit.
    return limit
      ? [
          {
            ...count({ id: 'cycles', label: SETTINGS.max_cycles.label, used: run.cycle.number, limit }),
            tone: 'calm',
          },
        ]
      : [];
  },
  calls_per_cycle: (run, config) => [
    count({
      id: 'calls-per-cycle',
      label: 'Model calls in this cycle',
      used: run.cycle.open ? run.iteration - run.cycle.iterationsBefore : 0,
      limit: config.explore?.calls_per_cycle ?? 0,
    }),
  ],
  conversation: (run) => (isConversationUnknown(run) ? [] : [conversation(run)]),
  // A session that waits for a person, and an exploration with a cycle limit, are not ended by them.
  empty_turns: (run, config) => (run.autopilot.on ? empty(run.turns.empty, config) : []),
  empty_cycles: (run, config) => (config.explore?.max_cycles ? [] : empty(run.cycle.empty, config)),
  retries(run) {
    const used = retries(run);
    return used.length > 0 ? used : [NO_RETRIES];
  },
  used_retries: (run) => retries(run),
  context: (run) => [context(run)],
  budgets: (run, _config, now) => budgets(run, now),
  attempts(run, config) {
    if (config.checks.length === 0) return [];
    const attempts = { id: 'attempts', label: 'Attempts', used: run.attempt, limit: config.max_attempts };
    // Being in the last attempt ends nothing yet, and a single attempt is no reason to warn.
    const last = run.attempt > 1 && run.attempt >= config.max_attempts;
    return [{ ...count(attempts), tone: last ? 'near' : 'calm' }];
  },
};

/** Second tries within an iteration, by cause. */
const RETRIES = [
  ['length', 'Retries: cut off'],
  ['malformed', 'Retries: broken call'],
  ['transient', 'Retries: server trouble'],
  ['overflow', 'Retries: too long'],
  ['thinking', 'Retries: thinking refused'],
] as const;

/** Before the first of them: a task may need every one. */
const NO_RETRIES = count({
  id: 'retries',
  label: 'Retries',
  used: 0,
  limit: Object.values(RETRY_LIMITS).reduce((sum, limit) => sum + limit),
});

function retries(run: RunState): Gauge[] {
  return RETRIES.flatMap(([cause, label]) => {
    const used = run.retries[cause];
    return used > 0 ? [count({ id: `retries-${cause}`, label, used, limit: RETRY_LIMITS[cause] })] : [];
  });
}

function repetition(run: RunState, limit: number): Gauge {
  // Verification clears the refused reply from the state.
  const isRefused = run.result?.termination_reason === 'repetition' && !run.reply;
  const rounds = callRounds(run);
  const used = isRefused ? limit : identicalRounds(rounds);
  const seqs = isRefused ? [...rounds.seqs, run.lastReplySeq] : rounds.seqs;
  const gauge: Gauge = {
    ...count({ id: 'repetition', label: 'Identical calls in a row', used, limit }),
    outcome: endsAt(limit),
    events: used > 1 ? seqs.slice(-used) : [],
  };
  const pattern = gauge.tone === 'calm' ? callPattern(run) : undefined;
  if (!pattern) return gauge;
  return {
    ...gauge,
    detail: patternWords(pattern),
    outcome: 'this pattern does not end the run: send a message, or stop it',
    events: pattern.seqs,
    tone: 'near',
  };
}

/** Whether there is nothing to estimate by: a share withholds the messages, and the server has not measured them yet. */
function isConversationUnknown({ measured, messages }: RunState): boolean {
  return measured === undefined && messages[0]?.content === WITHHELD;
}

/** The bounds of a session or an exploration, which have no iteration limit (S17, X22). */
function conversation(run: RunState): Gauge {
  const { tokens: used, limitTokens: limit, measured } = conversationFill(run);
  const handover = run.config?.handover_at ?? undefined;
  return {
    ...share('conversation', 'Conversation', used, limit, formatShortCount),
    detail: `${measured ? '' : '≈ '}${formatShortCount(used)} of ${formatShortCount(limit)} tokens`,
    outcome:
      handover === undefined
        ? 'run ends here; start a new one to continue'
        : `at ${formatPercent(handover)}, handover to a fresh context`,
  };
}

function endsAt(limit: number): string {
  return `the run ends at ${formatCount(limit)}`;
}

function empty(used: number, config: RunConfig): Gauge[] {
  return used > 0
    ? [count({ id: 'empty', label: SETTINGS.max_empty_replies.label, used, limit: maxEmptyReplies(config) })]
    : [];
}

function count(gauge: { id: string; label: string; used: number; limit: number }): Gauge {
  return {
    ...gauge,
    ticks: gauge.limit <= 24,
    value: `${formatCount(gauge.used)}/${formatCount(gauge.limit)}`,
    tone: tone(gauge.used, gauge.limit),
  };
}

function tone(used: number, limit: number): Gauge['tone'] {
  if (used >= limit) return 'reached';
  // With a small limit, the last but one counts as near; with a large one, the last fifth.
  return used > 0 && (used / limit >= 0.8 || limit - used === 1) ? 'near' : 'calm';
}

function context(run: RunState): Gauge {
  const limit = effectiveWindow(run);
  const { estimatedTokens, promptTokens } = run.context;
  const used = promptTokens ?? estimatedTokens;
  const compactAt = run.config?.compact_at ?? 1;
  return {
    id: 'context',
    label: SETTINGS.window_tokens.label,
    used,
    limit,
    ticks: false,
    value: limit === 0 ? '–' : formatPercent(used / limit),
    detail: `${promptTokens === undefined && used > 0 ? '≈ ' : ''}${formatShortCount(used)} of ${formatShortCount(limit)} tokens`,
    mark: compactAt < 1 ? compactAt : undefined,
    outcome:
      compactAt < 1 && isSettingOf(run.config?.mode ?? DEFAULT_MODE, 'compact_at')
        ? 'older results are shortened at the mark'
        : undefined,
    events: run.lastCall ? [run.lastCall.seq] : [],
    tone: limit > 0 && used >= limit ? 'reached' : limit > 0 && used / limit >= compactAt ? 'near' : 'calm',
  };
}

function budgets(run: RunState, now: number): Gauge[] {
  const budget = run.config?.budget ?? {};
  const gauges: Gauge[] = [];
  if (budget.max_tokens_total !== undefined) {
    const used = run.tokensIn + run.tokensOut;
    gauges.push({
      ...share(
        'tokens',
        BUDGET_LIMITS.max_tokens_total.label,
        used,
        budget.max_tokens_total,
        formatShortCount,
      ),
      detail: `${formatTokens(used, run.tokensEstimated, formatShortCount)} of ${formatShortCount(budget.max_tokens_total)}`,
      ...looked(run),
    });
  }
  if (budget.max_seconds !== undefined) {
    const hasEnded = run.phase === 'ended';
    const usedMs = workedMs(run, hasEnded ? run.updatedAt : now);
    const limitMs = budget.max_seconds * 1000;
    gauges.push({
      ...share('seconds', BUDGET_LIMITS.max_seconds.label, usedMs, limitMs, formatDuration),
      // The header shows a run that works with a clock, too.
      ...(hasEnded ? {} : { detail: `${formatClock(usedMs)} of ${formatDuration(limitMs)}` }),
      ...looked(run),
    });
  }
  if (budget.max_cost_usd !== undefined) {
    gauges.push({
      ...share('cost', BUDGET_LIMITS.max_cost_usd.label, run.costUsd ?? 0, budget.max_cost_usd, formatUsd),
      ...looked(run),
    });
  }
  return gauges;
}

/** A budget is checked before each iteration; the last check is its evidence. */
function looked(run: RunState): Pick<Gauge, 'outcome' | 'events'> {
  return { outcome: 'at the limit, no new iteration starts', events: run.budget ? [run.budget.seq] : [] };
}

function share(
  id: string,
  label: string,
  used: number,
  limit: number,
  say: (value: number) => string,
): Gauge {
  return {
    id,
    label,
    used,
    limit,
    ticks: false,
    value: formatPercent(used / limit),
    detail: `${say(used)} of ${say(limit)}`,
    tone: tone(used, limit),
  };
}

const OPEN_ROUND: ReadonlySet<RunState['phase']> = new Set([
  'calling',
  'awaiting-server',
  'deciding',
  'awaiting-approval',
  'executing',
]);

/** Completed tool rounds since the last one with new information (G10, G11); the current round does not count yet. */
function roundsWithoutNews(run: RunState): number {
  const openRounds = OPEN_ROUND.has(run.phase) ? 1 : 0;
  return Math.max(0, run.iteration - run.lastNewsIteration - openRounds);
}
