'use client';

import { lacksFound } from '#lib/browser/state/mark-found.ts';
import { formatDuration } from '#lib/browser/words/format.ts';
import { verdictWord } from '#lib/events/opinion-words.ts';
import type { VerificationRow } from '#lib/events/timeline.ts';
import type { Opinion } from '#lib/events/verification.ts';
import { Badge } from '../../ui/badge.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { useUnfoldedByFound } from '../screen-context.ts';
import { LongText } from './long-text.tsx';
import { Disclosure, Figures, Panel } from './row-frame.tsx';
import { wholeOf } from './whole-of.ts';

type Checked = NonNullable<VerificationRow['checked']>;

/**
 * Opinions of models on the answer: separate from the checks and without their colors, because they decide nothing.
 */
export function OpinionList({
  rowKey,
  checked,
  opinions,
}: {
  rowKey: string;
  checked: Checked;
  opinions: readonly Opinion[];
}) {
  return (
    <section aria-label="Opinions" className="mt-3 border-l-2 border-line-strong pl-3">
      <p className="caption">Opinions of models</p>
      <p className="text-xs text-ink-3">They don't count as checks and don't change the outcome.</p>
      <ul className="mt-1.5 grid gap-3">
        {opinions.map((opinion, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: opinions of an event never move
          <li key={index} className="text-sm">
            <OpinionItem
              id={`${rowKey}.opinions.${index}`}
              index={index}
              checked={checked}
              opinion={opinion}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function OpinionItem({
  id,
  index,
  checked,
  opinion,
}: {
  id: string;
  index: number;
  checked: Checked;
  opinion: Opinion;
}) {
  const { check, model, prompt, reply, verdict, reason, duration_ms } = opinion;
  const [open, toggle] = useUnfoldedByFound(`asked:${id}`, (words) =>
    lacksFound('', `${prompt ?? ''}\n${reply ?? ''}`, words),
  );
  const whole = (field: string) => wholeOf(checked, `opinions.${index}.${field}`);
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <Badge>{verdictWord(verdict)}</Badge>
        <span className="foreign min-w-0 text-ink-2">
          by <ForeignText text={model} />
        </span>
        <Figures>
          <span>{formatDuration(duration_ms)}</span>
        </Figures>
      </div>
      <LongText
        id={`${id}.criteria`}
        text={check.criteria}
        label="criteria"
        whole={whole('check.criteria')}
        className="mt-0.5 font-medium"
      />
      <LongText
        id={`${id}.reason`}
        text={reason}
        label="reason"
        whole={whole('reason')}
        className="mt-0.5 text-ink-2"
      />
      {prompt !== undefined && (
        <div className="mt-1 text-xs">
          <Disclosure open={open} onToggle={toggle}>
            {reply === undefined ? 'Prompt' : 'Prompt and reply'}
          </Disclosure>
          {open && (
            <div className="mt-1.5 grid gap-3">
              <Panel label="Prompt">
                <LongText id={`${id}.prompt`} text={prompt} label="prompt" whole={whole('prompt')} />
              </Panel>
              {reply !== undefined && (
                <Panel label="Reply">
                  <LongText id={`${id}.reply`} text={reply} label="reply" whole={whole('reply')} />
                </Panel>
              )}
            </div>
          )}
        </div>
      )}
    </>
  );
}
