'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, getJson } from '#lib/browser/api.ts';

export interface ApiState<Reply> {
  data: Reply | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload: () => void;
}

/**
 * Reads a reply of our server and keeps it fresh.
 *
 * @param path `undefined` reads nothing
 * @param refreshMs reads again after this time while the page is visible; the last good reply stays on an error
 */
export function useApi<Reply>(path: string | undefined, refreshMs?: number): ApiState<Reply> {
  const [state, setState] = useState<{ data?: Reply; error?: ApiError; loading: boolean }>({ loading: true });
  const [round, setRound] = useState(0);
  const lastText = useRef('');

  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      try {
        const data = await getJson<Reply>(path, abort.signal);
        const text = JSON.stringify(data);
        // An equal reply keeps its identity: nothing is drawn again.
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
        const error =
          cause instanceof ApiError
            ? cause
            : new ApiError({ code: 'unexpected', message: String(cause), status: 0, cause });
        setState((before) => ({ data: before.data, error, loading: false }));
      }
      if (refreshMs !== undefined) timer = setTimeout(next, refreshMs);
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
  }, [path, refreshMs, round]);

  const reload = useCallback(() => setRound((value) => value + 1), []);
  return { data: state.data, error: state.error, loading: state.loading, reload };
}
