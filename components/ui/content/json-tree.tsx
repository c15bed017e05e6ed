'use client';

import { useState } from 'react';
import { lacksFound } from '#lib/browser/state/mark-found.ts';
import type { JsonValue } from '#lib/util/json.ts';
import { FoldMark } from '../fold-mark.tsx';
import { ForeignName } from '../foreign-name.tsx';
import { ForeignText } from '../foreign-text.tsx';
import { useFound } from '../found-words.ts';

/** Entries shown at first, and with each further step. */
const STEP = 100;
/** Longer texts are truncated until expanded. */
const MAX_TEXT_CHARS = 300;
/** Levels that are open at first, if they are not large. */
const OPEN_DEPTH = 3;
const OPEN_ENTRIES = 20;
/** Deeper values are left to the source: a page cannot draw elements in elements without end. */
const MAX_DEPTH = 20;

/** A JSON value as a tree. Only what is unfolded is drawn. */
export function JsonTree({ value }: { value: JsonValue }) {
  return (
    <div className="min-w-0 leading-relaxed">
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { name?: string; value: JsonValue; depth: number }) {
  if (value === null || typeof value !== 'object') {
    return (
      <p className="foreign pl-3.5">
        <Name name={name} />
        <Scalar value={value} />
      </p>
    );
  }
  if (depth > MAX_DEPTH) {
    return (
      <p className="pl-3.5 font-sans text-ink-3">
        <Name name={name} />
        nested too deeply for a tree
      </p>
    );
  }
  return <Branch name={name} value={value} depth={depth} />;
}

function Branch({
  name,
  value,
  depth,
}: {
  name: string | undefined;
  value: JsonValue[] | { [key: string]: JsonValue };
  depth: number;
}) {
  const isList = Array.isArray(value);
  const count = isList ? value.length : Object.keys(value).length;
  const [open, setOpen] = useState(depth === 0 || (depth < OPEN_DEPTH && count <= OPEN_ENTRIES));
  const [max, setMax] = useState(STEP);
  useFound((words) => {
    const entries = Object.entries(value).map(flat);
    const last = Math.max(
      ...words.map((word) => entries.findIndex((entry) => lacksFound('', entry, [word]))),
    );
    if (last < 0) return;
    setOpen(true);
    setMax((shown) => Math.max(shown, Math.ceil((last + 1) / STEP) * STEP));
  });
  const size = isList ? `[${count}]` : `{${count}}`;
  if (count === 0) {
    return (
      <p className="foreign pl-3.5">
        <Name name={name} />
        <span className="text-ink-3">{isList ? '[]' : '{}'}</span>
      </p>
    );
  }
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="reach foreign max-w-full text-left hover:text-brass"
      >
        <FoldMark open={open} className="mr-1.5" />
        <Name name={name} />
        <span className="text-ink-3">{size}</span>
      </button>
      {open && (
        <div className="ml-1.5 min-w-0 border-l pl-2">
          {entriesOf(value, max).map(([key, each]) => (
            <Node key={key} name={key} value={each} depth={depth + 1} />
          ))}
          {count > max && (
            <button
              type="button"
              className="reach pl-3.5 font-sans font-medium text-brass hover:underline"
              onClick={() => setMax(max + STEP)}
            >
              Show more ({count - max} left)
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** All names and texts of an entry, as they are shown. */
function flat([name, value]: [string, JsonValue]): string {
  if (value === null || typeof value !== 'object') return `${name}\n${String(value)}`;
  return [name, ...Object.entries(value).map(flat)].join('\n');
}

function entriesOf(value: JsonValue[] | { [key: string]: JsonValue }, max: number): [string, JsonValue][] {
  return Object.entries(value).slice(0, max);
}

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <>
      <span className="text-code-name">
        <ForeignName text={name} />
      </span>
      <span className="text-ink-3">: </span>
    </>
  );
}

function Scalar({ value }: { value: string | number | boolean | null }) {
  if (typeof value === 'string') {
    return (
      <span className="text-ok">
        {value.length <= MAX_TEXT_CHARS ? (
          <ForeignText text={JSON.stringify(value)} />
        ) : (
          <ForeignName text={value} max={MAX_TEXT_CHARS} />
        )}
      </span>
    );
  }
  return <span className="text-warn">{String(value)}</span>;
}
