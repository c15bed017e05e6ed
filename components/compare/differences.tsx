'use client';

import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { WindowVirtualizer, type WindowVirtualizerHandle } from 'virtua';
import type { CompareReply } from '#lib/api/comparison.ts';
import type { RunSummary } from '#lib/api/run-summary.ts';
import { focusEnabled } from '#lib/browser/focus-soon.ts';
import { formatCount, plural } from '#lib/browser/words/format.ts';
import { comparedStepWord } from '#lib/browser/words/mode-words.ts';
import { plainVisibleLine } from '#lib/browser/words/visible-text.ts';
import { usePrinting } from '../hooks/use-printing.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { FileDiff } from '../ui/content/file-diff.tsx';
import { cx } from '../ui/cx.ts';
import { FoldMark } from '../ui/fold-mark.tsx';
import { ShortName } from '../ui/foreign-name.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Link } from '../ui/link.tsx';
import { ScrollGroup } from '../ui/scroll-region.tsx';
import { RunMark } from './run-mark.tsx';
import { useDifferenceKeys } from './use-difference-keys.ts';

type Step = CompareReply['comparison']['steps'][number];
type Part = Step['parts'][number];
type Shown = NonNullable<Part['left']>;

/** For controls outside the list. */
export interface DifferencesHandle {
  /** Goes to an iteration, as `j` and `k` do. */
  goTo: (position: number) => void;
}

/** Comparisons with up to this many rows are printed in full. */
const PRINTED_ROWS = 500;

/**
 * The iterations side by side: equal ones collapsed, the others with their differences. Only rows near the view
 * are drawn.
 *
 * @param onTexts requests the texts from an iteration on, if they were left out
 */
export function Differences({
  handle,
  comparison,
  a,
  b,
  letter,
  onTexts,
}: {
  handle: RefObject<DifferencesHandle | null>;
  comparison: CompareReply['comparison'];
  /** The baseline. */
  a: RunSummary;
  b: RunSummary;
  /** The letter of `b`. */
  letter: string;
  onTexts: (position: number) => void;
}) {
  const { steps, divergence } = comparison;
  const rows = useMemo(() => folded(steps), [steps]);
  const positions = useMemo(() => steps.flatMap(({ same, position }) => (same ? [] : [position])), [steps]);
  const list = useRef<HTMLElement>(null);
  const virtual = useRef<WindowVirtualizerHandle>(null);
  const shown = useRef(rows);
  shown.current = rows;
  const show = useCallback((position: number) => {
    const index = shown.current.findIndex((row) => !row.same && row.steps[0]?.position === position);
    if (index >= 0) virtual.current?.scrollToIndex(index, { align: 'start' });
  }, []);
  const goTo = useDifferenceKeys({ list, positions, show });
  useImperativeHandle(handle, () => ({ goTo }), [goTo]);
  useStepInAddress(goTo);
  /** The iteration whose texts were requested: the rest of the page changes its height when they arrive. */
  const wanted = useRef<number>(undefined);
  useEffect(() => {
    const step = steps[(wanted.current ?? 0) - 1];
    if (!step || step.left_out) return;
    wanted.current = undefined;
    goTo(step.position);
  }, [steps, goTo]);
  const askTexts = (position: number) => {
    wanted.current = position;
    onTexts(position);
  };
  const printing = usePrinting() && rows.length <= PRINTED_ROWS;
  const word = comparedStepWord(a.mode);
  const row = (each: Row) => (
    <div key={each.steps[0]?.position} data-at={each.steps[0]?.position} className="pb-4">
      {each.same ? (
        <SameSteps steps={each.steps} word={word} run={a} />
      ) : (
        each.steps.map((step) => (
          <DifferentStep
            key={step.position}
            step={step}
            word={word}
            a={a}
            b={b}
            letter={letter}
            first={step.position === divergence?.position}
            onTexts={askTexts}
          />
        ))
      )}
    </div>
  );
  return (
    <section ref={list} aria-label="Differences" className="mt-4">
      {divergence && (
        <p className="text-xs text-ink-3 max-md:hidden print:hidden">
          <Key>j</Key> <Key>k</Key> next and previous {word.toLowerCase()} that differs, <Key>n</Key> next
          difference
        </p>
      )}
      <div className="clickable-rows mt-3">
        {printing ? (
          rows.map(row)
        ) : (
          <WindowVirtualizer ref={virtual} data={rows} bufferSize={500}>
            {row}
          </WindowVirtualizer>
        )}
      </div>
    </section>
  );
}

