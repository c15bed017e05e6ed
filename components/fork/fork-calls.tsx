'use client';

import { useMemo } from 'react';
import { forkCalls } from '#lib/browser/drafts/fork-draft.ts';
import { formatCount } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { ForkPart } from './fork-part.ts';
import { TextItem } from './text-item.tsx';

/** The calls that the fork makes first: each of their arguments opens to be edited. */
export function ForkCalls(part: ForkPart) {
  const { point } = part;
  const calls = useMemo(() => forkCalls(point), [point]);
  if (calls.length === 0) return null;
  return (
    <section aria-label="Pending calls">
      <h3 className="caption mb-1.5">Pending calls and their arguments</h3>
      <ul className="divide-y rounded-md border border-line-strong">
        {calls.map(({ callId, tool, chars, fields }) =>
          fields.length === 0 ? (
            <li key={callId} className="px-3 py-1.5 text-sm">
              <span className="font-medium">{shortLine(tool)}</span>{' '}
              <span className="text-ink-3">
                {chars === undefined
                  ? 'has no arguments.'
                  : `${formatCount(chars)} characters of arguments: too long to edit.`}
              </span>
            </li>
          ) : (
            fields.map((field) => (
              <TextItem
                key={field.key}
                {...part}
                item={{
                  key: field.key,
                  label: `${tool}: ${field.name}${field.missing ? ', left out' : ''}`,
                  text: field.text,
                }}
              />
            ))
          ),
        )}
      </ul>
    </section>
  );
}
