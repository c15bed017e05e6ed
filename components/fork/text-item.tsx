'use client';

import { useEffect, useId, useRef, useState } from 'react';
import type { ForkText } from '#lib/browser/drafts/fork-draft.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { Button } from '../ui/button.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { HiddenNote } from '../ui/hidden-note.tsx';
import type { ForkPart } from './fork-part.ts';

/** A text that opens to be edited. */
export function TextItem({
  item,
  focused,
  draft,
  problems,
  onChange,
  action,
}: Omit<ForkPart, 'point'> & {
  item: Pick<ForkText, 'key' | 'label' | 'text' | 'chars'>;
  action?: React.ReactNode;
}) {
  const initially = item.key === focused;
  const [open, setOpen] = useState(initially);
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const text = draft.texts[item.key] ?? item.text;
  const edited = text !== item.text;
  const problem = problems[item.key];
  const write = (written: string) => onChange({ texts: { ...draft.texts, [item.key]: written } });
  useEffect(() => {
    if (initially) area.current?.focus();
  }, [initially]);
  return (
    <li className="min-w-0 px-3 py-1.5">
      <div className="flex min-w-0 items-baseline gap-2">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-h-6 min-w-0 flex-1 items-baseline gap-2 text-left"
        >
          <span className="shrink-0 text-sm font-medium">{shortLine(item.label, 60)}</span>
          {!open && (
            <span className="min-w-0 truncate text-sm text-ink-3">
              <ForeignText text={text.slice(0, 200).replaceAll(/\s+/g, ' ')} />
            </span>
          )}
        </button>
        {edited && <span className="shrink-0 text-xs font-medium text-brass">changed</span>}
        {action}
      </div>
      {open && item.chars !== undefined && (
        <p className="mt-1 text-sm text-ink-3">{formatCount(item.chars)} characters: too long to edit.</p>
      )}
      {open && item.chars === undefined && (
        <>
          <label htmlFor={id} className="sr-only">
            {shortLine(item.label, 60)}
          </label>
          <textarea
            ref={area}
            id={id}
            rows={Math.min(12, Math.max(2, text.split('\n').length))}
            className="field my-1.5 [field-sizing:content] max-h-96 resize-y font-mono text-sm"
            spellCheck={false}
            value={text}
            onChange={(event) => write(event.target.value)}
          />
          <HiddenNote text={text} />
          {edited && (
            <Button kind="quiet" size="sm" className="mb-1" onClick={() => write(item.text)}>
              Undo changes
            </Button>
          )}
        </>
      )}
      {problem && <p className="text-xs text-fail">{problem}</p>}
    </li>
  );
}
