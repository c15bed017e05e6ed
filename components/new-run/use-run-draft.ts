'use client';

import { useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import type { ModelsReply, RunReply } from '#lib/api/replies.ts';
import { getJson, toApiError } from '#lib/browser/api.ts';
import { type DraftProblems, draftOf, emptyDraft, type RunDraft } from '#lib/browser/drafts/run-draft.ts';
import { remembered } from '#lib/browser/prefs/remembered.ts';
import { modelsRefresh, preferredModel } from '#lib/browser/state/models.ts';
import { DEFAULT_MODE, type RunKind, runKinds } from '#lib/events/modes.ts';
import { useApi } from '../hooks/use-api.ts';
import type { FormPart } from './form-part.ts';

/**
 * The draft of the new-run form: from the address, or from an earlier run, with a model that is installed.
 *
 * @param from the id of the earlier run
 * @param onProblem called when that run cannot be read
 */
export function useRunDraft(
  from: string | null,
  onProblem: (problem: ReturnType<typeof toApiError>) => void,
) {
  const query = useSearchParams();
  const models = useApi<ModelsReply>('/api/models', modelsRefresh());
  /** The folder that the file of an imported run names. */
  const [named, setNamed] = useState<string>();
  const [draft, setDraft] = useState<RunDraft>(() => ({
    ...emptyDraft,
    kind: kindNamed(query.get('mode')),
    task: query.get('task') ?? '',
    model: query.get('model') ?? '',
  }));
  const [problems, setProblems] = useState<DraftProblems>({});
  const set: FormPart['set'] = (field, value) => {
    setDraft((before) => ({ ...before, [field]: value }));
    setProblems((before) => ({ ...before, [field]: undefined }));
  };

  useEffect(() => {
    if (from === null) {
      setDraft((before) => ({ ...before, liveTokens: remembered('live-tokens') === 'on' }));
      return;
    }
    const abort = new AbortController();
    getJson<RunReply>(`/api/runs/${encodeURIComponent(from)}`, abort.signal)
      .then(({ run, config }) => {
        setDraft(draftOf(config, run));
        setNamed(run.imported_at === undefined || config.workspace === '' ? undefined : config.workspace);
      })
      .catch((error) => {
        if (!abort.signal.aborted) onProblem(toApiError(error));
      });
    return () => abort.abort();
  }, [from, onProblem]);

  const installed = models.data?.models;
  useEffect(() => {
    if (!installed) return;
    setDraft((before) =>
      before.model === '' && from === null
        ? { ...before, model: preferredModel(installed, remembered('model')) }
        : before,
    );
  }, [installed, from]);

  return { draft, set, problems, setProblems, models, named };
}

function kindNamed(name: string | null): RunKind {
  return runKinds.find((kind) => kind === name) ?? DEFAULT_MODE;
}
