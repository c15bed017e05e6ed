'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApiError, getJson, toApiError } from '#lib/browser/api.ts';

export interface ApiState<Reply> {
  data: Reply | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload: () => void;
}

/**
 * Fetches a reply of Loupe's server and refreshes it.
 *
 * @param path `undefined` reads nothing
 * @param refresh reads again after this time, in milliseconds, while the page is visible; or says after how long by the
 * last good reply, which stays on an error. `undefined` reads no more
 */
export function useApi<Reply>(
  path: string | undefined,
  refresh?: number | ((last: Reply | undefined) => number | undefined),
): ApiState<Reply> {
  const [state, setState] = useState<{ data?: Reply; error?: ApiError; loading: boolean }>({ loading: true });
  const [round, setRound] = useState(0);
  const lastText = useRef('');
  const last = useRef<Reply>(undefined);
  const after = useRef(refresh);
  after.current = refresh;

  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        const data = await getJson<Reply>(path, abort.signal);
        last.current = data;
        const text = JSON.stringify(data);
        // Keep the object if the reply is equal, so that nothing renders again.
        if (text !== lastText.current || round > 0) {
          lastText.current = text;
          setState({ data, loading: false });
        } else {
          setState((before) =>
            before.error || before.loading ? { data: before.data, loading: false } : before,
          );
        }
      } catch (cause) {
        if (abort.signal.aborted) return;
        const error = toApiError(cause);
        setState((before) => ({ data: before.data, error, loading: false }));
      }
      const ms = typeof after.current === 'function' ? after.current(last.current) : after.current;
      if (ms !== undefined) timer = setTimeout(next, ms);
    };
    const next = () => {
      if (document.visibilityState === 'visible') void read();
      else document.addEventListener('visibilitychange', next, { once: true });
    };
    void read();
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', next);
    };
  }, [path, round]);

  const reload = useCallback(() => setRound((value) => value + 1), []);
  return { data: state.data, error: state.error, loading: state.loading, reload };
}
