'use client';

import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { THUMBS_DOWN, THUMBS_UP } from '#lib/api/run-annotations.ts';
import { MAX_SCORE } from '#lib/events/limits.ts';
import { cx } from '../ui/cx.ts';

const SCORES = Array.from({ length: MAX_SCORE + 1 }, (_, score) => MAX_SCORE - score);

/** A score from 0 to 10, with a thumb for either end. A second press of a thumb removes the score. */
export function ScoreField({
  score,
  onChange,
  disabled,
}: {
  score: number | undefined;
  onChange: (score: number | null) => void;
  disabled?: boolean;
}) {
  return (
    <fieldset aria-label="Score" className="flex items-center gap-1">
      <Thumb value={THUMBS_UP} score={score} onChange={onChange} disabled={disabled} />
      <Thumb value={THUMBS_DOWN} score={score} onChange={onChange} disabled={disabled} />
      <select
        aria-label="Score from 0 to 10"
        value={score ?? ''}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value === '' ? null : Number(event.target.value))}
        className="field h-8 w-auto py-0 pr-1 pl-2 text-sm max-sm:h-11"
      >
        <option value="">No score</option>
        {SCORES.map((value) => (
          <option key={value} value={value}>
            {`${value} of ${MAX_SCORE}`}
          </option>
        ))}
      </select>
    </fieldset>
  );
}

function Thumb({
  value,
  score,
  onChange,
  disabled,
}: {
  value: number;
  score: number | undefined;
  onChange: (score: number | null) => void;
  disabled: boolean | undefined;
}) {
  const up = value === THUMBS_UP;
  const on = score === value;
  const Icon = up ? ThumbsUp : ThumbsDown;
  return (
    <button
      type="button"
      aria-label={up ? 'Good' : 'Bad'}
      title={`${up ? 'Good' : 'Bad'}: score ${value}`}
      aria-pressed={on}
      disabled={disabled}
      onClick={() => onChange(on ? null : value)}
      className={cx(
        'grid size-8 place-items-center rounded-md max-sm:size-11',
        on
          ? up
            ? 'bg-ok-wash text-ok'
            : 'bg-fail-wash text-fail'
          : 'text-ink-3 hover:bg-sunken hover:text-ink',
      )}
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  );
}
