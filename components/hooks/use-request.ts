'use client';

import { useCallback, useState } from 'react';
import { toApiError } from '#lib/browser/api-error.ts';
import { returnFocus } from '#lib/browser/focus-soon.ts';

/** The data that `ErrorNote` shows; `code` if the server refused a request. */
export interface RequestProblem {
  code?: string;
  message: string;
  hint?: string;
}

/** Returned by work that navigates away: the form stays busy to prevent a second submit. */
export const LEAVING = Symbol('leaving');

export interface RequestState {
  busy: boolean;
  problem: RequestProblem | undefined;
  /** Shows a problem found without a request, or removes the one shown. */
  setProblem: (problem: RequestProblem | undefined) => void;
  /** Runs the work and stores an error as `problem`. Resolves to whether it succeeded; never rejects. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** The state of one thing a person asks the server to do: whether it is under way, and why it failed. */
export function useRequest(): RequestState {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<RequestProblem>();
  const run = useCallback(async (work: () => Promise<unknown>) => {
    const pressed = document.activeElement;
    const end = () => {
      setBusy(false);
      returnFocus(pressed);
    };
    setBusy(true);
    setProblem(undefined);
    try {
      if ((await work()) !== LEAVING) end();
      return true;
    } catch (error) {
      setProblem(toApiError(error));
      end();
      return false;
    }
  }, []);
  return { busy, problem, setProblem, run };
}
