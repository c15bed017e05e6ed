'use client';

import type { RatingReply } from '#lib/api/rating.ts';
import { postJson } from '#lib/browser/api.ts';
import { KEPT_PERSON, type PersonDraft } from '#lib/browser/drafts/kept-rating.ts';
import { scoresOf, type UnsavedScores, withoutScores, withScore } from '#lib/browser/drafts/person-scores.ts';
import { focusSoon, watchFocus } from '#lib/browser/focus-soon.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { useKeptFields } from '../hooks/use-kept-fields.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Field } from '../ui/form/fields.tsx';

/** ID of the text to rate; after the last one, of the message in its place. */
const TEXT = 'rated-text';

/** The questionnaire for a person, text by text. It names neither the model that wrote a text nor any score. */
export function PersonForm({
  path,
  reply: { study, people },
  onRated,
}: {
  path: string;
  reply: RatingReply;
  /** Resolves when the people and their texts have been read again. */
  onRated: () => Promise<void>;
}) {
  const { draft, change } = useKeptFields<PersonDraft>(`rating.${study.id}`, KEPT_PERSON, {
    person: '',
    scores: {},
  });
  const { person } = draft;
  const unsaved = new Map(Object.entries(draft.scores));
  const changeScores = (edit: (before: UnsavedScores) => UnsavedScores) =>
    change((now) => ({ scores: Object.fromEntries(edit(new Map(Object.entries(now.scores)))) }));
  const { busy, problem, run } = useRequest();
  const done = Object.hasOwn(people, person.trim()) ? (people[person.trim()] ?? []) : [];
  const at = study.subjects.findIndex(({ run_id }) => !done.includes(run_id));
  const subject = study.subjects[at];
  const scores = scoresOf(unsaved, subject?.run_id);
  const { scale, items, instructions } = study.questionnaire;
  const open = items.filter(({ id }) => scores[id] === undefined).length;
  const save = (runId: string) =>
    run(async () => {
      const hasMoved = watchFocus();
      await postJson(`${path}/scores`, { person: person.trim(), run_id: runId, scores });
      await onRated();
      changeScores((before) => withoutScores(before, runId));
      if (hasMoved()) return;
      // The button is below the next text, and disabled until that is rated.
      document.getElementById(TEXT)?.scrollIntoView({ block: 'nearest' });
      focusSoon(() => document.getElementById(TEXT));
    });
  const steps = Array.from({ length: scale.max - scale.min + 1 }, (_, index) => scale.min + index);
  return (
    <section aria-label="Rate texts" className="mt-6 grid gap-5">
      <Field label="Your name" hint="Your scores are stored under it.">
        {(props) => (
          <input
            {...props}
            className="field sm:max-w-xs"
            maxLength={60}
            value={person}
            onChange={(event) => change({ person: event.target.value })}
          />
        )}
      </Field>
      {!subject && (
        <p id={TEXT} tabIndex={-1} className="text-ink-2">
          You have rated all texts.
        </p>
      )}
      {subject && (
        <>
          <article
            id={TEXT}
            tabIndex={-1}
            className="scroll-mt-20"
            aria-label={`Text ${formatCount(at + 1)} of ${formatCount(study.subjects.length)}`}
          >
            <p className="text-xs text-ink-3">
              Text {formatCount(at + 1)} of {formatCount(study.subjects.length)}
            </p>
            <p className="foreign mt-1 max-h-96 max-w-read overflow-y-auto border-l-2 border-line-strong pl-3 whitespace-pre-wrap">
              <ForeignText text={subject.text} />
            </p>
          </article>
          {instructions !== '' && (
            <p className="foreign max-w-read text-sm text-ink-2">
              <ForeignText text={instructions} />
            </p>
          )}
          <p className="foreign text-xs text-ink-3">
            {scale.min}: <ForeignText text={scale.min_label} /> · {scale.max}:{' '}
            <ForeignText text={scale.max_label} />
          </p>
          {items.map(({ id, text }) => (
            // Scores that are being saved cannot be changed: those of the next text are entered next.
            <fieldset key={id} disabled={busy} className="grid gap-1">
              <legend className="foreign text-sm">
                <ForeignText text={text} />
              </legend>
              {/* A scale of ten is two rows of five on a phone. */}
              <div className={cx('flex flex-wrap gap-1', steps.length > 7 && 'max-sm:max-w-60')}>
                {steps.map((step) => (
                  <label
                    key={step}
                    className="grid size-9 cursor-pointer place-items-center rounded-md border text-sm tnum has-checked:border-brass-fill has-checked:bg-brass-wash has-checked:font-semibold has-focus-visible:outline-2 max-sm:size-11"
                  >
                    <input
                      type="radio"
                      name={id}
                      className="sr-only"
                      checked={scores[id] === step}
                      onChange={() =>
                        changeScores((before) => withScore(before, subject.run_id, { item: id, score: step }))
                      }
                    />
                    {step}
                  </label>
                ))}
              </div>
            </fieldset>
          ))}
          {problem && <ErrorNote error={problem} />}
          <div>
            <Button
              kind="primary"
              className="max-sm:h-11"
              disabled={busy || open > 0 || person.trim() === ''}
              onClick={() => void save(subject.run_id)}
            >
              Save and continue
            </Button>
            {open > 0 && <span className="ml-3 text-sm text-ink-3">{formatCount(open)} left</span>}
          </div>
        </>
      )}
    </section>
  );
}
