import type { Cycle, MemoryChange } from '../events/fold-cycles.ts';

/** A key of the memory with everything that happened to it up to a cycle, the last change last. */
export interface MemoryKey {
  readonly key: string;
  /** `undefined`: it was deleted. */
  readonly value: string | undefined;
  readonly history: readonly MemoryChange[];
}

/** The memory as it stood at the end of a cycle: keys that are there in the order of writing, then deleted ones. Pure. */
export function memoryAt(changes: readonly MemoryChange[], cycle: number): MemoryKey[] {
  const keys = new Map<string, MemoryChange[]>();
  for (const change of changes) {
    if (change.cycle > cycle) break;
    const history = keys.get(change.key);
    if (history) history.push(change);
    else keys.set(change.key, [change]);
  }
  return [...keys]
    .map(([key, history]): MemoryKey => ({ key, history, value: history.at(-1)?.value }))
    .sort((a, b) => Number(a.value === undefined) - Number(b.value === undefined));
}

/** The tools of an exploration by how often they were called, the most frequent first. Pure. */
export function toolsByUse(cycles: readonly Cycle[]): string[] {
  const counts = new Map<string, number>();
  for (const { tools } of cycles) {
    for (const [tool, count] of Object.entries(tools)) counts.set(tool, (counts.get(tool) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([tool]) => tool);
}
