'use client';

import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { measuredWords } from '#lib/browser/plots/plot-words.ts';
import { saveText } from '#lib/browser/save-text.ts';
import { cycleTable, cycleTableCells } from '#lib/events/cycle-table.ts';
import { csvText } from '#lib/util/csv.ts';
import { Button } from '../../ui/button.tsx';
import { useRun } from '../run-context.tsx';
import { useRunScreen } from '../screen-context.ts';
import { CycleRows } from './cycle-rows.tsx';

/** The cycles as a table: calls by tool, growth of the memory, tokens, messages, novelty and diversity. */
export function CyclesPanel() {
  const cycles = useRun((view) => view.timeline.cycles);
  const runId = useRun((view) => view.run.runId);
  const model = useRun((view) => view.run.config?.model ?? '');
  const { goTo } = useRunScreen();
  const table = useMemo(() => cycleTable(cycles), [cycles]);
  if (table.rows.length === 0) return <p className="mt-3 text-sm text-ink-3">No cycle has started yet.</p>;
  const save = () =>
    saveText(csvText(cycleTableCells([{ run_id: runId, model, table }])), `loupe-cycles-${runId}.csv`);
  return (
    <div className="mt-3 grid gap-2">
      <div className="flex items-center justify-between gap-3">
        <p className="text-xs text-ink-3">{measuredWords(table)}</p>
        <Button size="sm" kind="quiet" className="max-sm:h-11" onClick={save}>
          <Download className="size-3.5" aria-hidden="true" />
          CSV
        </Button>
      </div>
      <CycleRows label="Cycle table" table={table} onGo={goTo} />
    </div>
  );
}
