import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sampleCreatedLine } from '../testing/sample-rating.ts';
import { RatingLog } from './rating-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loupe-rating-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('lets the first whole line create a study, of however many requests', async () => {
  const logs = Array.from({ length: 8 }, () => new RatingLog(folder));
  const made = await Promise.all(logs.map((log, index) => log.create(sampleCreatedLine(String(index)))));
  expect(made.filter((each) => typeof each !== 'string')).toHaveLength(1);
  const { lines } = await new RatingLog(folder).read('s');
  const winner = made.findIndex((each) => typeof each !== 'string');
  expect(lines[0]).toMatchObject({ study: { name: String(winner) } });
});

it('creates a study after a truncated line, and after one that another process left incomplete', async () => {
  const torn = '{"type":"crea{"type":"created"}\n{"type":"running","on":true}\n';
  for (const before of ['{"type":"crea', torn]) {
    writeFileSync(join(folder, 's.jsonl'), before);
    const log = new RatingLog(folder);
    const size = expect.any(Number);
    expect(await log.create(sampleCreatedLine('mine'))).toEqual({ size });
    expect(await log.create(sampleCreatedLine('other'))).toBe('exists');
    expect((await log.read('s')).lines).toEqual([sampleCreatedLine('mine')]);
    expect((await log.sizes()).get('s')).toBe(readFileSync(join(folder, 's.jsonl')).length);
  }
});

it('does not create a study again that is deleted at the same moment', async () => {
  const log = new RatingLog(folder);
  await log.create(sampleCreatedLine('first'));
  // The second request finds no file and no mark; then the deletion comes.
  const asked = vi.spyOn(log, 'isDeleted').mockResolvedValueOnce(false);
  await log.delete('s', { marked: true });
  expect(await log.create(sampleCreatedLine('second'))).toBe('deleted');
  expect(asked).toHaveBeenCalledTimes(2);
  expect(readdirSync(folder)).toEqual(['s.deleted']);
  await log.create({
    ...sampleCreatedLine('other'),
    study: { ...sampleCreatedLine('other').study, id: 'other' },
  });
  await log.delete('other', { marked: false });
  expect(readdirSync(folder)).toEqual(['s.deleted']);
});