/** Goes to the iteration that the address names: `#step-12`. */
function useStepInAddress(goTo: (position: number) => void): void {
  useEffect(() => {
    const read = () => {
      const digits = /^#step-(\d{1,9})$/.exec(location.hash)?.[1];
      if (digits) goTo(Number(digits));
    };
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, [goTo]);
}

function Key({ children }: { children: ReactNode }) {
  return <kbd className="rounded-sm border bg-sunken px-1 py-px text-2xs">{children}</kbd>;
}

interface Row {
  same: boolean;
  /** A group of adjacent equal iterations, or one that differs. */
  steps: Step[];
}

/** Groups equal neighbors; all others stay separate. */
function folded(steps: readonly Step[]): Row[] {
  const rows: Row[] = [];
  for (const step of steps) {
    const last = rows.at(-1);
    if (step.same && last?.same) last.steps.push(step);
    else rows.push({ same: step.same, steps: [step] });
  }
  return rows;
}

/** Equal iterations that are listed at a time. */
const LISTED = 100;

function SameSteps({ steps, word, run }: { steps: readonly Step[]; word: string; run: RunSummary }) {
  const [first, last] = [steps[0]?.position ?? 0, steps.at(-1)?.position ?? 0];
  const [from, setFrom] = useState(0);
  const listed = steps.slice(from, from + LISTED);
  return (
    <div>
      <details className="rounded-md border border-dashed border-line-strong">
        <summary className="flex flex-wrap items-baseline gap-x-3 px-4 py-2 text-ink-2 hover:text-ink">
          <FoldMark className="self-center" />
          <span className="font-medium">
            {first === last
              ? `${word} ${formatCount(first)} is the same`
              : `${word}s ${formatCount(first)} to ${formatCount(last)} are the same`}
          </span>
          <Badge tone="ok">equal</Badge>
        </summary>
        <ol className="border-t px-4 py-2 text-sm">
          {listed.map((step) => (
            <li key={step.position} className="flex min-w-0 items-baseline gap-3 py-0.5">
              <Link
                href={`/runs/${encodeURIComponent(run.id)}#${step.left?.seq ?? 1}`}
                className="tnum w-8 shrink-0 text-right font-mono text-xs text-brass underline-offset-2 hover:underline"
                aria-label={`${word} ${step.position} in run A`}
              >
                {step.position}
              </Link>
              <span className="foreign line-clamp-1 text-ink-2">
                <ForeignText text={step.summary || 'no call and no text'} />
              </span>
            </li>
          ))}
        </ol>
        {steps.length > LISTED && (
          <p className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t px-4 py-2 text-sm text-ink-2">
            {formatCount(listed[0]?.position ?? 0)} to {formatCount(listed.at(-1)?.position ?? 0)} of{' '}
            {formatCount(steps.length)}
            <Button
              size="sm"
              kind="quiet"
              disabled={from === 0}
              onClick={({ currentTarget }) => {
                setFrom(from - LISTED);
                focusEnabled(currentTarget, currentTarget.nextElementSibling);
              }}
            >
              Earlier
            </Button>
            <Button
              size="sm"
              kind="quiet"
              disabled={from + LISTED >= steps.length}
              onClick={({ currentTarget }) => {
                setFrom(from + LISTED);
                focusEnabled(currentTarget, currentTarget.previousElementSibling);
              }}
            >
              Later
            </Button>
          </p>
        )}
      </details>
    </div>
  );
}

function DifferentStep({
  step,
  word,
  a,
  b,
  letter,
  first,
  onTexts,
}: {
  step: Step;
  word: string;
  a: RunSummary;
  b: RunSummary;
  letter: string;
  first: boolean;
  onTexts: (position: number) => void;
}) {
  const differing = step.parts.filter(({ same }) => !same).length;
  return (
    // biome-ignore lint/a11y/useSemanticElements: it has a heading, and rows that are not drawn make no list
    <div
      role="group"
      aria-label={`${word} ${step.position}`}
      id={`step-${step.position}`}
      data-step=""
      tabIndex={-1}
      className={cx(
        'scroll-my-4 rounded-lg border bg-raised outline-offset-2',
        first && 'border-brass-line shadow-[inset_0_2px_0_var(--brass-fill)]',
      )}
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b px-4 py-2">
        <h3 className="font-semibold">
          {word} {formatCount(step.position)}
        </h3>
        {first && <Badge tone="live">first difference</Badge>}
        <span className="text-sm text-ink-3">
          {!step.left || !step.right
            ? `only in ${step.left ? 'A' : letter}`
            : step.left_out
              ? 'different'
              : plural(differing, 'difference')}
        </span>
        <span className="ml-auto flex gap-3 text-sm">
          {step.left && <ToRun run={a} seq={step.left.seq} letter="A" />}
          {step.right && <ToRun run={b} seq={step.right.seq} letter={letter} />}
        </span>
      </div>
      {step.left_out ? (
        <p className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 text-sm text-ink-2">
          This comparison is long, so its texts are loaded in parts.
          <Button size="sm" onClick={() => onTexts(step.position)}>
            Show them from {word.toLowerCase()} {formatCount(step.position)} on
          </Button>
        </p>
      ) : (
        <div className="divide-y">
          {step.parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a step never move
            <PartRow key={index} part={part} letter={letter} />
          ))}
        </div>
      )}
    </div>
  );
}

