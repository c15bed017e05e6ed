'use client';

import { lacksFound } from '#lib/browser/state/mark-found.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { formatName, LAYER_WORDS } from '#lib/browser/words/layer-words.ts';
import {
  ladderOf,
  type Mark,
  type MarkedPiece,
  markedText,
  marksOf,
  type Rung,
  refusalWords,
} from '#lib/browser/words/parse-ladder.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { EventOf } from '#lib/events/registry.ts';
import { swallowedWords } from '#lib/events/swallowed-reply.ts';
import type { CallRow } from '#lib/events/timeline.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { ForeignMessage } from '../../ui/foreign-message.tsx';
import { ShortName } from '../../ui/foreign-name.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { useRunScreen, useUnfoldedByFound } from '../screen-context.ts';
import { BeforeAfter, ValueChange } from './before-after.tsx';
import { LongText } from './long-text.tsx';
import { Panel } from './row-frame.tsx';
import { wholeOf } from './whole-of.ts';

type Parsed = EventOf<'reply.parsed'>;

/**
 * How a reply was parsed (P17): layers and formats in order with what each found, repairs and refusals.
 */
export function ParseLadder({ parsed }: { parsed: Parsed }) {
  return (
    <Panel label="How the reply was parsed">
      <ol className="grid gap-1">
        {ladderOf(parsed).map((rung) => (
          <RungLine key={rung.layer} rung={rung} />
        ))}
      </ol>
      <p className="mt-2 border-t pt-2 font-sans text-sm text-ink-2">{outcomeWords(parsed)}</p>
    </Panel>
  );
}

function RungLine({ rung }: { rung: Rung }) {
  const won = rung.state === 'won';
  return (
    <li
      className="grid grid-cols-[0.75rem_5.5rem_minmax(0,1fr)] items-baseline gap-x-2"
      data-rung={rung.state}
    >
      <span
        aria-hidden="true"
        className={cx(
          'size-1.5 self-center rounded-full',
          won
            ? 'bg-brass-fill'
            : rung.state === 'nothing'
              ? 'border border-ink-3'
              : 'border border-line-strong',
        )}
      />
      <span
        className={won ? 'font-semibold text-brass' : 'text-ink-3'}
        title={LAYER_WORDS[rung.layer].source}
      >
        {LAYER_WORDS[rung.layer].label}
      </span>
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-3">
        <span className={won ? 'text-ink' : 'text-ink-3'}>
          {
            {
              won: plural(rung.found, 'call'),
              nothing: 'nothing found',
              skipped: 'not needed',
              off: 'not read in this run',
            }[rung.state]
          }
        </span>
        {rung.formats.map(({ format, found }) => (
          <span key={format} className={found > 0 ? 'text-ink-2' : 'text-ink-3'}>
            <ForeignText text={formatName(format)} />
            <span className="text-ink-3"> {found > 0 ? `× ${formatCount(found)}` : 'seen, no call'}</span>
          </span>
        ))}
      </span>
    </li>
  );
}

function outcomeWords(parsed: Parsed): string {
  switch (parsed.outcome) {
    case 'tool_calls':
      return `Taken as ${plural(parsed.calls.length, 'tool call')}: ${parsed.calls.map((call) => call.name).join(', ')}.`;
    case 'final_answer':
      return parsed.malformed
        ? 'No call could be parsed, so the text counts as the answer.'
        : 'Treated as text: no tool call.';
    case 'empty':
      if (parsed.swallowed_tokens) return swallowedWords(parsed.swallowed_tokens);
      return parsed.malformed
        ? 'The reply contained a call that could not be parsed.'
        : 'The reply was empty.';
  }
}

/** The raw reply with accepted and refused calls marked. */
export function MarkedReply({ row }: { row: CallRow }) {
  const { ended, parsed } = row;
  if (!ended) return null;
  const { content, thinking } = ended.message;
  const native = ended.message.tool_calls ?? [];
  const part = (name: 'thinking' | 'content', text: string) => ({
    name,
    text,
    marks: parsed ? marksOf(parsed, name) : [],
    whole: wholeOf(ended, `message.${name}`),
  });
  const parts = [part('thinking', thinking ?? ''), part('content', content)].filter(
    ({ text }) => text !== '',
  );
  return (
    <Panel label="The reply as Ollama sent it">
      <div className="grid gap-2.5">
        {parts.map(({ name, text, marks, whole }) => (
          <div key={name} className="min-w-0">
            <p className="mb-0.5 text-2xs text-ink-3">{name}</p>
            {marks.length > 0 && !whole ? (
              <Marked id={`${row.key}.${name}`} text={text} marks={marks} label={name} />
            ) : (
              <LongText id={`${row.key}.raw.${name}`} text={text} label={name} whole={whole} />
            )}
          </div>
        ))}
        {native.length > 0 && (
          <div className="min-w-0">
            <p className="mb-0.5 text-2xs text-ink-3">tool_calls</p>
            <LongText
              id={`${row.key}.raw.tool_calls`}
              text={JSON.stringify(native, null, 2)}
              label="tool_calls"
            />
          </div>
        )}
        {parts.length === 0 && native.length === 0 && (
          <p className="text-ink-3">
            {parsed?.swallowed_tokens ? swallowedWords(parsed.swallowed_tokens) : 'Empty.'}
          </p>
        )}
      </div>
    </Panel>
  );
}

/** Stretches without a mark are shortened in the middle beyond this length. */
const PLAIN_CHARS = 700;

