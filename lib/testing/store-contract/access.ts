import { beforeEach, describe, expect, it } from 'vitest';
import type { SignInRecord } from '../../api/sign-in.ts';
import type { Store } from '../../store/store.ts';
import { appendTo } from '../append-to.ts';
import { approvalLog, sampleConfig, sampleFork } from '../sample-logs.ts';
import { config, share } from './samples.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** @param subject the store of the current test */
export function describeAccess(subject: () => StoreUnderTest): void {
  describe('links, sign-ins and standing approvals', () => {
    let store: Store;

    beforeEach(() => {
      store = subject().store;
    });

    it('keeps links by the hash of their token, counts their views and revokes each once', async () => {
      await store.create({ id: 'run', config });
      const first = share('a1', 'run', { until_seq: 1 });
      const second = share('a2', 'run', { created_at: 6, scope: 'summary', show: [] });
      await store.addShare(first);
      await store.addShare(second);
      expect(await store.shares()).toEqual([second, first]);
      expect(await store.shareByHash(first.token_hash)).toEqual(first);
      expect(await store.shareByHash('f'.repeat(64))).toBeUndefined();

      await store.countShareView('a1', 70);
      await store.countShareView('a1', 80);
      expect(await store.revokeShare('a1', 90)).toBe(true);
      expect(await store.revokeShare('a1', 95)).toBe(true);
      expect(await store.revokeShare('nobody', 95)).toBe(false);
      store = await subject().reopen();
      expect(await store.shareByHash(first.token_hash)).toEqual({
        ...first,
        ...{ views: 2, last_viewed_at: 80, revoked_at: 90 },
      });
      expect(await store.shareByHash(second.token_hash)).toEqual(second);
    });

    it('makes no link to a run that is not there', async () => {
      await expect(store.addShare(share('a1', 'nobody'))).rejects.toMatchObject({ code: 'run_not_found' });
      expect(await store.shares()).toEqual([]);
    });

    const signIn = (id: string, at: number): SignInRecord => ({
      ...{ id, cookie_hash: id.padStart(64, '0'), key_hash: id.padStart(64, 'f') },
      ...{ label: 'Firefox on Linux', created_at: at, last_seen_at: at },
    });

    it('keeps sign-ins by the hash of their cookie until they are deleted', async () => {
      const [first, second, third] = [signIn('a1', 1), signIn('a2', 2), signIn('a3', 3)];
      for (const one of [first, second, third]) await store.addSignIn(one, 10);
      await store.touchSignIn('a1', 9);
      await store.touchSignIn('none', 9);
      store = await subject().reopen();
      expect(await store.signIns()).toEqual([{ ...first, last_seen_at: 9 }, third, second]);
      expect(await store.signInByHash(second.cookie_hash)).toEqual(second);
      expect(await store.signInByHash('f'.repeat(64))).toBeUndefined();

      expect(await store.deleteSignIns(['a2', 'none'])).toEqual(['a2']);
      expect(await store.signInByHash(second.cookie_hash)).toBeUndefined();
      expect((await store.deleteSignIns()).toSorted()).toEqual(['a1', 'a3']);
      expect(await store.signIns()).toEqual([]);
    });

    it('keeps no more sign-ins than the limit, those seen last', async () => {
      await store.addSignIn(signIn('a1', 1), 2);
      await store.addSignIn(signIn('a2', 2), 2);
      await store.touchSignIn('a1', 3);
      await store.addSignIn(signIn('a3', 4), 2);
      expect((await store.signIns()).map(({ id }) => id)).toEqual(['a3', 'a1']);
    });

    it('keeps an approval for a tool and folder with its decision, until it is revoked', async () => {
      const approve = async (id: string, scope: 'run' | 'tool_and_folder' | undefined) => {
        const { events } = approvalLog({ runId: id });
        const asked = events.findIndex(({ type }) => type === 'approval.requested');
        const requested = events[asked];
        if (requested?.type !== 'approval.requested') throw new Error('nothing was asked');
        const config = sampleConfig({ workspace: '/home/u/project' });
        await store.create({ id, config });
        const { epoch } = await store.claim(id, 'w');
        const { call_id, tool } = requested;
        const decided = {
          type: 'approval.decided',
          call_id,
          tool,
          decision: 'approved',
          by: 'operator',
        } as const;
        const added = [...events.slice(1, asked + 1), { ...decided, scope }];
        const placed = await appendTo(store, id, { epoch, expectedSeq: 1, events: added });
        return { id, config, epoch, tool, last: placed.at(-1) };
      };
      await approve('once', undefined);
      await approve('run', 'run');
      expect(await store.standingApprovals()).toEqual([]);
      const { tool, config } = await approve('first', 'tool_and_folder');
      const { last } = await approve('second', 'tool_and_folder');
      store = await subject().reopen();
      const kept = {
        ...{ id: `second-${last?.seq}`, tool, folder: '/home/u/project' },
        ...{ run_id: 'second', seq: last?.seq, created_at: last?.at },
      };
      expect(await store.standingApprovals()).toEqual([kept]);
      expect(await store.standingApproval(tool, '/home/u/project')).toEqual(kept);
      expect(await store.standingApproval(tool, '/home/u')).toBeUndefined();
      expect(await store.standingApproval('other', '/home/u/project')).toBeUndefined();

      expect(await store.revokeStandingApprovals(['none', kept.id])).toEqual([kept.id]);
      expect(await store.standingApproval(tool, '/home/u/project')).toBeUndefined();
      // A copied decision approves nothing.
      const parent = { run_id: 'first', seq: last?.seq ?? 0 };
      await store.fork({ id: 'fork', config, parent, events: [sampleFork(parent)] });
      expect(await store.standingApprovals()).toEqual([]);
      await approve('third', 'tool_and_folder');
      expect(await store.revokeStandingApprovals()).toHaveLength(1);
      expect(await store.standingApprovals()).toEqual([]);
    });
  });
}
