import type { Cut, ShownEvent, TimelineRow } from '../../events/timeline.ts';
import { memoized } from '../../util/memoized.ts';
import { plainWord } from '../../util/search-words.ts';

/** All text of a row, without case and accents. Rows keep their identity until they change, so each is read once. */
export const textOf = memoized((row: TimelineRow) => plainWord(collect(row).join('\n')));

function collect(row: TimelineRow): string[] {
  switch (row.kind) {
    case 'created':
      return strings([row.event.config.task, row.event.config.model, row.event.config.workspace]);
    case 'preparation':
      return strings([row.preflight?.server_version, row.worker]);
    case 'attempt':
      return row.event.messages.map((message) => message.content);
    case 'iteration':
      return [`iteration ${row.iteration}`, row.handsOver ? 'summary' : `turn ${row.step}`];
    case 'call':
      return strings([
        row.ended?.message.content,
        row.parsed?.thinking ?? row.ended?.message.thinking,
        row.failed?.error.message,
        row.failed?.raw,
      ]);
    case 'tool':
      return [row.name, ...strings([row.arguments, row.forked?.arguments, row.result?.output])];
    case 'server-wait':
      return strings(row.started.error);
    default:
      return strings('event' in row ? row.event : (row.checked ?? row.started));
  }
}

/** A truncated text of a row, and the event that has it in full. */
type CutText = Cut & { readonly seq: number };

/** The texts of a row that arrived truncated, as far as they are searched. */
export const cutsOf = memoized((row: TimelineRow): readonly CutText[] => {
  switch (row.kind) {
    case 'tool':
      return [
        ...row.argumentsCuts.flatMap((cut) =>
          cut.path.startsWith(`${row.argumentsPath}.`) ? [{ seq: row.seq, ...cut }] : [],
        ),
        ...row.resultCuts.map((cut) => ({ seq: row.resultSeq ?? row.seq, ...cut })),
      ];
    case 'call':
      return [row.ended, row.parsed, row.failed]
        .flatMap(eventCuts)
        .filter(({ path }) => /^(message\.content|(message\.)?thinking|error\.message|raw)$/.test(path));
    default:
      return Object.values(row).flatMap(eventCuts);
  }
});

function eventCuts(event: unknown): CutText[] {
  const { seq, cuts } = (event ?? {}) as Partial<ShownEvent>;
  return seq === undefined || !cuts ? [] : cuts.map((cut) => ({ seq, ...cut }));
}

/** All texts inside a value, at any depth. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

/** The words of a query, without case and accents. A word may be any part of a text; text in "quotes" is one word. */
export function queryWords(query: string): string[] {
  const pieces = plainWord(query).matchAll(/"([^"]*)"?|[^\s"]+/g);
  return [...pieces].map(([piece, quoted]) => (quoted ?? piece).trim()).filter(Boolean);
}

/** Indexes of the rows that contain all words of a query, in order; none for a query without words. */
export function searchRows(rows: readonly TimelineRow[], words: readonly string[]): number[] {
  if (words.length === 0) return [];
  return rows.flatMap((row, index) => {
    const text = textOf(row);
    return words.every((word) => text.includes(word)) ? [index] : [];
  });
}