function Marked({
  id,
  text,
  marks,
  label,
}: {
  id: string;
  text: string;
  marks: readonly Mark[];
  label: string;
}) {
  const pieces = markedText(text, marks);
  const [whole, toggle] = useUnfoldedByFound(`marked:${id}`, (words) =>
    pieces.some((piece) => !piece.mark && lacksFound(shortened(piece.text).join('\n'), piece.text, words)),
  );
  const isShortened = pieces.some((piece) => !piece.mark && piece.text.length > PLAIN_CHARS);
  return (
    <div className="group/text relative">
      <pre className="foreign m-0 leading-relaxed">
        {pieces.map((piece) =>
          piece.mark ? (
            <MarkedStretch key={piece.start} piece={piece} mark={piece.mark} />
          ) : (
            <Plain key={piece.start} text={piece.text} whole={whole} />
          ),
        )}
      </pre>
      {isShortened && (
        <button
          type="button"
          aria-expanded={whole}
          onClick={toggle}
          className="mt-1.5 min-h-6 font-sans text-xs font-medium text-brass underline-offset-2 hover:underline"
        >
          {whole ? `Show less of the ${label}` : `Show all of the ${label}`}
        </button>
      )}
      <CopyButton
        text={text}
        label={`Copy the ${label}`}
        className="absolute -top-1 -right-1 bg-inherit opacity-0 transition-opacity group-hover/text:opacity-100 focus-visible:opacity-100"
      />
    </div>
  );
}

function Plain({ text, whole }: { text: string; whole: boolean }) {
  if (whole) return <ForeignText text={text} />;
  const [start = '', end] = shortened(text);
  if (end === undefined) return <ForeignText text={start} />;
  return (
    <>
      <ForeignText text={start} />
      <span className="text-ink-3">
        {' '}
        … {formatCount(text.length - start.length - end.length)} characters …{' '}
      </span>
      <ForeignText text={end} />
    </>
  );
}

/** The beginning and the end of a long text, or all of a short one. */
function shortened(text: string): string[] {
  const half = PLAIN_CHARS / 2;
  return text.length <= PLAIN_CHARS ? [text] : [text.slice(0, half), text.slice(-half)];
}

function MarkedStretch({ piece, mark }: { piece: MarkedPiece; mark: Mark }) {
  const call = mark.kind === 'call';
  return (
    <mark
      data-mark={mark.kind}
      className={cx(
        'rounded-sm px-0.5 text-ink [box-decoration-break:clone]',
        call
          ? 'bg-brass-wash shadow-[inset_0_-1.5px_0_var(--brass-line)]'
          : 'bg-warn-wash underline decoration-warn decoration-dashed decoration-1 underline-offset-[3px]',
      )}
    >
      <span
        className={cx(
          'mr-1.5 font-sans text-2xs font-semibold select-none',
          call ? 'text-brass' : 'text-warn',
        )}
      >
        {call ? `call ${mark.label}` : refusalWords(mark.label)}
      </span>
      <ForeignText text={piece.text} />
    </mark>
  );
}

/** All repairs and coercions of a reply's calls, before and after. */
export function Repairs({ parsed }: { parsed: Parsed }) {
  const calls = parsed.calls
    .map((call, index) => ({
      call,
      repairs: parsed.repairs.filter((repair) => repair.call === index),
      coercions: parsed.coercions.filter((coercion) => coercion.call === index),
    }))
    .filter(({ repairs, coercions }) => repairs.length + coercions.length > 0);
  if (calls.length === 0) return null;
  return (
    <Panel label="What was changed to read it">
      <ul className="grid gap-3">
        {calls.map(({ call, repairs, coercions }) => (
          <li key={call.call_id} className="grid min-w-0 gap-2">
            <p className="text-ink-3">
              <span className="text-ink-2">{shortLine(call.name)}</span> (call {call.call_id})
            </p>
            <Changes repairs={repairs} coercions={coercions} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The repairs and coercions of one call. */
export function Changes({ repairs, coercions }: Pick<Parsed, 'repairs' | 'coercions'>) {
  return (
    <>
      {repairs.map((repair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the repairs of a call never move
        <div key={index} className="min-w-0">
          <p className="mb-0.5 text-ink-3">{repair.rule.replaceAll('-', ' ')}</p>
          <BeforeAfter before={repair.before} after={repair.after} />
        </div>
      ))}
      {coercions.map((coercion) => (
        <ValueChange key={coercion.path} {...coercion} />
      ))}
    </>
  );
}

/** Refused calls with the reason and, for a wrong name, the nearest tool. */
export function Refusals({ row, brief }: { row: CallRow; brief: boolean }) {
  const { goTo } = useRunScreen();
  const refusals = row.parsed?.refusals ?? [];
  if (refusals.length === 0) return null;
  const shown = brief ? refusals.slice(0, 2) : refusals;
  return (
    <ul className="mt-1.5 grid gap-1.5" aria-label="Not taken as calls">
      {shown.map((refusal, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the refusals of a reply never move
        <li key={index} className="min-w-0 text-sm">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <span className="text-warn">Not taken as a call</span>
            <Badge tone="warn">{refusalWords(refusal.reason)}</Badge>
            {refusal.nearest && (
              <span className="text-ink-2">
                {refusal.name && (
                  <code>
                    <ShortName text={refusal.name} />
                  </code>
                )}{' '}
                → nearest: <code>{refusal.nearest}</code>
              </span>
            )}
          </span>
          <ForeignMessage text={refusal.message} className="text-ink-2" />
          {!brief && !refusal.span && (
            <pre className="foreign mt-1 text-xs text-ink-3">
              <ForeignText text={refusal.raw} />
            </pre>
          )}
        </li>
      ))}
      {shown.length < refusals.length && (
        <li>
          <button
            type="button"
            className="min-h-6 text-sm text-brass underline-offset-2 hover:underline"
            onClick={() => goTo(row.seq)}
          >
            and {refusals.length - shown.length} more in this reply
          </button>
        </li>
      )}
    </ul>
  );
}
