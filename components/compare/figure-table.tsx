import type { ComparedRun, CompareReply } from '#lib/api/comparison.ts';
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatTokens,
} from '#lib/browser/words/format.ts';
import { stepWord } from '#lib/browser/words/mode-words.ts';
import { settingName, settingText } from '#lib/browser/words/setting-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { checksWords, outcomeWords } from '#lib/events/outcome.ts';
import { formatUsd } from '#lib/util/format-usd.ts';
import { cx } from '../ui/cx.ts';
import { ForeignMessage } from '../ui/foreign-message.tsx';

interface Line {
  name: string;
  a: string;
  b: string;
  /** The difference B − A, if known. */
  by?: string;
}

/** The figures of both runs side by side, then the settings and conditions that differ. */
export function FigureTable({ reply }: { reply: CompareReply }) {
  const { a, b, settings } = reply;
  const figures = figureLines(a, b);
  const differing = [
    ...settings.map(
      ({ name, before, after }): Line => ({
        name: settingName(name),
        a: settingText(name, before),
        b: settingText(name, after),
      }),
    ),
    ...conditionLines(a, b),
  ];
  return (
    <div className="mt-6 grid items-start gap-x-10 gap-y-6 lg:grid-cols-2">
      <Table caption="Figures" lines={figures} />
      {differing.length > 0 ? (
        <Table caption="Settings and conditions that differ" lines={differing} />
      ) : (
        <p className="text-sm text-ink-3 lg:pt-7">
          Settings and conditions are the same: model, options, window, Ollama's version.
        </p>
      )}
    </div>
  );
}

const cell = 'py-1 pl-2 font-mono text-xs sm:pl-3';

