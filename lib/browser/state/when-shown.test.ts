import { expect, it } from 'vitest';
import { completedLog } from '../../testing/sample-logs.ts';
import { createRunStore } from './run-store.ts';
import { whenShown } from './when-shown.ts';

const { events } = completedLog();

function openStore() {
  return createRunStore(
    'sample',
    () => () => undefined,
    () => 0,
  );
}

it('waits for an event that has not been drawn yet', async () => {
  const store = openStore();
  const steps: string[] = [];
  const shown = whenShown(store, 3).then(() => steps.push('shown'));
  store.receive(events.slice(0, 2));
  store.flush();
  await Promise.resolve();
  steps.push('two events');
  store.receive(events.slice(2));
  store.flush();
  await shown;
  expect(steps).toEqual(['two events', 'shown']);
});

it('does not wait for an event that is drawn already', async () => {
  const store = openStore();
  store.receive(events);
  store.flush();
  await whenShown(store, 3);
});
