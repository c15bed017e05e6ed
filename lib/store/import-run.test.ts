import { expect, it } from 'vitest';
import { longLog, sampleFile } from '../testing/sample-logs.ts';
import type { EventRow } from './event-row.ts';
import { type ImportSteps, importInSlices, SLICE_ROWS, slicesOf, toEventRow } from './import-run.ts';

/** Records its calls, and fails where configured. */
function recorder({ failAt }: { failAt?: number } = {}) {
  const asked: string[] = [];
  const slices: (readonly EventRow[])[] = [];
  const steps: ImportSteps = {
    async beginImport() {
      asked.push('begin');
      return true;
    },
    async addToImport(_, rows) {
      if (slices.length === failAt) throw new Error('no room');
      asked.push('add');
      slices.push(rows);
    },
    async publishImport() {
      asked.push('publish');
    },
    async dropImport() {
      asked.push('drop');
    },
  };
  return { steps, asked, slices };
}

it('hands over a bounded number of rows at a time, in order, and publishes them last', async () => {
  const file = sampleFile(longLog(1050));
  const { steps, asked, slices } = recorder();
  expect(await importInSlices(steps, file, async () => undefined)).toEqual({
    runId: 'sample',
    created: true,
  });
  expect(Math.max(...slices.map((rows) => rows.length))).toBeLessThanOrEqual(SLICE_ROWS);
  expect(slices.flat().map(({ seq }) => seq)).toEqual(file.events.map(({ seq }) => seq));
  expect(asked).toEqual(['begin', ...slices.map(() => 'add'), 'publish']);
});

it('hands over a bounded number of characters at a time', async () => {
  const rows = longLog(60).events.map(toEventRow);
  const long = rows.map((row) => (row.seq % 3 === 0 ? { ...row, body: 'x'.repeat(100_000) } : row));
  const slices = [...slicesOf(long)];
  const chars = slices.map((rows) => rows.reduce((sum, { body }) => sum + body.length, 0));
  expect(Math.max(...chars)).toBeLessThan(300_000);
  expect(slices.flat()).toEqual(long);
});

it('drops what it handed over when a slice fails', async () => {
  const { steps, asked } = recorder({ failAt: 3 });
  await expect(importInSlices(steps, sampleFile(longLog(1000)), async () => undefined)).rejects.toThrow(
    'no room',
  );
  expect(asked).toEqual(['begin', 'add', 'add', 'add', 'drop']);
});
