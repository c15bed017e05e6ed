import type { ArgumentFinding, ToolCheck, ToolOutcome } from '../../api/tool-check.ts';
import type { Tone } from './end-words.ts';
import { formatName } from './layer-words.ts';

/** The result of a probe, for its badge. */
export const OUTCOMES: Readonly<Record<ToolOutcome, { label: string; tone: Tone | undefined }>> = {
  right: { label: 'right', tone: 'ok' },
  wrong_arguments: { label: 'wrong arguments', tone: 'warn' },
  wrong_tool: { label: 'wrong tool', tone: 'fail' },
  no_call: { label: 'no call', tone: 'fail' },
  unreadable: { label: 'unreadable call', tone: 'fail' },
  failed: { label: 'not judged', tone: undefined },
};

/** The problem of an argument. */
const ARGUMENT_PROBLEMS: Readonly<Record<ArgumentFinding['problem'], string>> = {
  missing: 'missing',
  wrong_type: 'wrong type',
  wrong_value: 'wrong value',
  extra: 'not asked for',
};

/** A row of the matrix: how often each tool was called when this one was requested. */
export interface ConfusionRow {
  asked: string;
  /** Names of tools, or what came instead, with counts; the most frequent first. */
  called: { name: string; count: number; isTool: boolean }[];
}

/** Which tools were called for each requested tool. Pure. */
export function confusionRows({ tools, probes }: Pick<ToolCheck, 'tools' | 'probes'>): ConfusionRow[] {
  return tools.flatMap(({ name: asked }) => {
    const own = probes.filter(({ tool, outcome }) => tool === asked && outcome !== 'failed');
    if (own.length === 0) return [];
    const counts = new Map<string, number>();
    const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
    for (const { called, outcome } of own) {
      if (called.length === 0) add(OUTCOMES[outcome].label);
      for (const name of new Set(called)) add(name);
    }
    const called = [...counts].map(([name, count]) => ({
      name,
      count,
      isTool: own.some((probe) => probe.called.includes(name)),
    }));
    return [{ asked, called: called.sort((a, b) => b.count - a.count) }];
  });
}

/** How often each argument of a tool was wrong, and how. The most frequent first. Pure. */
export function argumentProblems(
  probes: ToolCheck['probes'],
  tool: string,
): { name: string; problem: string; count: number }[] {
  const counts = new Map<string, { name: string; problem: string; count: number }>();
  for (const { name, problem } of probes
    .filter((probe) => probe.tool === tool)
    .flatMap((probe) => probe.arguments)) {
    const key = `${problem} ${name}`;
    const found = counts.get(key) ?? { name, problem: ARGUMENT_PROBLEMS[problem], count: 0 };
    counts.set(key, { ...found, count: found.count + 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

/** The formats of the calls of a check, in one line. */
export function layerWords({ calls, layers }: ToolCheck['measured']): string {
  if (calls === 0) return 'No calls found.';
  const parts = Object.entries(layers).flatMap(([layer, count]) =>
    count > 0 ? `${count} ${formatName(layer)}` : [],
  );
  return `Call formats: ${parts.join(', ')}.`;
}
