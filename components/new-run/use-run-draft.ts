'use client';

import { useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { CreateRunRequest } from '#lib/api/create-run.ts';
import type { ModelsReply, RunReply } from '#lib/api/replies.ts';
import { getJson, toApiError } from '#lib/browser/api.ts';
import { draftOf, emptyDraft, type RunDraft } from '#lib/browser/drafts/run-draft.ts';
import { remembered } from '#lib/browser/prefs/remembered.ts';
import { modelsRefresh, preferredModel } from '#lib/browser/state/models.ts';
import { DEFAULT_MODE, type RunKind, runKinds } from '#lib/events/modes.ts';
import { useApi } from '../hooks/use-api.ts';
import { runDraftResolver } from './run-form.ts';

/**
 * The state of the new-run form: from the address, or from an earlier run, with a model that is installed.
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
  const form = useForm<RunDraft, unknown, CreateRunRequest>({
    defaultValues: {
      ...emptyDraft,
      kind: kindNamed(query.get('mode')),
      task: query.get('task') ?? '',
      model: query.get('model') ?? '',
    },
    resolver: runDraftResolver,
    shouldFocusError: false, // focusFirstError also handles groups and collapsed sections
  });
  const { getValues, reset, setValue } = form;

  useEffect(() => {
    if (from === null) {
      setValue('live_tokens', remembered('live-tokens') === 'on');
      return;
    }
    const abort = new AbortController();
    getJson<RunReply>(`/api/runs/${encodeURIComponent(from)}`, abort.signal)
      .then(({ run, config }) => {
        reset(draftOf(config, run));
        setNamed(run.imported_at === undefined || config.workspace === '' ? undefined : config.workspace);
      })
      .catch((error) => {
        if (!abort.signal.aborted) onProblem(toApiError(error));
      });
    return () => abort.abort();
  }, [from, onProblem, reset, setValue]);

  const installed = models.data?.models;
  useEffect(() => {
    if (!installed || !models.fresh || from !== null || getValues('model') !== '') return;
    setValue('model', preferredModel(installed, remembered('model')));
  }, [installed, models.fresh, from, getValues, setValue]);

  return { form, models, named };
}

function kindNamed(name: string | null): RunKind {
  return runKinds.find((kind) => kind === name) ?? DEFAULT_MODE;
}
