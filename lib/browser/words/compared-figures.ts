import type { ComparedRun, CompareRunsReply } from '../../api/comparison.ts';
import { modeFacts } from '../../events/modes.ts';
import { checksWords, outcomeWords } from '../../events/outcome.ts';
import { formatUsd } from '../../util/format-usd.ts';
import { callsOf } from '../plots/explore-series.ts';
import {
  formatCount,
  formatDuration,
  formatMoment,
  formatPercent,
  formatRate,
  formatTokens,
} from './format.ts';
import { LAYER_WORDS } from './layer-words.ts';
import { stepWord } from './mode-words.ts';
import { settingName, settingText } from './setting-words.ts';

/** One line of a table with a column per run; the first run is the baseline. */
export interface ComparedLine {
  readonly name: string;
  readonly cells: readonly ComparedCell[];
}

export interface ComparedCell {
  readonly text: string;
  /** Whether it is marked as different from the baseline. Times never are: equal work takes different times. */
  readonly differs: boolean;
  /** The difference from the baseline, where there is one. */
  readonly by?: string;
}

/** The work and resource figures of the runs. Pure. */
export function figureLines(runs: readonly ComparedRun[]): ComparedLine[] {
  const mode = runs[0]?.run.mode;
  const figures = runs.map((each) => each.figures);
  const counts = (name: string, of: (run: ComparedRun) => number): ComparedLine =>
    numbers(name, runs.map(of), formatCount);
  const tokens = (name: string, field: 'tokens_in' | 'tokens_out'): ComparedLine => {
    const { cells } = counts(name, (run) => run.figures[field]);
    const shown = figures.map((each) => formatTokens(each[field], each.tokens_estimated));
    return { name, cells: cells.map((cell, index) => ({ ...cell, text: shown[index] ?? '' })) };
  };
  const tools = [...new Set(figures.flatMap((each) => Object.keys(each.tools)))].sort();
  const checks = runs.map(({ run }) => run.outcome?.checks);
  return [
    texts(
      'Outcome',
      runs.map(({ run }) => (run.outcome ? outcomeWords(run.outcome).label : 'not yet')),
    ),
    ...(checks.some((each) => each !== undefined)
      ? [
          texts(
            'Checks',
            checks.map((each) => (each ? checksWords(each).label : 'none')),
          ),
        ]
      : []),
    counts(`${stepWord(mode)}s`, ({ figures: { turns, iterations } }) =>
      modeFacts(mode).hasTurns ? turns : iterations,
    ),
    counts('Model calls', (run) => run.figures.model_calls),
    counts('Tool calls', (run) => run.figures.tool_calls),
    ...tools.map((tool) => counts(`  ${tool}`, (run) => callsOf(run.figures, tool))),
    ...(figures.some((each) => each.failed_tool_calls > 0)
      ? [counts('Failed tool calls', (run) => run.figures.failed_tool_calls)]
      : []),
    counts('Files changed', (run) => run.files.length + (run.files_left_out ?? 0)),
    tokens('Tokens in', 'tokens_in'),
    tokens('Tokens out', 'tokens_out'),
    ...costLines(runs),
    texts(
      'Call formats',
      figures.map((each) => layersText(each.layers)),
    ),
  ];
}

/** When the runs started and how long they took: shown, but never marked as different. Pure. */
export function timeLines(runs: readonly ComparedRun[]): ComparedLine[] {
  const plain = (name: string, of: (run: ComparedRun) => string): ComparedLine => ({
    name,
    cells: runs.map((run) => ({ text: of(run), differs: false })),
  });
  return [
    plain('Started', ({ run }) => formatMoment(run.started_at ?? run.created_at)),
    plain('Duration', ({ run }) => (run.worked_ms === undefined ? '–' : formatDuration(run.worked_ms))),
    plain('Model time', ({ figures }) => formatDuration(figures.model_ms)),
    plain('Tool time', ({ figures }) => formatDuration(figures.tool_ms)),
    plain('Writing speed (tok/s)', ({ figures: { tokens_per_second: rate } }) =>
      rate === undefined ? 'unknown' : formatRate(rate),
    ),
  ];
}

/** The settings and conditions that differ between the runs. Pure. */
export function differingLines({ runs, settings }: CompareRunsReply): ComparedLine[] {
  const conditions = runs.map((run) => run.conditions);
  const line = <Value>(
    name: string,
    of: (run: ComparedRun['conditions']) => Value | undefined,
    words: (value: Value) => string,
  ): ComparedLine[] => {
    const values = conditions.map((each) => {
      const value = of(each);
      return value === undefined ? 'unknown' : words(value);
    });
    return new Set(values).size > 1 ? [texts(name, values)] : [];
  };
  return [
    ...settings.map(({ name, values }) =>
      texts(
        settingName(name),
        values.map((value) => settingText(name, value)),
      ),
    ),
    ...line("Ollama's version", (run) => run.server_version, String),
    ...line("Model's digest", (run) => run.digest?.slice(0, 12), String),
    ...line('Quantization', (run) => run.quantization, String),
    ...line('Window in effect', (run) => run.context_tokens, formatCount),
    ...line(
      'Model at the start',
      (run) => run.warm,
      (warm) => (warm ? 'already loaded' : 'loaded for this run'),
    ),
    ...line('On the GPU', (run) => run.gpu_share, formatPercent),
    ...line(
      'Thinking sent',
      (run) => run.think,
      (think) => settingText('think', think),
    ),
  ];
}

function texts(name: string, values: readonly string[]): ComparedLine {
  return { name, cells: values.map((text) => ({ text, differs: text !== values[0] })) };
}

function numbers(name: string, values: readonly number[], format: (value: number) => string): ComparedLine {
  const [baseline = 0] = values;
  return {
    name,
    cells: values.map((value) => ({
      text: format(value),
      differs: value !== baseline,
      ...(value !== baseline && {
        by: `${value > baseline ? '+' : '−'}${format(Math.abs(value - baseline))}`,
      }),
    })),
  };
}

/** Empty if no model has a price. */
function costLines(runs: readonly ComparedRun[]): ComparedLine[] {
  const costs = runs.map(({ figures }) => figures.cost_usd);
  if (costs.every((cost) => cost === undefined)) return [];
  const known = costs.flatMap((cost) => cost ?? []);
  if (known.length === costs.length) return [numbers('Cost', known, formatUsd)];
  return [
    texts(
      'Cost',
      costs.map((cost) => (cost === undefined ? 'no price' : formatUsd(cost))),
    ),
  ];
}

/** Non-breaking spaces keep each count with its unit. */
function layersText({ native, json, xml, repaired }: ComparedRun['figures']['layers']): string {
  return (
    [
      native && `${native}\u00a0native`,
      json && `${json}\u00a0${LAYER_WORDS.json.label}`,
      xml && `${xml}\u00a0${LAYER_WORDS.xml.label}`,
      repaired && `${repaired}\u00a0repaired`,
    ]
      .filter(Boolean)
      .join(', ') || 'none'
  );
}
