import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sampleCreatedLine } from '../testing/sample-rating.ts';
import { canMountDisks, mountSmallDisk } from '../testing/small-disk.ts';
import { RatingLog } from './rating-log.ts';

const score = (run_id: string) => ({
  type: 'rated' as const,
  rater: 'Ada',
  run_id,
  scores: { plain: 3 },
  at: 7,
});

it.skipIf(!canMountDisks)(
  'says that a disk is full, and keeps every line before and after that',
  async () => {
    const disk = await mountSmallDisk({ megabytes: 1 });
    const folder = join(disk.outside, 'ratings');
    const log = new RatingLog(folder);
    try {
      await log.create(sampleCreatedLine('first'));
      disk.fill();
      const long = 'x'.repeat(100_000);
      await expect(log.append('s', score(long))).rejects.toMatchObject({
        code: 'storage_full',
        message: expect.stringContaining(folder),
      });
      disk.empty();
      await log.append('s', score('after'));
      const { lines } = await log.read('s');
      expect(lines.map(({ type }) => type)).toEqual(['created', 'rated']);
      expect(lines[1]).toMatchObject({ run_id: 'after' });
      disk.fill();
      await log.delete('s', { marked: true });
      expect(await log.read('s')).toEqual({ lines: [], size: 0 });
      expect(await log.create(sampleCreatedLine('second'))).toBe('deleted');
    } finally {
      await disk.dispose();
    }
  },
);
