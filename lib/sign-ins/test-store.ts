import type { SignInRecord } from '../api/sign-in.ts';

/** Stores sign-ins in memory. */
export function testStore() {
  const records = new Map<string, SignInRecord>();
  return {
    records,
    signIns: async () => [...records.values()],
    signInByHash: async (hash: string) => [...records.values()].find((one) => one.cookie_hash === hash),
    async addSignIn(signIn: SignInRecord) {
      records.set(signIn.id, signIn);
    },
    async touchSignIn(id: string, at: number) {
      const known = records.get(id);
      if (known) records.set(id, { ...known, last_seen_at: at });
    },
    deleteSignIns: async (ids: readonly string[] = [...records.keys()]) =>
      ids.filter((id) => records.delete(id)),
  };
}
