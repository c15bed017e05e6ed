import { describe, expect, it, vi } from 'vitest';
import { SIGN_IN_MS } from '../api/sign-in.ts';
import { AppError } from '../errors/app-error.ts';
import { StorageFullError } from '../store/store-errors.ts';
import { SignIns } from './sign-ins.ts';
import { testStore } from './test-store.ts';

const token = 'operator-token';
const label = 'Firefox on Linux';

function open(store = testStore()) {
  const clock = { now: 1000 };
  return { clock, store, signIns: new SignIns({ store, token, now: () => clock.now }) };
}

async function idOf(signIns: SignIns, { cookie, key }: { cookie: string; key: string }) {
  return (await signIns.find(cookie, key))?.id ?? '';
}

it('stores neither of the two secrets', async () => {
  const { signIns, store } = open();
  const { cookie, key } = await signIns.add({ label });
  const stored = JSON.stringify([...store.records.values()]);
  expect(stored).toContain(label);
  expect(stored).not.toContain(cookie);
  expect(stored).not.toContain(key);
});

it('ends a sign-in after 30 days, and deletes it with the next one', async () => {
  const { signIns, store, clock } = open();
  const first = await signIns.add({ label });
  clock.now += SIGN_IN_MS - 1;
  expect(await signIns.find(first.cookie, first.key)).toMatchObject({ hasKey: true });
  clock.now += 1;
  expect(await signIns.find(first.cookie, first.key)).toBeUndefined();
  expect(await signIns.list(undefined)).toEqual([]);
  await signIns.add({ label });
  expect(store.records.size).toBe(1);
});

it('stores when a browser was last seen at most once a minute', async () => {
  const { signIns, store, clock } = open();
  const id = await idOf(signIns, await signIns.add({ label }));
  const touch = vi.spyOn(store, 'touchSignIn');
  for (const at of [1000, 2000, 60_999, 61_000, 61_001]) {
    clock.now = at;
    signIns.seen(id);
  }
  expect(touch.mock.calls).toEqual([
    [id, 1000],
    [id, 61_000],
  ]);
  expect(await signIns.list(id)).toEqual([
    { id, label, created_at: 1000, last_seen_at: 61_000, expires_at: 1000 + SIGN_IN_MS, current: true },
  ]);
});

it('signs in on a full disk, until the server stops', async () => {
  const { signIns, store } = open();
  store.addSignIn = async () => {
    throw new StorageFullError('/data/loupe.db');
  };
  const secrets = await signIns.add({ label });
  const id = await idOf(signIns, secrets);
  expect((await signIns.list(id)).map((one) => one.id)).toEqual([id]);
  expect(await signIns.signOut([id])).toEqual([id]);
  expect(await signIns.find(secrets.cookie, secrets.key)).toBeUndefined();
});

it('rejects a browser within two seconds after another process signed it out', async () => {
  const { signIns, store, clock } = open();
  const { cookie, key } = await signIns.add({ label });
  const id = await idOf(signIns, { cookie, key });
  await open(store).signIns.signOut([id]);
  clock.now += 2000;
  expect(await signIns.find(cookie, key)).toBeUndefined();
});

it('still accepts a known browser while the store is unavailable, unless it was signed out', async () => {
  const { signIns, store, clock } = open();
  const [first, second] = [await signIns.add({ label }), await signIns.add({ label })];
  const id = await idOf(signIns, first);
  store.signInByHash = async () => {
    throw new AppError({ code: 'store_busy', message: 'The database does not answer.' });
  };
  clock.now += 60_000;
  expect(await signIns.find(first.cookie, first.key)).toEqual({ id, hasKey: true });
  expect(await signIns.find(first.cookie, second.key)).toEqual({ id, hasKey: false });
  await expect(signIns.find(second.cookie, second.key)).rejects.toThrow('does not answer');
  await signIns.signOut([id]);
  await expect(signIns.find(first.cookie, first.key)).rejects.toThrow('does not answer');
});

it('rejects a browser that is signed out during the lookup', async () => {
  const { signIns, store } = open();
  const { cookie, key } = await signIns.add({ label });
  const { signInByHash } = store;
  store.signInByHash = async (hash) => {
    store.signInByHash = signInByHash;
    const record = await signInByHash(hash);
    await signIns.signOut();
    return record;
  };
  expect(await signIns.find(cookie, key)).toBeUndefined();
});

describe('the streams of a browser', () => {
  it('end when it is signed out, and only then', async () => {
    const { signIns } = open();
    const [first, second] = [await signIns.add({ label }), await signIns.add({ label })];
    const id = await idOf(signIns, first);
    const own = signIns.watch(id);
    const other = signIns.watch(await idOf(signIns, second));
    expect(await signIns.signOut([id])).toEqual([id]);
    expect([own.signal.aborted, other.signal.aborted]).toEqual([true, false]);
    await signIns.signOut();
    expect(other.signal.aborted).toBe(true);
    own.release();
    other.release();
  });

  it('end when another process has signed it out', async () => {
    const { signIns, store } = open();
    const id = await idOf(signIns, await signIns.add({ label }));
    const { signal, release } = signIns.watch(id);
    await signIns.check();
    expect(signal.aborted).toBe(false);
    await open(store).signIns.signOut([id]);
    await signIns.check();
    expect(signal.aborted).toBe(true);
    release();
  });

  it('end when it signs in again', async () => {
    const { signIns } = open();
    const first = await signIns.add({ label });
    const { signal, release } = signIns.watch(await idOf(signIns, first));
    await signIns.add({ label, replaces: first.cookie });
    expect(signal.aborted).toBe(true);
    release();
  });
});
