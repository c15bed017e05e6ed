'use client';

import { useEffect } from 'react';
import { watchRuns, whenBack } from '#lib/browser/stream/hub-client.ts';

/**
 * Calls back as soon as the server becomes unreachable, and when it is back.
 *
 * @param signedIn without it there is no stream to listen to
 */
export function useServerWatch(signedIn: boolean, changed: () => void): void {
  useEffect(() => {
    if (!signedIn) return;
    const back = whenBack(changed);
    return watchRuns({
      runs: () => undefined,
      signal: (signal) => {
        if (signal.type === 'lost') changed();
        back(signal);
      },
    });
  }, [signedIn, changed]);
}
