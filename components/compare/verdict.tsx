import type { CompareReply } from '#lib/api/comparison.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { comparedStepWord } from '#lib/browser/words/mode-words.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { RunMode } from '#lib/events/config.ts';
import { ForeignText } from '../ui/foreign-text.tsx';

type Comparison = CompareReply['comparison'];

/** States where the runs diverge and how. A strip shows every iteration. */
export function Verdict({
  comparison,
  mode,
  onGo,
}: {
  comparison: Comparison;
  mode: RunMode | undefined;
  onGo: (position: number) => void;
}) {
  const { divergence, same_until: same, steps } = comparison;
  const word = comparedStepWord(mode).toLowerCase();
  const sameSteps = steps.length === 1 ? `their only ${word}` : `all ${plural(steps.length, word)}`;
  return (
    <section
      aria-label="Where the runs diverge"
      className="mt-3 rounded-lg border bg-raised px-4 py-3 sm:px-5"
    >
      <p className="text-lg font-semibold tracking-[-0.01em]">
        {divergence === undefined
          ? `The runs are identical in ${sameSteps}`
          : same === 0
            ? `The runs differ from the first ${word}`
            : `Identical up to ${word} ${formatCount(same)}`}
      </p>
      <p className="mt-0.5 text-ink-2">
        {divergence === undefined ? (
          'Messages, calls and results are equal. Times and token counts may differ.'
        ) : (
          <>
            First difference:{' '}
            <a
              href={`#step-${divergence.position}`}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                // Without the router's own state, it would restore the previous URL.
                history.replaceState(null, '', `#step-${divergence.position}`);
                onGo(divergence.position);
              }}
              className="text-brass underline decoration-brass-line underline-offset-2 hover:decoration-brass"
            >
              <ForeignText text={divergenceWords(divergence, word)} />
            </a>
            .
          </>
        )}
      </p>
      <div className="mt-3 flex h-3 gap-px overflow-hidden rounded-sm" aria-hidden="true">
        {stretches(steps).map((stretch) => {
          const [first, last] = [stretch[0], stretch.at(-1)];
          const apart = stretch.find(({ same }) => !same);
          return (
            <span
              key={first?.position}
              title={`${word} ${first?.position}${first === last ? '' : ` to ${last?.position}`}: ${apart ? 'different' : 'the same'}`}
              className={`min-w-0 flex-1 ${!apart ? 'bg-line-strong' : apart.left && apart.right ? 'bg-brass-fill' : 'bg-brass-line'}`}
            />
          );
        })}
      </div>
    </section>
  );
}

/** Max marks in the strip: more would be narrower than a pixel on a phone. */
const MAX_MARKS = 200;

/** Splits all iterations into at most `MAX_MARKS` equal parts. */
function stretches<Item>(items: readonly Item[]): Item[][] {
  const length = Math.max(1, Math.ceil(items.length / MAX_MARKS));
  return Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );
}

function divergenceWords(
  { kind, name, position }: NonNullable<Comparison['divergence']>,
  word: string,
): string {
  const by = shortLine(name);
  switch (kind) {
    case 'longer':
      return `only one run has ${word} ${position}`;
    case 'said':
      return `the model received a different message in ${word} ${position}`;
    case 'thinking':
      return `the thinking differs in ${word} ${position}`;
    case 'text':
      return `the text differs in ${word} ${position}`;
    case 'call':
      return `the model made a different call in ${word} ${position}: ${by}`;
    case 'result':
      return `${by} returned a different result in ${word} ${position}`;
    case 'failure':
      return `a model call failed in ${word} ${position}`;
    case 'checks':
      return `the check results differ after ${word} ${position}`;
    case 'edit':
      return `a person changed the ${by} in ${word} ${position}`;
  }
}
