'use client';

import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { THUMBS_DOWN, THUMBS_UP } from '#lib/api/run-annotations.ts';
import { MAX_SCORE } from '#lib/events/limits.ts';
import { cx } from '../ui/cx.ts';
import { ScoreMark } from './score-mark.tsx';

const SCORES = Array.from({ length: MAX_SCORE + 1 }, (_, score) => MAX_SCORE - score);

interface ScoreProps {
  score: number | undefined;
  onChange: (score: number | null) => void;
  disabled?: boolean;
}

/** A score from 0 to 10, with a thumb for either end. A second press of a thumb removes the score. */
export function ScoreField(props: ScoreProps) {
  const { score, onChange, disabled } = props;
  return (
    <fieldset aria-label="Score" className="flex items-center gap-1">
      <Thumb {...props} value={THUMBS_UP} />
      <Thumb {...props} value={THUMBS_DOWN} />
      <select
        aria-label="Score from 0 to 10"
        value={score ?? ''}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value === '' ? null : Number(event.target.value))}
        className="field h-8 w-auto py-0 pr-1 pl-2 text-sm"
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

/** The thumbs alone, with a score between them as a number. On phones only what is set. */
export function ScoreThumbs(props: ScoreProps) {
  const { score } = props;
  const between = score !== undefined && score !== THUMBS_UP && score !== THUMBS_DOWN;
  return (
    <fieldset aria-label="Score" className="flex items-center">
      <Thumb {...props} value={THUMBS_UP} className={cx(score !== THUMBS_UP && 'max-sm:hidden')} />
      <Thumb {...props} value={THUMBS_DOWN} className={cx(score !== THUMBS_DOWN && 'max-sm:hidden')} />
      {between && (
        <span className="px-1">
          <ScoreMark score={score} />
        </span>
      )}
    </fieldset>
  );
}

function Thumb({
  value,
  score,
  onChange,
  disabled,
  className,
}: ScoreProps & { value: number; className?: string }) {
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
        'grid size-7 place-items-center rounded-md',
        on
          ? up
            ? 'bg-ok-wash text-ok max-sm:bg-transparent'
            : 'bg-fail-wash text-fail max-sm:bg-transparent'
          : 'text-ink-3 hover:bg-sunken hover:text-ink',
        className,
      )}
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  );
}
