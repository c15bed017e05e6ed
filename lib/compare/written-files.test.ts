import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventText, fileChanges } from '../events/file-changes.ts';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import type { RunEvent } from '../events/registry.ts';
import {
  approvalLog,
  choiceEvents,
  completedLog,
  longLog,
  runningLog,
  verifiedLog,
} from '../testing/sample-logs.ts';
import { WrittenFileReader } from './written-files.ts';

function writtenFiles(events: readonly RunEvent[]) {
  const reader = new WrittenFileReader();
  for (const event of events) reader.take(event);
  return reader.result();
}

const place = ({ seq, path, text }: EventText) => ({ seq, path, chars: text.length });

function expectSameChanges(events: readonly RunEvent[]) {
  const { files } = writtenFiles(events);
  const changes = fileChanges(foldTimeline(emptyTimeline, events).rows);
  expect(files.map(({ digest: _, ...file }) => file)).toEqual(
    changes.map(({ path, before, after, rows }) => ({
      path,
      calls: rows.length,
      before: before.kind === 'text' ? { kind: 'text', ...place(before) } : before,
      after: place(after),
    })),
  );
}

describe('the files that a run changed', () => {
  it('equal those of its whole timeline, at any point of the log', () => {
    for (const { events } of [completedLog(), approvalLog(), runningLog(), verifiedLog(), longLog(500)]) {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: events.length }), (length) =>
          expectSameChanges(events.slice(0, length)),
        ),
        { numRuns: 20 },
      );
    }
    fc.assert(
      fc.property(fc.array(fc.nat(4), { maxLength: 8 }), (made) => expectSameChanges(choiceEvents(made))),
    );
  });

  it('have equal digests if their content is the same', () => {
    const written = (content: string, path = 'a.md') =>
      writtenFiles(
        completedLog().events.map((event) =>
          event.type === 'reply.parsed'
            ? {
                ...event,
                calls: event.calls.map((call) =>
                  call.name === 'write_file' ? { ...call, arguments: { path, content } } : call,
                ),
              }
            : event,
        ),
      ).files[0];
    expect(written('one')).toMatchObject({ calls: 1, after: { chars: 3 } });
    expect(written('one')?.digest).toBe(written('one')?.digest);
    expect(written('one')?.digest).not.toBe(written('two')?.digest);
  });
});
