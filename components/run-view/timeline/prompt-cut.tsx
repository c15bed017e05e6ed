'use client';

import { formatCount } from '#lib/browser/words/format.ts';
import { promptCutOf } from '#lib/browser/words/prompt-cut.ts';
import type { EventOf } from '#lib/events/registry.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { useRunScreen } from '../screen-context.ts';

/** The alarm that a server cut the prompt in silence: where the cut is, and what is most likely lost (OL2). */
export function PromptCut({ event }: { event: EventOf<'policy.warned'> }) {
  const { goTo } = useRunScreen();
  const cut = promptCutOf(event);
  if (!cut) return null;
  const share = cut.sent > 0 ? Math.min(1, cut.evaluated / cut.sent) : 1;
  return (
    <section aria-label="Prompt cut" className="mt-1.5 grid gap-2">
      <svg
        viewBox="0 0 480 14"
        preserveAspectRatio="none"
        className="h-3.5 w-full max-w-xl"
        aria-hidden="true"
      >
        <rect x="0" y="4" width={480 * (1 - share)} height="6" className="fill-fail-wash" />
        <rect x={480 * (1 - share)} y="4" width={480 * share} height="6" className="fill-ink-3" />
        <rect x={480 * (1 - share) - 1} y="0" width="2" height="14" className="fill-fail" />
      </svg>
      {cut.lost.length > 0 && (
        <div>
          <p className="text-sm text-ink-2">
            Ollama keeps the system prompt and the last message and drops the oldest of the others. By their
            length, these {formatCount(cut.lostCount)} most likely did not reach the model:
          </p>
          <ol className="mt-1 grid gap-0.5 border-l-2 border-fail/50 pl-3">
            {cut.lost.map((message) => (
              <li key={message.index} className="flex items-baseline gap-x-3 text-sm">
                <span className="tnum w-5 shrink-0 text-right font-mono text-2xs text-ink-3">
                  {message.index + 1}
                </span>
                <span className="w-16 shrink-0 font-medium">{message.role}</span>
                <span className="foreign line-clamp-1 min-w-0 flex-1 text-ink-2">
                  <ForeignText text={message.excerpt} />
                </span>
                <span className="tnum shrink-0 font-mono text-2xs text-ink-3">
                  ≈ {formatCount(message.tokens)} tok
                </span>
              </li>
            ))}
          </ol>
          {cut.lostCount > cut.lost.length && (
            <p className="mt-0.5 text-sm text-ink-3">
              and {formatCount(cut.lostCount - cut.lost.length)} more
            </p>
          )}
        </div>
      )}
      <p className="text-sm text-ink-2">
        {cut.advice}{' '}
        <button
          type="button"
          className="font-medium text-brass underline-offset-2 hover:underline"
          onClick={() => goTo(event.seq - 2)}
        >
          To the call
        </button>
      </p>
    </section>
  );
}
