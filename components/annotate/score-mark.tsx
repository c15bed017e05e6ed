import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { THUMBS_DOWN, THUMBS_UP } from '#lib/api/run-annotations.ts';
import { MAX_SCORE } from '#lib/events/limits.ts';

/** A score in a list: the ends of the scale as thumbs, what is between as a number. */
export function ScoreMark({ score }: { score: number }) {
  const Thumb = score === THUMBS_UP ? ThumbsUp : score === THUMBS_DOWN ? ThumbsDown : undefined;
  return (
    <span
      className="tnum inline-flex items-center font-mono text-xs"
      title={`Score ${score} of ${MAX_SCORE}`}
    >
      {Thumb ? (
        <>
          <Thumb
            className={score === THUMBS_UP ? 'size-3.5 text-ok' : 'size-3.5 text-fail'}
            aria-hidden="true"
          />
          <span className="sr-only">{`score ${score}`}</span>
        </>
      ) : (
        `${score}/${MAX_SCORE}`
      )}
    </span>
  );
}
