import { SignIns } from '../sign-ins/sign-ins.ts';
import { testStore } from '../sign-ins/test-store.ts';
import { Gate } from './gate.ts';

/** A gate that stores sign-ins in memory. */
export function testGate({
  token,
  port,
  store = testStore(),
  now = () => 0,
}: {
  token: string;
  port: number | undefined;
  store?: ReturnType<typeof testStore>;
  now?: () => number;
}): Gate {
  return new Gate({ token, signIns: new SignIns({ store, token, now }), hostnames: [], port, now });
}
