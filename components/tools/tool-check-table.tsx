'use client';

import type { ToolCheckSummary } from '#lib/api/tool-check.ts';
import { serverAndTool } from '#lib/events/mcp-names.ts';
import { cx } from '../ui/cx.ts';
import { ShortName } from '../ui/foreign-name.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';

/** Right calls per tool and model; the newest check of each model. */
export function ToolCheckTable({
  checks,
  shown,
  onShow,
}: {
  /** Of one server, newest first. */
  checks: readonly ToolCheckSummary[];
  shown: string | undefined;
  onShow: (id: string) => void;
}) {
  const newest = checks.filter(
    ({ model }, index) => checks.findIndex((check) => check.model === model) === index,
  );
  const tools = [...new Set(newest.flatMap((check) => check.tools.map(({ name }) => name)))];
  return (
    <ScrollRegion label="Right calls by tool and model" className="mt-8 min-w-0 overflow-x-auto">
      <table className="tnum text-sm">
        <caption className="mb-2 text-left font-semibold">Right calls</caption>
        <thead>
          <tr className="border-b text-left">
            <th scope="col" className="py-1.5 pr-6 font-medium text-ink-3">
              Tool
            </th>
            {newest.map(({ id, model }) => (
              <th key={id} scope="col" className="px-3 py-1.5 font-medium">
                <button
                  type="button"
                  aria-pressed={id === shown}
                  className={cx(
                    'reach whitespace-nowrap underline underline-offset-2',
                    id === shown ? 'decoration-brass decoration-2' : 'decoration-line-strong',
                  )}
                  onClick={() => onShow(id)}
                >
                  {model}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools.map((tool) => (
            <tr key={tool} className="border-b border-line">
              <th scope="row" className="foreign py-1.5 pr-6 text-left font-mono font-normal">
                <ShortName text={serverAndTool(tool)?.tool ?? tool} />
              </th>
              {newest.map((check) => (
                <Score key={check.id} score={check.tools.find(({ name }) => name === tool)} />
              ))}
            </tr>
          ))}
          <tr className="font-medium">
            <th scope="row" className="py-1.5 pr-6 text-left font-medium">
              All
            </th>
            {newest.map((check) => (
              <Score key={check.id} score={check} />
            ))}
          </tr>
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Score({ score }: { score: { right: number; judged: number } | undefined }) {
  if (!score || score.judged === 0) return <td className="px-3 py-1.5 text-ink-3">–</td>;
  const { right, judged } = score;
  const tone = right === judged ? 'text-ok' : right === 0 ? 'text-fail' : 'text-warn';
  return (
    <td className={cx('px-3 py-1.5 whitespace-nowrap', tone)}>
      {right} of {judged}
    </td>
  );
}
