'use client';

import type { CreateRatingRequest, RatedPart, RatingListReply } from '#lib/api/rating.ts';
import type { ModelsReply } from '#lib/api/replies.ts';
import { type ChosenRun, KEPT_RATING, type RatingDraft } from '#lib/browser/drafts/kept-rating.ts';
import { canRun, noModelsWords, sortedModels } from '#lib/browser/state/models.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { RATED_PART_WORDS, RATED_PARTS } from '#lib/browser/words/rating-words.ts';
import { MAX_RATED_CHARS, MAX_RATING_SUBJECTS } from '#lib/events/limits.ts';
import { useApi } from '../hooks/use-api.ts';
import { useKeptFields } from '../hooks/use-kept-fields.ts';
import { RunChecklist } from '../shell/run-checklist.tsx';
import { Button } from '../ui/button.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { Field } from '../ui/form/fields.tsx';

const OWN_FILE = '';

/** The form for a study: questionnaire, texts, and the models that rate. */
export function NewRating({
  shipped,
  busy,
  onCreate,
}: {
  shipped: RatingListReply['shipped'];
  busy: boolean;
  /** Resolves to whether it was created. */
  onCreate: (request: CreateRatingRequest) => Promise<boolean>;
}) {
  const { draft, change, forget } = useKeptFields<RatingDraft>('new-rating', KEPT_RATING, {
    ...{ name: '', source: shipped[0]?.name ?? OWN_FILE, text: '' },
    ...{ part: 'output', runs: [], models: [] },
  });
  const { name, text, part, runs, models } = draft;
  // The questionnaires that ship may be others since the form was kept.
  const source = shipped.some((each) => each.name === draft.source) ? draft.source : OWN_FILE;
  const { data: installed } = useApi<ModelsReply>('/api/models');
  const missing = [
    name.trim() === '' && 'a name',
    source === OWN_FILE && text.trim() === '' && 'a questionnaire',
    runs.length === 0 && 'a run',
  ].filter(Boolean);
  const create = async () => {
    const questionnaire = source === OWN_FILE ? { text } : { shipped: source };
    const request = { name: name.trim(), ...questionnaire, part, run_ids: runs.map(({ id }) => id) };
    if (await onCreate({ ...request, models: [...models] })) forget();
  };
  return (
    <form
      aria-label="New rating"
      className="mt-6 grid gap-4 rounded-lg border bg-surface p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <div className="grid gap-4 sm:grid-cols-3">
        <Field label="Name">
          {(props) => (
            <input
              {...props}
              className="field"
              maxLength={80}
              value={name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field label="Questionnaire" hint={shipped.find((each) => each.name === source)?.description}>
          {(props) => (
            <select
              {...props}
              className="field"
              value={source}
              onChange={(event) => change({ source: event.target.value })}
            >
              {shipped.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.title}
                </option>
              ))}
              <option value={OWN_FILE}>your own</option>
            </select>
          )}
        </Field>
        <Field
          label="What is rated"
          hint={`Of each text, at most the first ${formatCount(MAX_RATED_CHARS)} characters.`}
        >
          {(props) => (
            <select
              {...props}
              className="field"
              value={part}
              onChange={(event) => change({ part: event.target.value as RatedPart })}
            >
              {RATED_PARTS.map((each) => (
                <option key={each} value={each}>
                  {RATED_PART_WORDS[each]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {source === OWN_FILE && (
        <Field label="Questionnaire file" hint="YAML or JSON; docs/ratings.md describes the format.">
          {(props) => (
            <textarea
              {...props}
              className="field min-h-40 font-mono text-sm"
              value={text}
              onChange={(event) => change({ text: event.target.value })}
            />
          )}
        </Field>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <RunChecklist
          chosen={runs}
          max={MAX_RATING_SUBJECTS}
          onChange={(chosen) => change({ runs: chosen.map(chosenRun) })}
        />
        <RaterChecklist
          models={installed && sortedModels(installed.models.filter(canRun)).map(({ name }) => name)}
          chosen={models}
          onChange={(chosen) => change({ models: chosen })}
        />
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" kind="primary" className="max-sm:h-11" disabled={busy || missing.length > 0}>
          Start rating
        </Button>
        {missing.length > 0 && <p className="text-sm text-ink-3">Missing: {missing.join(', ')}.</p>}
      </div>
    </form>
  );
}

/** Without the facts that are not kept. */
function chosenRun({ id, title, model, created_at }: ChosenRun): ChosenRun {
  return { id, title, model, created_at };
}

function RaterChecklist({
  models,
  chosen,
  onChange,
}: {
  models: readonly string[] | undefined;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  return (
    <fieldset className="min-w-0">
      <legend className="text-sm font-medium">Models that rate (optional)</legend>
      {!models?.length && <p className="mt-1 text-sm text-ink-3">{noModelsWords(models)}</p>}
      <div className="mt-1 max-h-56 overflow-y-auto">
        {models?.map((model) => (
          <label key={model} className="flex items-center gap-2 py-1 text-sm max-sm:min-h-11">
            <input
              type="checkbox"
              checked={chosen.includes(model)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, model] : chosen.filter((each) => each !== model))
              }
            />
            <span className="foreign min-w-0">
              <ShortName text={model} />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
