'use client';

import { useId, useState } from 'react';
import type { SuiteReply } from '#lib/api/suite.ts';
import type { ToolCheck, ToolCheckReply } from '#lib/api/tool-check.ts';
import { deleteJson, postJson } from '#lib/browser/api.ts';
import {
  argumentProblems,
  confusionRows,
  layerWords,
  OUTCOMES,
} from '#lib/browser/words/tool-check-words.ts';
import { serverAndTool } from '#lib/events/mcp-names.ts';
import { plural } from '#lib/util/numbers.ts';
import { useApi } from '../hooks/use-api.ts';
import { useRequest } from '../hooks/use-request.ts';
import { ProbeRow } from '../models/probe-row.tsx';
import { Problem } from '../shell/problem.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Link } from '../ui/link.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';

/** A check: the calls for each requested tool, wrong arguments, and the evidence of each probe. */
export function ToolCheckDetails({ id, onRemoved }: { id: string; onRemoved: () => void }) {
  const path = `/api/tool-checks/${encodeURIComponent(id)}`;
  const { data, error, reload } = useApi<ToolCheckReply>(path);
  const [kept, setKept] = useState<SuiteReply>();
  const { busy, problem, run } = useRequest();
  const title = useId();
  if (!data) return error ? <Problem error={error} onRetry={reload} /> : null;
  const { check, summary } = data;
  return (
    <section aria-labelledby={title} className="mt-8 min-w-0 border-t pt-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 id={title} className="text-lg font-semibold tracking-[-0.012em]">
          {check.model}: {summary.right} of {summary.judged} right
        </h2>
        <span className="ml-auto flex flex-wrap gap-2">
          <Button
            size="sm"
            className="max-sm:h-11"
            disabled={busy || kept !== undefined}
            onClick={() => void run(async () => setKept(await postJson<SuiteReply>(`${path}/suite`, {})))}
          >
            Save as a suite
          </Button>
          <Button
            size="sm"
            kind="quiet"
            className="max-sm:h-11"
            disabled={busy}
            onClick={() =>
              void run(async () => {
                await deleteJson(path);
                onRemoved();
              })
            }
          >
            Remove
          </Button>
        </span>
      </div>
      {problem && (
        <div className="mt-2">
          <ErrorNote error={problem} />
        </div>
      )}
      {kept && (
        <p className="mt-2 text-sm" role="status">
          Saved as{' '}
          <Link
            href={`/suites/${encodeURIComponent(kept.suite.id)}`}
            className="reach text-brass underline decoration-brass-line underline-offset-2"
          >
            {kept.suite.name}
          </Link>
          , {plural(kept.suite.cases, 'case')}.
        </p>
      )}
      <p className="tnum mt-1 text-sm text-ink-3">{layerWords(check.measured)}</p>
      <Confusions check={check} />
      <Probes check={check} />
    </section>
  );
}

/** Per tool: the calls when it was requested, and the wrong arguments. */
function Confusions({ check }: { check: ToolCheck }) {
  return (
    <ScrollRegion label="Asked for and called" className="mt-4 min-w-0 overflow-x-auto">
      <table className="tnum text-sm">
        <thead>
          <tr className="border-b text-left text-ink-3">
            <th scope="col" className="py-1.5 pr-6 font-medium">
              Asked for
            </th>
            <th scope="col" className="py-1.5 pr-6 font-medium">
              Called
            </th>
            <th scope="col" className="py-1.5 font-medium">
              Wrong arguments
            </th>
          </tr>
        </thead>
        <tbody>
          {confusionRows(check).map(({ asked, called }) => (
            <tr key={asked} className="border-b border-line align-top">
              <th scope="row" className="foreign py-1.5 pr-6 text-left font-mono font-normal">
                <ShortName text={own(asked)} />
              </th>
              <td className="py-1.5 pr-6">
                {called.map(({ name, count, isTool }) => (
                  <span key={name} className="foreign mr-3 whitespace-nowrap">
                    <span className={name === asked ? 'text-ok' : 'text-warn'}>
                      {isTool ? <ShortName text={own(name)} /> : name}
                    </span>{' '}
                    <span className="text-ink-3">× {count}</span>
                  </span>
                ))}
              </td>
              <td className="py-1.5">
                {argumentProblems(check.probes, asked).map(({ name, problem, count }) => (
                  <span key={`${name} ${problem}`} className="foreign mr-3 whitespace-nowrap">
                    <ShortName text={name} /> <span className="text-warn">{problem}</span>{' '}
                    <span className="text-ink-3">× {count}</span>
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function own(name: string): string {
  return serverAndTool(name)?.tool ?? name;
}

/** The evidence, the probes that were not right first. */
function Probes({ check }: { check: ToolCheck }) {
  const [open, setOpen] = useState<string>();
  const ids = useId();
  const sorted = [...check.probes].sort(
    (a, b) => Number(a.outcome === 'right') - Number(b.outcome === 'right'),
  );
  return (
    <>
      <h3 className="mt-6 font-semibold">Evidence</h3>
      <ul aria-label="Probes" className="mt-1 divide-y">
        {sorted.map((probe, index) => (
          <ProbeRow
            key={probe.id}
            id={`${ids}-${index}`}
            probe={probe}
            badge={<Badge tone={OUTCOMES[probe.outcome].tone}>{OUTCOMES[probe.outcome].label}</Badge>}
            open={open === probe.id}
            onToggle={() => setOpen(open === probe.id ? undefined : probe.id)}
          />
        ))}
      </ul>
    </>
  );
}
