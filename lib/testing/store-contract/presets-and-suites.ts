import { beforeEach, describe, expect, it } from 'vitest';
import type { PresetRecord } from '../../api/preset.ts';
import type { SuiteCase, SuiteRecord } from '../../api/suite.ts';
import { MAX_SUITE_VERSIONS } from '../../events/limits.ts';
import type { Store } from '../../store/store.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describePresetsAndSuites(subject: () => StoreUnderTest): void {
  describe('presets and suites', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    it('keeps presets under names that no two of them share, until they are deleted', async () => {
      const preset = {
        id: 'p1',
        name: 'Wöchentlicher Bericht',
        run: { mode: 'task', task: 'Summarise {file}\u0000', budget: { max_seconds: 60 } },
        created_at: 1,
        updated_at: 1,
      } satisfies PresetRecord;
      expect(await store.createPreset(preset)).toBe(true);
      const other = { ...preset, id: 'p2', name: 'Other', created_at: 2 };
      expect(await store.createPreset({ ...other, name: 'WÖCHENTLICHER bericht' })).toBe(false);
      expect(await store.createPreset(other)).toBe(true);
      store = await subject().reopen();
      expect(await store.presets()).toEqual([preset, other]);
      expect(await store.updatePreset('p2', { name: 'wöchentlicher Bericht', updated_at: 3 })).toBe(
        'name_taken',
      );
      const renamed = { ...other, name: 'OTHER', updated_at: 3 };
      expect(await store.updatePreset('p2', { name: 'OTHER', updated_at: 3 })).toEqual(renamed);
      const changed = { name: 'OTHER', run: {}, updated_at: 4 };
      expect(await store.updatePreset('p2', changed)).toEqual({ ...renamed, ...changed });
      expect(await store.presets()).toEqual([preset, { ...renamed, ...changed }]);
      expect([await store.deletePreset('p1'), await store.deletePreset('p1')]).toEqual([true, false]);
      expect(await store.updatePreset('p1', changed)).toBe('missing');
      expect(await store.presets(), 'it is not restored').toEqual([{ ...renamed, ...changed }]);
      expect(await store.updatePreset('p2', { name: preset.name, updated_at: 5 })).toMatchObject({
        name: preset.name,
      });
    });

    it('keeps suites with their versions under names that no two of them share', async () => {
      const cases = (input: string): SuiteCase[] => [{ id: 'a', input, files: { 'a.txt': 'x\u0000' } }];
      const suite: SuiteRecord = {
        ...{ id: 's1', name: 'Grundlagen Ä', description: '', hash: 'h1', cases: 1 },
        ...{ created_at: 1, updated_at: 1 },
      };
      expect(await store.saveSuite(suite, { cases: cases('one') })).toBe('saved');
      const other = { ...suite, id: 's2', name: 'Other', created_at: 2 };
      const namesake = { ...other, name: 'GRUNDLAGEN ä' };
      expect(await store.saveSuite(namesake, { cases: cases('one') })).toBe('name_taken');
      expect(await store.suite('s2')).toBeUndefined();
      expect(await store.saveSuite(other, { cases: cases('one') })).toBe('saved');

      const second = { ...suite, description: 'New', hash: 'h2', updated_at: 5 };
      const outdated = { cases: cases('two'), base: 'h0' };
      expect(await store.saveSuite(second, outdated)).toBe('changed');
      expect(await store.saveSuite({ ...second, name: other.name }, outdated)).toBe('changed');
      const current = { cases: cases('two'), base: 'h1' };
      expect(await store.saveSuite({ ...second, name: other.name }, current)).toBe('name_taken');
      expect(await store.saveSuite(second, current)).toBe('saved');
      // A write whose answer was lost is tried again.
      expect(await store.saveSuite(second, current)).toBe('saved');
      store = await subject().reopen();
      expect(await store.suites()).toEqual([second, other]);
      expect(await store.suiteVersions('s1')).toEqual([
        { hash: 'h2', cases: 1, created_at: 5 },
        { hash: 'h1', cases: 1, created_at: 1 },
      ]);
      expect(await store.suiteCases('s1', 'h1')).toEqual(cases('one'));
      expect(await store.suiteCases('s1', 'h2')).toEqual(cases('two'));
      expect(await store.suiteCases('s1', 'h3')).toBeUndefined();

      expect([await store.deleteSuite('s1'), await store.deleteSuite('s1')]).toEqual([true, false]);
      expect(await store.suiteVersions('s1')).toEqual([]);
      expect(await store.saveSuite(second, { cases: cases('two'), base: 'h2' })).toBe('changed');
    });

    it('keeps the newest versions of a suite, and the current one among them', async () => {
      const suite = (updated_at: number, hash = `h${updated_at}`): SuiteRecord => ({
        ...{ id: 's1', name: 'Many', description: '', cases: 1, created_at: 1 },
        ...{ hash, updated_at },
      });
      const cases = [{ id: 'a', input: 'x' }];
      const last = MAX_SUITE_VERSIONS + 2;
      for (let at = 1; at <= last; at += 1) await store.saveSuite(suite(at), { cases });
      const hashes = async () => (await store.suiteVersions('s1')).map(({ hash }) => hash);
      const kept = Array.from({ length: MAX_SUITE_VERSIONS }, (_, index) => `h${last - index}`);
      expect(await hashes()).toEqual(kept);
      await store.saveSuite(suite(last + 1, 'h3'), { cases });
      expect(await hashes()).toEqual(['h3', ...kept.slice(0, -1)]);
    });
  });
}
