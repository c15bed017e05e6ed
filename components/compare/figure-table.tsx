import type { ComparedRun, CompareReply } from '#lib/api/comparison.ts';
import { plainVisibleText } from '#lib/browser/visible-text.ts';
import { isReason, reasonWords, VERIFICATION_WORDS } from '#lib/browser/words/end-words.ts';
import { formatCount, formatDuration, formatPercent, formatRate } from '#lib/browser/words/format.ts';
import { stepWord } from '#lib/browser/words/mode-words.ts';
import { settingName, settingText } from '#lib/browser/words/setting-words.ts';
import { cx } from '../ui/cx.ts';

interface Line {
  name: string;
  a: string;
  b: string;
  /** How much more B has, when that can be said. */
  by?: string;
}

/** What each run took, beside each other, then the settings and conditions in which they differ. */
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

const cell = 'foreign py-1 pl-2 font-mono text-xs sm:pl-3';

function Table({ caption, lines }: { caption: string; lines: readonly Line[] }) {
  const compared = lines.some(({ by }) => by !== undefined);
  // Figures stand under each other by their last digit; words begin at the left.
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
              {plainVisibleText(name)}
            </th>
            <td className={cx(cell, side, a === b && 'text-ink-3')}>{plainVisibleText(a)}</td>
            <td className={cx(cell, side, a === b && 'text-ink-3')}>{plainVisibleText(b)}</td>
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
  const speed = ({ tokens_per_second: rate }: ComparedRun['figures']) =>
    rate === undefined ? 'not told' : formatRate(rate);
  const tools = [...new Set([...Object.keys(a.tools), ...Object.keys(b.tools)])].sort();
  const ending = ({ reason }: ComparedRun['figures'], { mode }: ComparedRun['run']) =>
    reason === undefined ? 'not yet' : isReason(reason) ? reasonWords(reason, mode).label : reason;
  const checks = ({ verification }: ComparedRun['run']) =>
    verification === undefined ? 'none' : VERIFICATION_WORDS[verification].label;
  // A count does not stand at the end of a line without its word.
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
    { name: 'Ended by', a: ending(a, run), b: ending(b, other) },
    ...(run.verification || other.verification ? [{ name: 'Checks', a: checks(run), b: checks(other) }] : []),
    counts(`${stepWord(run.mode)}s`, a.iterations, b.iterations),
    counts('Model calls', a.model_calls, b.model_calls),
    counts('Tool calls', a.tool_calls, b.tool_calls),
    ...tools.map((tool) => counts(`  ${tool}`, a.tools[tool] ?? 0, b.tools[tool] ?? 0)),
    ...(a.failed_tool_calls + b.failed_tool_calls > 0
      ? [counts('Failed tool calls', a.failed_tool_calls, b.failed_tool_calls)]
      : []),
    counts('Tokens in', a.tokens_in, b.tokens_in),
    counts('Tokens out', a.tokens_out, b.tokens_out),
    counts('Time with the model', a.model_ms, b.model_ms, formatDuration),
    counts('Time with tools', a.tool_ms, b.tool_ms, formatDuration),
    { name: 'Writing speed (tok/s)', a: speed(a), b: speed(b) },
    { name: 'Calls read from', a: layers(a.layers), b: layers(b.layers) },
  ];
}

function conditionLines({ conditions: a }: ComparedRun, { conditions: b }: ComparedRun): Line[] {
  const line = (name: string, one: string | undefined, two: string | undefined): Line[] =>
    one === two ? [] : [{ name, a: one ?? 'not told', b: two ?? 'not told' }];
  const tokens = (value: number | undefined) => (value === undefined ? undefined : formatCount(value));
  const warm = (value: boolean | undefined) => (value === undefined ? undefined : value ? 'warm' : 'cold');
  const share = (value: number | undefined) => (value === undefined ? undefined : formatPercent(value));
  return [
    ...line("Ollama's version", a.server_version, b.server_version),
    ...line("Model's digest", a.digest?.slice(0, 12), b.digest?.slice(0, 12)),
    ...line('Quantisation', a.quantization, b.quantization),
    ...line('Window in effect', tokens(a.context_tokens), tokens(b.context_tokens)),
    ...line('Model at the start', warm(a.warm), warm(b.warm)),
    ...line('On the GPU', share(a.gpu_share), share(b.gpu_share)),
  ];
}
