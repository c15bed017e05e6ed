import type { TimelineRow } from '../../events/timeline.ts';

/** The kinds of rows that a reader can choose among. */
export const ROW_KINDS = ['talk', 'model', 'tools', 'harness'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

export const ROW_KIND_WORDS: Record<RowKind, { label: string; title: string }> = {
  talk: { label: 'Messages', title: 'Prompts, answers and messages' },
  model: { label: 'Model calls', title: 'Every request to the model' },
  tools: { label: 'Tools', title: 'Tool calls and what they changed' },
  harness: { label: 'Loupe', title: 'Preparation, guards, checks and interruptions' },
};

/** Which rows of a run are shown. */
export interface RowFilter {
  /** Empty: all kinds. */
  readonly kinds: readonly RowKind[];
  /** Only failures, refusals, discarded replies and warnings. */
  readonly failed: boolean;
  /** Only the calls of this tool. */
  readonly tool: string | undefined;
}

export const ALL_ROWS: RowFilter = { kinds: [], failed: false, tool: undefined };

export function isAllRows({ kinds, failed, tool }: RowFilter): boolean {
  return kinds.length === 0 && !failed && tool === undefined;
}

/** Parses the filter in a URL query and reports invalid parts: `?rows=talk,tools&failed=1&tool=read_file`. */
export function readRowFilter(query: URLSearchParams): { filter: RowFilter; problems: string[] } {
  const asked = (query.get('rows') ?? '').split(',').filter(Boolean);
  const kinds = ROW_KINDS.filter((kind) => asked.includes(kind));
  const unknown = asked.filter((name) => !ROW_KINDS.some((kind) => kind === name));
  const problems = unknown.map(
    (name) => `rows contains "${name.slice(0, 40)}"; it must be one of ${ROW_KINDS.join(', ')}.`,
  );
  const failed = query.get('failed');
  if (failed !== null && failed !== '1') problems.push(`failed is "${failed.slice(0, 40)}"; it must be 1.`);
  return {
    filter: { kinds, failed: failed === '1', tool: query.get('tool')?.slice(0, 200) || undefined },
    problems,
  };
}

/** Writes a filter into a query; parameters of other names stay. */
export function writeRowFilter(query: URLSearchParams, { kinds, failed, tool }: RowFilter): URLSearchParams {
  const written = new URLSearchParams(query);
  const put = (name: string, value: string | undefined) => {
    if (value) written.set(name, value);
    else written.delete(name);
  };
  put('rows', kinds.join(','));
  put('failed', failed ? '1' : undefined);
  put('tool', tool);
  return written;
}

/**
 * The rows that pass, in their order. The heading of an iteration is kept as long as a row under it is, for
 * orientation. Returns the same list if everything passes.
 */
export function filterRows(rows: readonly TimelineRow[], filter: RowFilter): readonly TimelineRow[] {
  if (isAllRows(filter)) return rows;
  const shown: TimelineRow[] = [];
  let heading: TimelineRow | undefined;
  for (const row of rows) {
    if (row.kind === 'iteration') heading = row;
    else if (passes(row, filter)) {
      if (heading && heading.iteration === row.iteration && heading.attempt === row.attempt)
        shown.push(heading);
      heading = undefined;
      shown.push(row);
    }
  }
  return shown;
}

function passes(row: TimelineRow, { kinds, failed, tool }: RowFilter): boolean {
  if (tool !== undefined && (row.kind !== 'tool' || row.name !== tool)) return false;
  if (failed && !isTrouble(row)) return false;
  return kinds.length === 0 || kinds.some((kind) => isOfKind(row, kind));
}

function isOfKind(row: TimelineRow, kind: RowKind): boolean {
  switch (row.kind) {
    case 'created':
    case 'end':
      return kind === 'talk';
    case 'call':
      return kind === 'model' || (kind === 'talk' && says(row));
    case 'tool':
      return kind === 'tools';
    case 'note':
      return kind === noteKind(row.event.type);
    default:
      return kind === 'harness';
  }
}

/** Whether a reply has text besides its calls; true for one in progress. */
function says(row: Extract<TimelineRow, { kind: 'call' }>): boolean {
  if (row.status === 'open') return true;
  return (row.parsed?.text ?? row.ended?.message.content ?? '').trim() !== '';
}

function noteKind(type: Extract<TimelineRow, { kind: 'note' }>['event']['type']): RowKind {
  switch (type) {
    case 'harness.prompted':
    case 'cycle.started':
    case 'cycle.reflected':
    case 'operator.messaged':
    case 'agent.messaged':
      return 'talk';
    case 'memory.changed':
      return 'tools';
    default:
      return 'harness';
  }
}

/** Whether a row shows a problem: `failed` for failures, `warned` for warnings and policy decisions. */
export function troubleOf(row: TimelineRow): 'failed' | 'warned' | undefined {
  switch (row.kind) {
    case 'tool':
      if (row.status === 'failed' || row.status === 'interrupted') return 'failed';
      return row.status === 'denied' ? 'warned' : undefined;
    case 'call':
      if (row.status === 'failed' || row.status === 'lost') return 'failed';
      return row.setAside || row.parsed?.malformed ? 'warned' : undefined;
    case 'policy':
      return row.event.type === 'policy.compacted' ? undefined : 'warned';
    case 'verification':
      return row.checked && row.checked.outcome !== 'pass' ? 'failed' : undefined;
    case 'server-wait':
      return row.ended?.outcome === 'gave_up' ? 'failed' : 'warned';
    case 'resumed':
      return row.event.after_wait ? undefined : 'warned';
    case 'end':
      if (row.event.result.status === 'failed') return 'failed';
      return row.event.result.status === 'partial' ? 'warned' : undefined;
    default:
      return undefined;
  }
}

function isTrouble(row: TimelineRow): boolean {
  return troubleOf(row) !== undefined;
}

/** Whether the model's text was repaired. */
export function isRepaired(row: TimelineRow): boolean {
  if (row.kind === 'tool') return row.repairs.length > 0 || row.coercions.length > 0;
  return row.kind === 'call' && (row.parsed?.repairs.length ?? 0) > 0;
}

/** The tools that were called, in the order of their first calls. */
export function toolNames(rows: readonly TimelineRow[]): string[] {
  const names = new Set<string>();
  for (const row of rows) if (row.kind === 'tool') names.add(row.name);
  return [...names];
}
