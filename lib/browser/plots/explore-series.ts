import type { Cycle } from '../../events/timeline.ts';

/** Consecutive cycles as one column of a plot. */
export interface CycleGroup {
  readonly first: Cycle;
  readonly last: Cycle;
  /** How often each tool was called, by name. */
  readonly tools: Readonly<Record<string, number>>;
  /** The lowest, mean and highest novelty; missing if none was measured. */
  readonly novelty?: { readonly low: number; readonly value: number; readonly high: number };
}

/** What a cycle, or another part of an exploration, called. */
type ToolCounts = Pick<Cycle, 'tools'>;

/** At most `most` groups of equal size, in order. Pure. */
export function groupCycles(cycles: readonly Cycle[], most: number): CycleGroup[] {
  const size = Math.max(1, Math.ceil(cycles.length / Math.max(1, most)));
  const groups: CycleGroup[] = [];
  for (let from = 0; from < cycles.length; from += size) {
    const group = cycles.slice(from, from + size);
    const [first] = group;
    const last = group.at(-1);
    if (!first || !last) continue;
    const novelties = group.flatMap(({ novelty }) => (novelty === undefined ? [] : [novelty]));
    // A model may call a tool `__proto__`.
    const tools: Record<string, number> = Object.create(null);
    for (const name of toolsByUse(group)) {
      tools[name] = group.reduce((sum, cycle) => sum + callsOf(cycle, name), 0);
    }
    groups.push({
      first,
      last,
      tools,
      ...(novelties.length === 0
        ? {}
        : {
            novelty: {
              low: Math.min(...novelties),
              value: novelties.reduce((sum, novelty) => sum + novelty, 0) / novelties.length,
              high: Math.max(...novelties),
            },
          }),
    });
  }
  return groups;
}

/** How often a tool was called. Pure. */
export function callsOf({ tools }: ToolCounts, name: string): number {
  return Object.hasOwn(tools, name) ? (tools[name] ?? 0) : 0;
}

/** The tools of an exploration by how often they were called, the most frequent first. Pure. */
export function toolsByUse(cycles: readonly ToolCounts[]): string[] {
  const counts = new Map<string, number>();
  for (const { tools } of cycles) {
    for (const [tool, count] of Object.entries(tools)) counts.set(tool, (counts.get(tool) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([tool]) => tool);
}
