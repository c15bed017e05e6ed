import type { PromptRoles, RoleTokens } from '../../events/prompt-role.ts';
import type { RunState } from '../../events/run-state.ts';
import { isTimed, tokensPerSecond } from '../../events/speed.ts';
import type { CallRow, TimelineRow } from '../../events/timeline.ts';
import { contextOf } from '../state/call-context.ts';
import type { RunStep, StepGroup } from './series.ts';

type Draft = { -readonly [K in keyof RunStep]: RunStep[K] } & { written: number; writingMs: number };

/** The iterations of a run with their prompts, tokens and speed. Pure. */
export function runSteps({
  rows,
  prompts,
  run,
}: {
  rows: readonly TimelineRow[];
  prompts: readonly PromptRoles[];
  run: Pick<RunState, 'loaded' | 'preflight'>;
}): RunStep[] {
  const rolesOfCall = new Map(prompts.map(({ call, roles }) => [call, roles]));
  const steps: Draft[] = [];
  let handedOver = false;
  for (const row of rows) {
    if (row.kind === 'iteration') {
      const { attempt, iteration, seq, tokensIn, tokensOut, tokensEstimated } = row;
      steps.push({
        ...{ position: steps.length + 1, attempt, iteration, seq, estimated: 0, window: 0 },
        ...{ tokensIn, tokensOut, tokensEstimated, written: 0, writingMs: 0 },
        ...(handedOver && { handedOver }),
      });
      handedOver = false;
    }
    if (row.kind === 'note' && row.event.type === 'handover.ended') handedOver = row.event.outcome === 'done';
    const step = steps.at(-1);
    if (!step) continue;
    if (row.kind === 'call') addCall(step, row, rolesOfCall.get(row.call), run);
    if (row.kind === 'policy' && row.event.type === 'policy.compacted') {
      step.compacted = { before: row.event.before_tokens, after: row.event.after_tokens };
    }
  }
  return steps.map(({ written, writingMs, ...step }) => {
    const rate = tokensPerSecond(written, writingMs);
    return rate === undefined ? step : { ...step, rate };
  });
}

function addCall(
  step: Draft,
  row: CallRow,
  roles: RoleTokens | undefined,
  run: Pick<RunState, 'loaded' | 'preflight'>,
): void {
  const { estimated, evaluated, window } = contextOf(row, run);
  step.estimated = estimated;
  step.evaluated = evaluated;
  step.window = window;
  step.roles = roles;
  const { reply_tokens: tokens = 0, timings: { evalMs = 0 } = {} } = row.ended ?? {};
  if (!isTimed(tokens, evalMs)) return;
  step.written += tokens;
  step.writingMs += evalMs;
}

/** At most `most` groups of equal size, in order. Pure. */
export function groupSteps(steps: readonly RunStep[], most: number): StepGroup[] {
  const size = Math.max(1, Math.ceil(steps.length / Math.max(1, most)));
  const groups: StepGroup[] = [];
  for (let from = 0; from < steps.length; from += size) {
    const group = steps.slice(from, from + size);
    const [first] = group;
    const last = group.at(-1);
    if (!first || !last) continue;
    const rates = group.flatMap(({ rate }) => (rate === undefined ? [] : [rate]));
    const sum = (of: (step: RunStep) => number) => group.reduce((all, step) => all + of(step), 0);
    groups.push({
      first,
      last,
      fullest: group.reduce((best, step) => (step.estimated > best.estimated ? step : best), first),
      tokensIn: sum(({ tokensIn }) => tokensIn),
      tokensOut: sum(({ tokensOut }) => tokensOut),
      tokensEstimated: sum(({ tokensEstimated }) => tokensEstimated),
      compacted: group.some(({ compacted }) => compacted !== undefined),
      handedOver: group.some((step) => step.handedOver),
      ...(rates.length === 0
        ? {}
        : {
            rate: {
              low: Math.min(...rates),
              mean: rates.reduce((all, rate) => all + rate, 0) / rates.length,
              high: Math.max(...rates),
            },
          }),
    });
  }
  return groups;
}
