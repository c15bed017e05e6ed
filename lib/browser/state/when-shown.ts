import type { RunSource } from './run-view.ts';

/** Resolves when a run's view has this event, which may arrive after the reply to the request that caused it. */
export function whenShown({ view }: RunSource, seq: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = view.subscribe(({ run }) => {
    if (run.seq >= seq) resolve();
  });
  if (view.getState().run.seq >= seq) resolve();
  return promise.finally(end);
}
