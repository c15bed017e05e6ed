import { PROMPT_ROLES, type PromptRole } from '../../events/prompt-role.ts';
import { SIMILARITY_MEASURES, type SimilarityMeasure } from '../../events/similarity-matrix.ts';
import { formatCount, formatDuration, formatPercent, formatRate, formatTokens } from '../words/format.ts';
import { type RunStep, type StepGroup, TIME_KINDS, type TimeKind, type TimeTotals } from './series.ts';
import type { WaterfallRow } from './time-layout.ts';

export const TIME_LABELS: Readonly<Record<TimeKind, string>> = {
  load: 'Loading',
  prompt: 'Prompt',
  thinking: 'Thinking',
  writing: 'Writing',
  model: 'Thinking or writing',
  tool: 'Tools',
  waiting: 'Waiting',
};

export const ROLE_LABELS: Readonly<Record<PromptRole, string>> = {
  system: 'System',
  tools: 'Tools',
  user: 'User',
  assistant: 'Assistant',
  results: 'Results',
  other: 'Other',
};

/** The calls of a row: `12`, `12–31`, or `Start` for what precedes the first call. */
export function callsLabel({ first, last }: Pick<WaterfallRow, 'first' | 'last'>): string {
  if (last.call === 0) return 'Start';
  const from = Math.max(1, first.call);
  return from === last.call ? formatCount(from) : `${formatCount(from)}–${formatCount(last.call)}`;
}

/** A row of the waterfall as text. */
export function timeWords(row: WaterfallRow): string {
  const label = callsLabel(row);
  const name = row.last.call === 0 ? 'Before the first call' : `${row.calls > 1 ? 'Calls' : 'Call'} ${label}`;
  const failed = row.calls === 1 && row.first.status === 'failed' ? ', failed' : '';
  const total = TIME_KINDS.reduce((sum, kind) => sum + row.totals[kind], 0);
  return `${name}${failed}: ${[formatDuration(total), ...totalsWords(row.totals)].join(' · ')}`;
}

/** Each kind that took time: `prompt 1.2 s`. */
export function totalsWords(totals: TimeTotals): string[] {
  return TIME_KINDS.flatMap((kind) =>
    totals[kind] > 0 ? [`${TIME_LABELS[kind].toLowerCase()} ${formatDuration(totals[kind])}`] : [],
  );
}

/** The steps of a group: `Iteration 4`, `Iterations 4–7`; numbered across attempts. */
export function stepsName({ first, last }: StepGroup, unit: string): string {
  if (first === last) {
    return first.attempt > 1
      ? `Attempt ${first.attempt}, ${unit.toLowerCase()} ${formatCount(first.iteration)}`
      : `${unit} ${formatCount(first.position)}`;
  }
  return `${unit}s ${formatCount(first.position)}–${formatCount(last.position)}`;
}

/** The prompt of a step as text. */
export function contextWords(step: RunStep): string {
  const { estimated, evaluated, window, roles, compacted } = step;
  if (!roles) return 'no prompt yet';
  const share = window > 0 ? ` of ${formatCount(window)} (${formatPercent(estimated / window)})` : '';
  return [
    `about ${formatCount(estimated)} tokens${share}`,
    ...PROMPT_ROLES.filter((role) => role !== 'other' || roles.other > 0).map(
      (role) => `${ROLE_LABELS[role].toLowerCase()} ${formatCount(Math.round(roles[role]))}`,
    ),
    ...(evaluated === undefined ? [] : [`${formatCount(evaluated)} counted by Ollama`]),
    ...(compacted ? [`shortened from ${formatCount(compacted.before)}`] : []),
    ...(step.handedOver ? ['begins a fresh context'] : []),
  ].join(' · ');
}

/** The tokens of a group as text. */
export function tokensWords({ tokensIn, tokensOut, tokensEstimated }: StepGroup): string {
  return `${formatTokens(tokensIn, tokensEstimated)} tokens in · ${formatTokens(tokensOut, tokensEstimated)} out`;
}

/** The speed of a group as text. */
export function rateWords({ rate }: StepGroup): string {
  if (!rate) return 'not measured';
  const range = rate.low === rate.high ? '' : ` (${formatRate(rate.low)}–${formatRate(rate.high)})`;
  return `${formatRate(rate.mean)} tok/s${range}`;
}

/** How reflections are compared, after "by". */
export function measureWords(measure: SimilarityMeasure): string {
  return measure === 'embeddings' ? 'embeddings' : 'groups of three words';
}

/** How the figures of an exploration are measured, as its `CycleTable` says. */
interface Measured {
  readonly measure: SimilarityMeasure;
  readonly rows: readonly { readonly novelty_measure?: SimilarityMeasure }[];
}

const diversityMeasures = (tables: readonly Measured[]) => tables.map(({ measure }) => measure);
const noveltyMeasures = (tables: readonly Measured[]) =>
  tables.flatMap(({ rows }) => rows.flatMap(({ novelty_measure: measure }) => measure ?? []));

/** How the diversity of explorations is measured: `by embeddings`. Each can be measured in its own way. */
export function diversityMeasureWords(tables: readonly Measured[]): string {
  return byMeasures(diversityMeasures(tables));
}

/** The same for novelty, where cycles of one exploration can differ, too; empty if none was measured. */
export function noveltyMeasureWords(tables: readonly Measured[]): string {
  return byMeasures(noveltyMeasures(tables));
}

/** The same for both figures of an exploration together. */
export function bothMeasureWords(table: Measured): string {
  return byMeasures([...diversityMeasures([table]), ...noveltyMeasures([table])]);
}

/** How both figures of an exploration are measured, as a sentence: `Novelty and diversity, by embeddings.` */
export function measuredWords(table: Measured): string {
  const [novelty, diversity] = [noveltyMeasureWords([table]), diversityMeasureWords([table])];
  return novelty === '' || novelty === diversity
    ? `Novelty and diversity, ${diversity}.`
    : `Novelty, ${novelty}; diversity, ${diversity}.`;
}

function byMeasures(found: readonly SimilarityMeasure[]): string {
  const words = SIMILARITY_MEASURES.filter((measure) => found.includes(measure)).map(measureWords);
  return words.length === 0 ? '' : `by ${words.join(' and ')}`;
}
