'use client';

import { type ChangeEvent, type DragEvent, type FormEvent, useRef, useState } from 'react';
import type { CreateSuiteRequest } from '#lib/api/suite.ts';
import { formatOf } from '#lib/browser/drafts/case-draft.ts';
import { keepText } from '#lib/browser/drafts/kept-text.ts';
import { MAX_SUITE_BYTES, MAX_SUITE_NAME_CHARS } from '#lib/events/limits.ts';
import { useKeptText } from '../hooks/use-kept-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field } from '../ui/form/fields.tsx';

const KEPT_TEXT = 'import-suite';

/** Imports a suite file: dropped, chosen or pasted. */
export function ImportSuite({
  busy,
  onImport,
}: {
  busy: boolean;
  /** Resolves to whether it was imported. */
  onImport: (file: CreateSuiteRequest) => Promise<boolean>;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useKeptText(KEPT_TEXT);
  const [isOver, setOver] = useState(false);
  const [tooLarge, setTooLarge] = useState(false);
  const send = (content: string, fileName = '') => {
    const name = fileName
      .replace(/\.\w+$/, '')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
      .trim()
      .slice(0, MAX_SUITE_NAME_CHARS);
    return onImport({ text: content, format: formatOf(content, fileName), name: name || 'Imported suite' });
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    setTooLarge(file.size > MAX_SUITE_BYTES);
    if (file.size <= MAX_SUITE_BYTES) void send(await file.text(), file.name);
  };
  const chosen = (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    event.target.value = ''; // the same file can be chosen again after a mistake
    void take(file);
  };
  const dropped = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send(text).then((imported) => imported && keepText(KEPT_TEXT, ''));
  };
  return (
    <section aria-label="Import a suite" className="mt-6 grid gap-4 rounded-lg border bg-surface p-4">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same */}
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={dropped}
        className={cx(
          'flex flex-wrap items-center gap-3 rounded-md border border-dashed p-4',
          isOver ? 'border-brass bg-brass-wash' : 'border-line-strong',
        )}
      >
        <Button size="sm" className="max-sm:h-11" disabled={busy} onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <p className="text-sm text-ink-2">or drop it here: YAML, JSON or JSON Lines.</p>
        <input
          ref={input}
          type="file"
          accept=".yaml,.yml,.json,.jsonl,.ndjson"
          aria-label="Suite file"
          className="sr-only"
          tabIndex={-1}
          onChange={chosen}
        />
      </div>
      {tooLarge && (
        <ErrorNote
          error={{
            message: `The file is larger than ${MAX_SUITE_BYTES / 1024 / 1024} MB.`,
            hint: 'Split it into several suites.',
          }}
        />
      )}
      <form className="grid gap-3" onSubmit={submit}>
        <Field label="Or paste its text">
          {(props) => (
            <textarea
              {...props}
              className="field min-h-32 font-mono text-sm"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" className="w-fit max-sm:h-11" size="sm" disabled={busy || text.trim() === ''}>
          Import the text
        </Button>
      </form>
    </section>
  );
}