function Table({ caption, lines }: { caption: string; lines: readonly Line[] }) {
  const compared = lines.some(({ by }) => by !== undefined);
  // Numbers are right-aligned, text is left-aligned.
  const side = compared ? 'text-right' : 'text-left';
  return (
    <table className="tnum w-full table-fixed border-collapse text-sm">
      <caption className="caption mb-1 text-left">{caption}</caption>
      <thead>
        <tr className={cx('border-b border-line-strong text-xs text-ink-3', side)}>
          <th scope="col" className={cx('py-1 text-left font-normal', compared ? 'w-2/5' : 'w-1/4')}>
            <span className="sr-only">Name</span>
          </th>
          <th scope="col" className="py-1 pl-2 font-mono font-semibold sm:pl-3">
            A
          </th>
          <th scope="col" className="py-1 pl-2 font-mono font-semibold sm:pl-3">
            B
          </th>
          {compared && (
            <th scope="col" className="py-1 pl-3 font-mono font-normal">
              B − A
            </th>
          )}
        </tr>
      </thead>
      <tbody className="divide-y">
        {lines.map(({ name, a, b, by }) => (
          <tr key={name} className="align-baseline">
            <th scope="row" className="foreign py-1 pr-3 text-left font-normal text-ink-2">
              {shortLine(name)}
            </th>
            <td className={cx(cell, side, a === b && 'text-ink-3')}>
              <ForeignMessage text={a} />
            </td>
            <td className={cx(cell, side, a === b && 'text-ink-3')}>
              <ForeignMessage text={b} />
            </td>
            {compared && (
              <td className="py-1 pl-3 text-right font-mono text-2xs whitespace-nowrap text-ink-3">{by}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function figureLines({ figures: a, run }: ComparedRun, { figures: b, run: other }: ComparedRun): Line[] {
  const counts = (name: string, one: number, two: number, format = formatCount): Line => ({
    name,
    a: format(one),
    b: format(two),
    ...(one === two ? {} : { by: `${two > one ? '+' : '−'}${format(Math.abs(two - one))}` }),
  });
  const tokens = (name: string, field: 'tokens_in' | 'tokens_out'): Line => ({
    ...counts(name, a[field], b[field]),
    a: formatTokens(a[field], a.tokens_estimated),
    b: formatTokens(b[field], b.tokens_estimated),
  });
  const speed = ({ tokens_per_second: rate }: ComparedRun['figures']) =>
    rate === undefined ? 'unknown' : formatRate(rate);
  const tools = [...new Set([...Object.keys(a.tools), ...Object.keys(b.tools)])].sort();
  const ending = ({ outcome }: ComparedRun['run']) => (outcome ? outcomeWords(outcome).label : 'not yet');
  const checks = ({ outcome }: ComparedRun['run']) =>
    outcome?.checks ? checksWords(outcome.checks).label : 'none';
  // Non-breaking spaces keep each count with its unit.
  const layers = ({ native, json, xml, repaired }: ComparedRun['figures']['layers']) =>
    [
      native && `${native}\u00a0native`,
      json && `${json}\u00a0JSON`,
      xml && `${xml}\u00a0XML`,
      repaired && `${repaired}\u00a0repaired`,
    ]
      .filter(Boolean)
      .join(', ') || 'none';
  return [
    { name: 'Outcome', a: ending(run), b: ending(other) },
    ...(run.outcome?.checks || other.outcome?.checks
      ? [{ name: 'Checks', a: checks(run), b: checks(other) }]
      : []),
    counts(`${stepWord(run.mode)}s`, a.iterations, b.iterations),
    counts('Model calls', a.model_calls, b.model_calls),
    counts('Tool calls', a.tool_calls, b.tool_calls),
    ...tools.map((tool) => counts(`  ${tool}`, a.tools[tool] ?? 0, b.tools[tool] ?? 0)),
    ...(a.failed_tool_calls + b.failed_tool_calls > 0
      ? [counts('Failed tool calls', a.failed_tool_calls, b.failed_tool_calls)]
      : []),
    tokens('Tokens in', 'tokens_in'),
    tokens('Tokens out', 'tokens_out'),
    ...costLines(a, b),
    counts('Model time', a.model_ms, b.model_ms, formatDuration),
    counts('Time with tools', a.tool_ms, b.tool_ms, formatDuration),
    { name: 'Writing speed (tok/s)', a: speed(a), b: speed(b) },
    { name: 'Calls read from', a: layers(a.layers), b: layers(b.layers) },
  ];
}

/** Empty if neither model has a price. */
function costLines({ cost_usd: a }: ComparedRun['figures'], { cost_usd: b }: ComparedRun['figures']): Line[] {
  if (a === undefined && b === undefined) return [];
  const words = (cost: number | undefined) => (cost === undefined ? 'no price' : formatUsd(cost));
  const known = a !== undefined && b !== undefined && a !== b;
  const by = known ? `${b > a ? '+' : '−'}${formatUsd(Math.abs(b - a))}` : undefined;
  return [{ name: 'Cost', a: words(a), b: words(b), ...(by === undefined ? {} : { by }) }];
}

function conditionLines({ conditions: a }: ComparedRun, { conditions: b }: ComparedRun): Line[] {
  const line = (name: string, one: string | undefined, two: string | undefined): Line[] =>
    one === two ? [] : [{ name, a: one ?? 'unknown', b: two ?? 'unknown' }];
  const tokens = (value: number | undefined) => (value === undefined ? undefined : formatCount(value));
  const warm = (value: boolean | undefined) =>
    value === undefined ? undefined : value ? 'already loaded' : 'loaded for this run';
  const share = (value: number | undefined) => (value === undefined ? undefined : formatPercent(value));
  const think = (value: typeof a.think) => (value === undefined ? undefined : settingText('think', value));
  return [
    ...line("Ollama's version", a.server_version, b.server_version),
    ...line("Model's digest", a.digest?.slice(0, 12), b.digest?.slice(0, 12)),
    ...line('Quantisation', a.quantization, b.quantization),
    ...line('Window in effect', tokens(a.context_tokens), tokens(b.context_tokens)),
    ...line('Model at the start', warm(a.warm), warm(b.warm)),
    ...line('On the GPU', share(a.gpu_share), share(b.gpu_share)),
    ...line('Thinking sent', think(a.think), think(b.think)),
  ];
}
