'use client';

import { X } from 'lucide-react';
import { useId, useState } from 'react';
import type { FacetsReply } from '#lib/api/facets.ts';
import { typedTags } from '#lib/browser/drafts/typed-tags.ts';
import { isComposing } from '#lib/browser/typing.ts';
import { MAX_TAG_CHARS, MAX_TAGS } from '#lib/events/limits.ts';
import { ON_RETURN, useApi } from '../hooks/use-api.ts';
import { ForeignText } from '../ui/foreign-text.tsx';

/** Tags with a field that adds more: Enter and commas end a tag, Backspace takes back the last one. */
export function TagField({
  label,
  tags,
  onChange,
}: {
  label: string;
  tags: readonly string[];
  onChange: (tags: readonly string[]) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const { data } = useApi<FacetsReply>('/api/facets', ON_RETURN);
  const add = (text: string) => {
    const named = typedTags(text);
    setTyped('');
    if (named.length > 0) onChange([...new Set([...tags, ...named])].slice(0, MAX_TAGS));
  };
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <div className="field flex flex-wrap items-center gap-1.5 py-1.5 has-[input:focus-visible]:border-transparent has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-brass">
        {tags.map((tag) => (
          <span
            key={tag}
            className="inline-flex max-w-full items-center rounded-sm border border-line-strong bg-sunken pl-1.5 text-sm"
          >
            <span className="foreign truncate">
              <ForeignText text={tag} />
            </span>
            <button
              type="button"
              aria-label={`Remove the tag ${tag}`}
              onClick={() => onChange(tags.filter((other) => other !== tag))}
              className="reach grid size-6 place-items-center text-ink-3 hover:text-ink"
            >
              <X className="size-3" aria-hidden="true" />
            </button>
          </span>
        ))}
        <input
          id={id}
          list={`${id}-known`}
          value={typed}
          disabled={tags.length >= MAX_TAGS}
          placeholder={tags.length === 0 ? 'baseline, to check' : ''}
          autoComplete="off"
          maxLength={MAX_TAG_CHARS + 1}
          onChange={(event) => {
            const { value } = event.target;
            if (value.includes(',')) add(value);
            else setTyped(value);
          }}
          onBlur={() => add(typed)}
          onKeyDown={(event) => {
            // The Enter that ends a composition, as of Japanese, is part of the word.
            if (isComposing(event.nativeEvent)) return;
            if (event.key === 'Enter' && typed.trim() !== '') {
              event.preventDefault();
              add(typed);
            }
            if (event.key === 'Backspace' && typed === '') onChange(tags.slice(0, -1));
          }}
          className="min-h-6 min-w-24 flex-1 bg-transparent outline-none placeholder:text-ink-3"
        />
        <datalist id={`${id}-known`}>
          {data?.tags
            .filter(({ name }) => !tags.includes(name))
            .map(({ name }) => (
              <option key={name} value={name} />
            ))}
        </datalist>
      </div>
    </div>
  );
}
