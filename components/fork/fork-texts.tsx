'use client';

import { useMemo, useState } from 'react';
import { forkTexts } from '#lib/browser/drafts/fork-draft.ts';
import { plural } from '#lib/browser/words/format.ts';
import { Button } from '../ui/button.tsx';
import type { ForkPart } from './fork-part.ts';
import { TextItem } from './text-item.tsx';

/** The texts of the conversation, the newest first; each opens to be edited. */
export function ForkTexts(part: ForkPart) {
  const { point, focused } = part;
  const texts = useMemo(() => forkTexts(point), [point]);
  const [all, setAll] = useState(false);
  const first = texts.slice(0, 6);
  const shown = all || texts.length <= 8 ? texts : first;
  const rest = texts.find(({ key }) => key === focused && !shown.some((each) => each.key === key));
  const list = rest ? [...shown, rest] : shown;
  if (texts.length === 0) return null;
  return (
    <section aria-label="Conversation">
      <h3 className="caption mb-1.5">Conversation at this point, newest first</h3>
      <ul className="divide-y rounded-md border border-line-strong">
        {list.map((each) => (
          <TextItem key={each.key} {...part} item={each} />
        ))}
      </ul>
      {list.length < texts.length && (
        <Button kind="quiet" size="sm" className="mt-1.5 -ml-2.5" onClick={() => setAll(true)}>
          {plural(texts.length - list.length, 'older message')}
        </Button>
      )}
    </section>
  );
}