function ToRun({ run, seq, letter }: { run: RunSummary; seq: number; letter: string }) {
  return (
    <Link
      href={`/runs/${encodeURIComponent(run.id)}#${seq}`}
      className="py-0.5 text-brass underline-offset-2 hover:underline"
    >
      in {letter}
    </Link>
  );
}

const kindWords: Record<Part['kind'], string> = {
  said: 'message to the model',
  thinking: 'thinking',
  text: 'text',
  call: 'call',
  result: 'result',
  failure: 'failure',
  checks: 'checks',
  edit: 'changed by a person',
};

function PartRow({ part, letter }: { part: Part; letter: string }) {
  const { left, right } = part;
  const label = part.kind === 'said' || part.kind === 'text' || part.kind === 'thinking' ? '' : part.name;
  if (part.same && left) {
    return (
      <details className="px-4 py-1.5 text-sm">
        <summary className="flex min-w-0 items-baseline gap-2 text-ink-3 hover:text-ink-2">
          <FoldMark className="self-center" />
          <span className="shrink-0">
            {kindWords[part.kind]} <ForeignText text={label} />
          </span>
          <span className="foreign line-clamp-1 min-w-0">
            <ForeignText text={left.text.slice(0, 300).replaceAll(/\s+/g, ' ')} />
          </span>
          <span className="ml-auto shrink-0 text-xs">equal</span>
        </summary>
        <Text label="Text in both runs" shown={left} />
      </details>
    );
  }
  const name = `${kindWords[part.kind]} ${label}`.trim();
  return (
    <div data-difference="" tabIndex={-1} className="scroll-my-4 px-4 py-2.5 outline-offset-[-2px]">
      {left && right ? (
        <TextDiff name={name} left={left} right={right} letter={letter} />
      ) : (
        <OneSidedText name={name} shown={left ?? right} letter={left ? 'A' : letter} />
      )}
    </div>
  );
}

/** Both texts as a diff from the baseline to the other run, line by line. */
function TextDiff({
  name,
  left,
  right,
  letter,
}: {
  name: string;
  left: Shown;
  right: Shown;
  letter: string;
}) {
  return (
    <>
      <ScrollGroup
        label={`Difference from A to ${letter}: ${plainVisibleLine(name)}`}
        className="max-h-[32rem] overflow-y-auto print:max-h-none"
      >
        <FileDiff path={name} isText before={left.text} after={right.text} />
      </ScrollGroup>
      <CutNote shown={left} letter="A" />
      <CutNote shown={right} letter={letter} />
    </>
  );
}

/** A text that only one run has. */
function OneSidedText({ name, shown, letter }: { name: string; shown: Shown | undefined; letter: string }) {
  return (
    <>
      <p className="mb-1.5 flex items-center gap-2 text-sm">
        <RunMark letter={letter} />
        <span className="foreign min-w-0 font-medium">
          <ShortName text={name} />
        </span>
        <span className="text-ink-3">only in {letter}</span>
      </p>
      {shown && <Text label={`Text in run ${letter}`} shown={shown} />}
    </>
  );
}

function Text({ label, shown }: { label: string; shown: Shown }) {
  return (
    <>
      <ScrollGroup
        label={label}
        className="foreign max-h-96 overflow-y-auto rounded-md border bg-sunken px-3 py-2 font-mono text-xs leading-relaxed"
      >
        <ForeignText text={shown.text} />
      </ScrollGroup>
      <CutNote shown={shown} />
    </>
  );
}

/** Says which part of a long text is shown. */
function CutNote({ shown: { text, cut }, letter }: { shown: Shown; letter?: string }) {
  if (!cut) return null;
  return (
    <p className="mt-1 text-xs text-ink-3">
      {letter && `${letter}: `}characters {formatCount(cut.from + 1)} to {formatCount(cut.from + text.length)}{' '}
      of {formatCount(cut.chars)}, around the first difference.
    </p>
  );
}
