'use client';

import { type QueryFunction, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { type ApiError, getJson, toApiError } from '#lib/browser/api.ts';

export interface ApiState<Reply> {
  /** The last good reply, which stays while the next one is read and when reading it fails, unless what it shows is gone. */
  data: Reply | undefined;
  /** Why the last reading failed; stays until one succeeds. */
  error: ApiError | undefined;
  /** Whether the first reply to the current query is pending; `data` may be that of the previous query. */
  pending: boolean;
  /** Whether `data` was read since the component was mounted, not for another part of the page before. */
  fresh: boolean;
  /** Resolves when it was read again, or could not be. */
  reload: () => Promise<void>;
}

/** Whether the first reply, or why there is none, can be shown. */
export function isSettled({ data, error }: ApiState<unknown>): boolean {
  return data !== undefined || error !== undefined;
}

/** How to read a reply that more than one component may show. */
interface Reading<Reply> {
  /** Equal keys share a reply. */
  key: readonly unknown[];
  /** `undefined` reads nothing. */
  read: ((signal: AbortSignal) => Promise<Reply>) | undefined;
  /** The time until the next reading in milliseconds, by the last good reply; `undefined` to read only once. */
  refresh?: (last: Reply | undefined) => number | undefined;
  /** Whether to read again when the person returns to the page, as a reading with a `refresh` is if it was due. */
  onReturn?: boolean;
}

/** Reads once, and again when the person returns to the page: for lists that people change in other tabs. */
export const ON_RETURN = 'on-return';

/**
 * Fetches a reply of Loupe's server and refreshes it. Components that ask for the same path share one reply and one poll.
 *
 * @param path `undefined` reads nothing
 * @param refresh the time until the next reading in milliseconds, or a function that returns it for the last good reply.
 * `undefined` reads only once, `ON_RETURN` also when the person returns. A hidden page doesn't poll.
 */
export function useApi<Reply>(
  path: string | undefined,
  refresh?: number | typeof ON_RETURN | ((last: Reply | undefined) => number | undefined),
): ApiState<Reply> {
  const everyMs = refresh === ON_RETURN ? undefined : refresh;
  return useReading({
    key: path === undefined ? [] : keyOf(path),
    read: path === undefined ? undefined : (signal) => getJson<Reply>(path, signal),
    refresh: typeof everyMs === 'function' ? everyMs : () => everyMs,
    onReturn: refresh === ON_RETURN,
  });
}

/** Like `useApi`, and fetches again whenever the version changes: what the page knows about how far the server is. */
export function useVersioned<Reply>(
  path: string | undefined,
  version: string | number | undefined,
  refresh?: (last: Reply | undefined) => number | undefined,
): ApiState<Reply> {
  const isRead = path !== undefined && version !== undefined;
  return useReading({
    key: isRead ? [...keyOf(path), version] : [],
    read: isRead ? (signal) => getJson<Reply>(path, signal) : undefined,
    refresh,
  });
}

/** Like `useApi`, for replies that are not read with a `GET` of a path. */
export function useReading<Reply>({
  key,
  read,
  refresh = () => undefined,
  onReturn = false,
}: Reading<Reply>): ApiState<Reply> {
  const { data, error, isPending, isFetchedAfterMount, refetch } = useQuery<Reply, ApiError>({
    queryKey: key,
    queryFn: read === undefined ? skipToken : withApiErrors(read),
    // A reply that is not due yet is shown to a new component without another request.
    staleTime: ({ state }) => refresh(state.data) ?? 0,
    refetchInterval: ({ state }) => refresh(state.data) ?? false,
    // A poll that was due while the page was hidden; what is read only once stays as it is.
    refetchOnWindowFocus: ({ state }) => onReturn || refresh(state.data) !== undefined,
  });
  // A query without a reply forgets its error when it is read again, and a new key begins with nothing. The screen keeps
  // what it shows until then: a form in an error message must not lose what was typed into it.
  const shown = useRef<Pick<ApiState<Reply>, 'data' | 'error'>>({ data: undefined, error: undefined });
  if (!isPending) {
    const isGone = error?.status === 404;
    shown.current = { data: isGone ? undefined : (data ?? shown.current.data), error: error ?? undefined };
  }
  const reload = useCallback(async () => {
    await refetch();
  }, [refetch]);
  return { ...shown.current, pending: isPending, fresh: isFetchedAfterMount, reload };
}

/**
 * Returns a function that refetches a path for every component that shows its reply, with any query. It resolves when it was
 * read again, or could not be.
 */
export function useReload(): (path: string) => Promise<void> {
  const client = useQueryClient();
  return useCallback((path) => client.invalidateQueries({ queryKey: [path] }), [client]);
}

function keyOf(path: string): readonly string[] {
  const [pathname = '', ...query] = path.split('?');
  return [pathname, query.join('?')];
}

function withApiErrors<Reply>(read: (signal: AbortSignal) => Promise<Reply>): QueryFunction<Reply> {
  return async ({ signal }) => {
    try {
      return await read(signal);
    } catch (cause) {
      throw signal.aborted ? cause : toApiError(cause);
    }
  };
}
