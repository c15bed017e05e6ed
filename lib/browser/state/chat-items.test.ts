import fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyTimeline, foldTimeline } from '../../events/fold-timeline.ts';
import type { TimelineRow } from '../../events/timeline.ts';
import { completedLog, runningLog } from '../../testing/sample-logs.ts';
import { exploreLog, sessionLog, stoppedSessionLog } from '../../testing/sample-modes.ts';
import { ChatArrangement, type ChatItem, foldFigures, foldOf, type Unfolded } from './chat-items.ts';

const rowsOf = (events: Parameters<typeof foldTimeline>[1]): readonly TimelineRow[] =>
  foldTimeline(emptyTimeline, events).rows;

const chatItems = (rows: readonly TimelineRow[], unfolded: Unfolded = {}) =>
  new ChatArrangement().of(rows, unfolded);

function shape(items: readonly ChatItem[]): string[] {
  return items.map((item) => {
    if (item.kind === 'chat-text') return item.from;
    if (item.kind === 'chat-fold') return `fold of ${item.rows.map(({ kind }) => kind).join(' ')}`;
    return item.kind === 'note' ? item.event.type : item.kind;
  });
}

it('shows the texts of a session, and folds the rows between them', () => {
  expect(shape(chatItems(rowsOf(stoppedSessionLog().events)))).toMatchInlineSnapshot(`
    [
      "fold of created preparation attempt iteration call",
      "model",
      "harness.prompted",
      "fold of note iteration call",
      "model",
      "fold of tool note",
      "person",
      "fold of note iteration call",
      "model",
      "fold of tool note iteration call note",
      "harness.prompted",
      "person",
      "fold of iteration call",
      "model",
      "stop",
      "end",
    ]
  `);
});

it.each([
  [{ outcome: 'done', text: 'Summary: the beds are dry.' }, 'handover.ended', 'fold of note'],
  [{ outcome: 'failed' }, 'fold of note note'],
] as const)('shows that a summary is for a handover, and not an answer: %o', (ended, ...after) => {
  const log = sessionLog();
  log.reply({ text: 'The beds are dry.' }).push({ type: 'turn.ended', iteration: 5, outcome: 'text' });
  const { seq } = log.events.at(-1) ?? { seq: 0 };
  log.push({
    ...{ type: 'handover.started', iteration: 5, tokens: 900, limit_tokens: 1000, measured: true },
    text: 'Write a summary.',
  });
  log.iteration().callStarts().reply({ text: 'Summary: the beds are dry.' });
  log.push({ type: 'handover.ended', iteration: 6, ...ended });
  log.push({ type: 'message.awaited', iteration: 6, cause: 'text' });
  const items = chatItems(rowsOf(log.events)).filter((item) => item.seq > seq);
  expect(shape(items)).toEqual(['handover.started', 'fold of iteration call', 'model', ...after]);
});

it('the first message comes before the settings that belong to it', () => {
  const items = chatItems(rowsOf(completedLog().events));
  expect(items[0]).toMatchObject({ kind: 'chat-text', from: 'person' });
  expect(items[1]).toMatchObject({ kind: 'chat-fold' });
});

it('counts calls, failures and time of a fold', () => {
  const items = chatItems(rowsOf(completedLog().events));
  const figures = items.flatMap((item) => (item.kind === 'chat-fold' ? [foldFigures(item)] : []));
  const tools = rowsOf(completedLog().events).filter(({ kind }) => kind === 'tool');
  expect(figures.flatMap((each) => each.tools)).toHaveLength(tools.length);
  expect(figures.reduce((sum, { ms }) => sum + ms, 0)).toBeGreaterThan(0);
});

const logs = [sessionLog(), stoppedSessionLog(), completedLog(), runningLog(), exploreLog(2)];

it('every row can be reached, in the open, as a text or in a fold; unfolded, all rows are there once', () => {
  const any = fc.record({
    log: fc.constantFrom(...logs),
    cut: fc.integer({ min: 1, max: 200 }),
  });
  fc.assert(
    fc.property(any, ({ log, cut }) => {
      const rows = rowsOf(log.events.slice(0, cut));
      const folded = chatItems(rows);
      const all = Object.fromEntries(folded.map(({ key }) => [key, true]));
      const unfolded = chatItems(rows, all);
      for (const row of rows) {
        const isText = folded.some((item) => item.kind === 'chat-text' && item.row === row);
        const isOpen = folded.includes(row);
        expect(isText || isOpen || foldOf(folded, row.key) !== undefined).toBe(true);
        const isMessage = row.kind === 'note' && row.event.type === 'operator.messaged';
        expect(unfolded.filter((item) => item === row)).toHaveLength(isMessage ? 0 : 1);
      }
      const keys = unfolded.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }),
  );
});

it('a growing run is arranged the same as a whole one, and what stays the same keeps its identity', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...logs),
      fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 30 }),
      (log, steps) => {
        const arrangement = new ChatArrangement();
        const unfolded = {};
        let timeline = emptyTimeline;
        let rows: readonly TimelineRow[] = [];
        let before: readonly ChatItem[] = [];
        let at = 0;
        for (const step of [...steps, log.events.length]) {
          timeline = foldTimeline(timeline, log.events.slice(at, at + step));
          at += step;
          const items = arrangement.of(timeline.rows, unfolded);
          expect(items).toEqual(chatItems(timeline.rows));
          const grew = rows.every((row, index) => row === timeline.rows[index]);
          const stays = grew ? before.slice(0, -1).filter(({ kind }) => kind === 'chat-fold') : [];
          for (const fold of stays) expect(items).toContain(fold);
          rows = timeline.rows;
          before = items;
        }
      },
    ),
  );
});
