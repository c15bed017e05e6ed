'use client';

import { useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { CreateRunRequest } from '#lib/api/create-run.ts';
import type { Preset, PresetReply } from '#lib/api/preset.ts';
import type { ModelsReply, RunReply } from '#lib/api/replies.ts';
import { getJson, toApiError } from '#lib/browser/api.ts';
import type { DraftImage } from '#lib/browser/drafts/draft-images.ts';
import { handedOver, handOver, openingTask } from '#lib/browser/drafts/handed-over.ts';
import { draftOfPreset } from '#lib/browser/drafts/preset-draft.ts';
import { draftOf, emptyDraft, type RunDraft } from '#lib/browser/drafts/run-draft.ts';
import { remembered } from '#lib/browser/prefs/remembered.ts';
import { modelsRefresh, preferredModel } from '#lib/browser/state/models.ts';
import { imagesAt } from '#lib/browser/stream/image-source.ts';
import type { RunConfig } from '#lib/events/config.ts';
import { DEFAULT_MODE, type RunKind, runKinds } from '#lib/events/modes.ts';
import { useApi } from '../hooks/use-api.ts';
import { runDraftResolver } from './run-form.ts';

/** What a person has entered while the former settings were being read stays. */
const KEEP_ENTERED = { keepDirtyValues: true };

/**
 * The state of the new-run form: from the address, or from an earlier run, with a model that is installed.
 *
 * @param from the id of the earlier run
 * @param presetId the id of a preset to fill in
 * @param onProblem called when that run cannot be read
 */
export function useRunDraft(
  from: string | null,
  presetId: string | null,
  onProblem: (problem: ReturnType<typeof toApiError>) => void,
) {
  const query = useSearchParams();
  const models = useApi<ModelsReply>('/api/models', modelsRefresh());
  /** The folder that the file of an imported run names. */
  const [named, setNamed] = useState<string>();
  const form = useForm<RunDraft, unknown, CreateRunRequest>({
    defaultValues: {
      ...emptyDraft,
      ...(from === null ? handedOver() : {}),
      kind: kindNamed(query.get('mode')),
      task: openingTask(query.get('task') ?? '', handedOver()?.task),
      model: query.get('model') ?? '',
    },
    resolver: runDraftResolver,
    shouldFocusError: false, // focusFirstError also handles groups and collapsed sections
  });
  const { getValues, reset, setValue, getFieldState } = form;
  // The form tracks them only for who reads them.
  void form.formState.dirtyFields;
  const [preset, setPreset] = useState<Preset>();

  // Taken over once: the next form starts empty.
  useEffect(() => handOver(undefined), []);

  useEffect(() => {
    if (from === null && presetId !== null) {
      const abort = new AbortController();
      getJson<PresetReply>(`/api/presets/${encodeURIComponent(presetId)}`, abort.signal)
        .then(({ preset: found }) => {
          const filled = draftOfPreset(found.run);
          // A model that was chosen meanwhile stays if the preset names none.
          reset({ ...filled, model: filled.model || getValues('model') }, KEEP_ENTERED);
          setPreset(found);
        })
        .catch((error) => {
          if (!abort.signal.aborted) onProblem(toApiError(error));
        });
      return () => abort.abort();
    }
    if (from === null) return;
    const abort = new AbortController();
    getJson<RunReply>(`/api/runs/${encodeURIComponent(from)}`, abort.signal)
      .then(({ run, config }) => {
        reset(draftOf(config, run), KEEP_ENTERED);
        void attachFormer(config, from, abort.signal).then(
          (images) => {
            if (!getFieldState('images').isDirty) setValue('images', images);
          },
          () => {}, // the form works without them
        );
        const { workspace, copied_from: named = workspace } = config;
        setNamed(run.imported_at === undefined || named === '' ? undefined : named);
      })
      .catch((error) => {
        if (!abort.signal.aborted) onProblem(toApiError(error));
      });
    return () => abort.abort();
  }, [from, presetId, onProblem, reset, getValues, setValue, getFieldState]);

  const installed = models.data?.models;
  useEffect(() => {
    if (!installed || !models.fresh || from !== null || getValues('model') !== '') return;
    setValue('model', preferredModel(installed, remembered('model')));
  }, [installed, models.fresh, from, getValues, setValue]);

  return { form, models, named, preset, setPreset };
}

/** The images of an earlier run, to be sent again. */
async function attachFormer(
  { images = [] }: RunConfig,
  runId: string,
  signal: AbortSignal,
): Promise<readonly DraftImage[]> {
  const load = imagesAt(() => `/api/runs/${encodeURIComponent(runId)}`);
  const urls = await Promise.all(images.map((image) => load(image)));
  signal.throwIfAborted();
  return images.flatMap(({ name }, index) => {
    const data = urls[index]?.split(',')[1];
    return data === undefined ? [] : [{ name, data }];
  });
}

function kindNamed(name: string | null): RunKind {
  return runKinds.find((kind) => kind === name) ?? DEFAULT_MODE;
}
