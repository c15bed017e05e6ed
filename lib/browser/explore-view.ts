import type { TimelineRow } from '../events/fold-timeline.ts';
import { ngramSimilarity } from '../util/similarity.ts';

/** One cycle of an exploration, as the strip shows it. */
export interface CycleView {
  readonly cycle: number;
  /** The event it began with: its deep link. */
  readonly seq: number;
  /** Calls by tool. */
  readonly tools: Readonly<Record<string, number>>;
  readonly calls: number;
  readonly failed: number;
  readonly modelCalls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Milliseconds from its first event to its last. */
  readonly durationMs: number;
  /** Missing while it is open. */
  readonly reflection?: { readonly text: string; readonly seq: number; readonly byLimit: boolean };
  /** 1: nothing in common with the reflections before it; 0: the same words. Missing for the first. */
  readonly novelty?: number;
  /** What the harness measured of the reflection of the cycle before, when it was asked to (X21). */
  readonly advice?: { readonly similarity: number; readonly nearest: number; readonly told: boolean };
}

/** Reflections that each one is compared with, as the harness does by default. */
const COMPARED = 5;

/** The cycles of an exploration in order, made of the rows of its timeline. Empty in other modes. Pure. */
export function cyclesOf(rows: readonly TimelineRow[]): CycleView[] {
  const cycles: CycleView[] = [];
  const reflections: string[] = [];
  const update = (change: Partial<CycleView>) => {
    const last = cycles.at(-1);
    if (last) cycles[cycles.length - 1] = { ...last, ...change };
  };
  let from = 0;
  for (const row of rows) {
    if (row.kind === 'note' && row.event.type === 'cycle.started') {
      from = row.at;
      cycles.push({
        cycle: row.event.cycle,
        seq: row.seq,
        tools: {},
        calls: 0,
        failed: 0,
        modelCalls: 0,
        tokensIn: 0,
        tokensOut: 0,
        durationMs: 0,
      });
      continue;
    }
    const open = cycles.at(-1);
    if (!open || open.reflection) {
      if (!(row.kind === 'note' && row.event.type === 'diversity.advised')) continue;
    }
    if (!open) continue;
    switch (row.kind) {
      case 'iteration':
        update({
          modelCalls: open.modelCalls + row.modelCalls,
          tokensIn: open.tokensIn + row.tokensIn,
          tokensOut: open.tokensOut + row.tokensOut,
          durationMs: row.until - from,
        });
        break;
      case 'tool':
        update({
          tools: { ...open.tools, [row.name]: (open.tools[row.name] ?? 0) + 1 },
          calls: open.calls + 1,
          failed: open.failed + (row.status === 'failed' || row.status === 'interrupted' ? 1 : 0),
        });
        break;
      case 'note': {
        const { event } = row;
        if (event.type === 'diversity.advised') {
          update({
            advice: {
              similarity: event.similarity,
              nearest: event.nearest_cycle,
              told: event.feedback !== undefined,
            },
          });
        }
        if (event.type === 'cycle.reflected') {
          const before = reflections.slice(-COMPARED);
          const nearest = Math.max(...before.map((text) => ngramSimilarity(event.text, text)));
          reflections.push(event.text);
          update({
            durationMs: row.at - from,
            reflection: { text: event.text, seq: row.seq, byLimit: event.ended_by === 'call_limit' },
            ...(before.length > 0 ? { novelty: 1 - nearest } : {}),
          });
        }
        break;
      }
    }
  }
  return cycles;
}

/** One change of the memory of an exploration. */
export interface MemoryChange {
  readonly seq: number;
  readonly at: number;
  readonly cycle: number;
  readonly callId: string;
  readonly key: string;
  /** `undefined`: deleted. */
  readonly value: string | undefined;
}

/** Every change of memory in order (O12, O13). Pure. */
export function memoryChanges(rows: readonly TimelineRow[]): MemoryChange[] {
  return rows.flatMap((row) => {
    if (row.kind !== 'note' || row.event.type !== 'memory.changed') return [];
    const { call_id: callId, cycle, key, value, operation } = row.event;
    return [
      {
        seq: row.seq,
        at: row.at,
        cycle,
        callId,
        key,
        value: operation === 'delete' ? undefined : (value ?? ''),
      },
    ];
  });
}

/** A key of the memory with everything that happened to it up to a cycle, the last change last. */
export interface MemoryKey {
  readonly key: string;
  /** `undefined`: it was deleted. */
  readonly value: string | undefined;
  readonly history: readonly MemoryChange[];
}

/** The memory as it stood at the end of a cycle: keys that are there in the order of writing, then deleted ones. */
export function memoryAt(changes: readonly MemoryChange[], cycle: number): MemoryKey[] {
  const keys = new Map<string, MemoryChange[]>();
  for (const change of changes) {
    if (change.cycle > cycle) continue;
    const history = keys.get(change.key);
    if (history) history.push(change);
    else keys.set(change.key, [change]);
  }
  return [...keys]
    .map(([key, history]): MemoryKey => ({ key, history, value: history.at(-1)?.value }))
    .sort((a, b) => Number(a.value === undefined) - Number(b.value === undefined));
}

/** The tools of an exploration by how often they were called, the most frequent first. */
export function toolsByUse(cycles: readonly CycleView[]): string[] {
  const counts = new Map<string, number>();
  for (const { tools } of cycles) {
    for (const [tool, count] of Object.entries(tools)) counts.set(tool, (counts.get(tool) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([tool]) => tool);
}
