import type { ModelReading } from '#lib/api/model-reading.ts';
import type { InstalledModel } from '#lib/api/replies.ts';
import { formatCount, formatPercent, plural } from '#lib/browser/words/format.ts';
import { formatName, LAYER_WORDS } from '#lib/browser/words/layer-words.ts';
import { PARSER_LAYERS, type ParserLayer } from '#lib/parser/layers.ts';
import { Badge } from '../ui/badge.tsx';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';

const COLORS: Readonly<Record<ParserLayer, { fill: string; swatch: string }>> = {
  native: { fill: 'fill-ink-2', swatch: 'bg-ink-2' },
  json: { fill: 'fill-brass-fill', swatch: 'bg-brass-fill' },
  xml: { fill: 'fill-brass-line', swatch: 'bg-brass-line' },
};
const LAYERS = PARSER_LAYERS.map((layer) => ({
  layer,
  label: LAYER_WORDS[layer].label,
  ...COLORS[layer],
}));

/** Models with at least one reply, sorted by number of calls. */
export function readModels(
  models: readonly InstalledModel[],
): (InstalledModel & { reading: ModelReading })[] {
  return models
    .flatMap((model) =>
      model.reading && model.reading.replies > 0 ? [{ ...model, reading: model.reading }] : [],
    )
    .sort((a, b) => Number(a.demo) - Number(b.demo) || b.reading.calls - a.reading.calls);
}

/** How the replies of each model were parsed over all its runs (P17): counts, not ratings. */
export function ReadingTable({ models }: { models: readonly InstalledModel[] }) {
  const shown = readModels(models);
  if (shown.length === 0) return null;
  return (
    <>
      <p className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-3">
        {LAYERS.map(({ layer, label, swatch }) => (
          <span key={layer} className="inline-flex items-center gap-1.5">
            <span className={cx('size-2 rounded-[1px]', swatch)} aria-hidden="true" />
            {label}
          </span>
        ))}
      </p>
      <ScrollRegion className="relative mt-2 scrolls-x" label="Parsed replies by model">
        <table className="tnum w-full min-w-[44rem] border-collapse text-sm">
          <thead>
            <tr className="border-b border-line-strong text-left align-bottom">
              <Head>Model</Head>
              <Head>Call formats</Head>
              <Head right title="Parsed replies">
                Replies
              </Head>
              <Head right title="Replies with repaired text">
                Repaired
              </Head>
              <Head right title="Replies with an argument converted to its declared type">
                Coerced
              </Head>
              <Head right title="Texts that look like a call but were not accepted as one">
                Refused
              </Head>
              <Head right title="Replies with a call that neither Loupe nor Ollama could parse">
                Unreadable
              </Head>
            </tr>
          </thead>
          <tbody className="divide-y">
            {shown.map((model) => (
              <ReadingLine key={model.name} model={model} reading={model.reading} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  );
}

function Head({ children, right, title }: { children: string; right?: boolean; title?: string }) {
  return (
    <th
      scope="col"
      title={title}
      className={cx('caption py-1.5 pr-4 font-normal', right && 'pr-0 pl-4 text-right')}
    >
      {children}
    </th>
  );
}

function ReadingLine({ model, reading }: { model: InstalledModel; reading: ModelReading }) {
  const formats = Object.entries(reading.formats).filter(([format]) => format !== 'native');
  return (
    <tr className="align-baseline">
      <th scope="row" className="max-w-56 min-w-36 py-2.5 pr-4 text-left font-normal">
        <span className="foreign font-mono font-medium">
          <ShortName text={model.name} />
        </span>
        {model.demo && (
          <>
            {' '}
            <Badge tone="live">demo</Badge>
          </>
        )}
      </th>
      <td className="py-2.5 pr-4">
        <LayerBar reading={reading} />
        {formats.length > 0 && (
          <p className="foreign mt-1 font-mono text-xs text-ink-3">
            {formats.map(([format, count]) => `${formatCount(count)} ${formatName(format)}`).join(', ')}
          </p>
        )}
      </td>
      <Count count={reading.replies} />
      <Count count={reading.repaired} of={reading.replies} />
      <Count count={reading.coerced} of={reading.replies} />
      <Count count={reading.refused} />
      <Count count={reading.malformed} of={reading.replies} warn />
    </tr>
  );
}

function LayerBar({ reading }: { reading: ModelReading }) {
  if (reading.calls === 0) return <span className="text-ink-3">no call yet</span>;
  let from = 0;
  return (
    <div className="flex items-center gap-3">
      <svg viewBox="0 0 160 8" preserveAspectRatio="none" className="h-2 w-40 shrink-0" aria-hidden="true">
        {LAYERS.map(({ layer, fill }) => {
          const width = (reading.layers[layer] / reading.calls) * 160;
          const x = from;
          from += width;
          return width === 0 ? null : (
            <rect key={layer} x={x} y="0" width={Math.max(1, width - 1)} height="8" className={fill} />
          );
        })}
      </svg>
      <span className="font-mono text-xs whitespace-nowrap">
        {plural(reading.calls, 'call')}
        <span className="sr-only">
          : {LAYERS.map(({ layer, label }) => `${formatCount(reading.layers[layer])} ${label}`).join(', ')}
        </span>
      </span>
    </div>
  );
}

function Count({ count, of, warn }: { count: number; of?: number; warn?: boolean }) {
  return (
    <td className="py-2.5 pl-4 text-right font-mono text-xs whitespace-nowrap">
      <span className={cx(count === 0 && 'text-ink-3', warn && count > 0 && 'text-warn')}>
        {formatCount(count)}
      </span>
      {of !== undefined && count > 0 && (
        <span className="block text-2xs text-ink-3">{formatPercent(count / of)}</span>
      )}
    </td>
  );
}
