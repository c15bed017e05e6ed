import { expect, it, vi } from 'vitest';
import { ExperimentLeases } from './experiment-leases.ts';

it('closes although the database does not answer: the leases expire', async () => {
  const warnings = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const asked: string[] = [];
  const leases = new ExperimentLeases(
    {
      leaseMs: 30_000,
      holdExperiment: async () => true,
      keepExperiment: async () => true,
      releaseExperiment: async (id) => {
        asked.push(id);
        throw new Error('The database does not answer.');
      },
    },
    'worker',
  );
  await leases.hold('a');
  await leases.hold('b');
  await leases.close();
  expect(asked).toEqual(['a', 'b']);
  expect(warnings.mock.calls).toHaveLength(2);
  warnings.mockRestore();
});
