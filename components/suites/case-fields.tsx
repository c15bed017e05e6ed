'use client';

import type { CaseDraft } from '#lib/browser/drafts/case-draft.ts';
import { kindFacts, runKinds } from '#lib/events/modes.ts';
import { FoldMark } from '../ui/fold-mark.tsx';
import { Choice, Field } from '../ui/form/fields.tsx';

const MODES = runKinds.map((kind) => ({ value: kind, label: kindFacts(kind).label }));

/** The fields of a case, but for its files and checks. */
export function CaseFields({
  draft,
  onChange,
}: {
  draft: CaseDraft;
  onChange: (changes: Partial<CaseDraft>) => void;
}) {
  const facts = kindFacts(draft.mode);
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Line label="ID" value={draft.id} required mono onChange={(id) => onChange({ id })} />
        <Line
          label="Tags"
          hint="Separated by commas."
          value={draft.tags}
          onChange={(tags) => onChange({ tags })}
        />
      </div>
      <Choice
        legend="Mode"
        name="case-mode"
        value={draft.mode}
        options={MODES}
        onChange={(mode) => onChange({ mode })}
      />
      {facts.task === 'required' && (
        <Lines label="Task" rows={4} value={draft.input} onChange={(input) => onChange({ input })} />
      )}
      {facts.answers && (
        <Lines
          label="Target"
          hint="One text per line: the answer must contain one of them, regardless of case."
          rows={2}
          value={draft.target}
          onChange={(target) => onChange({ target })}
        />
      )}
      <details>
        <summary className="flex w-fit items-center gap-2 py-1 font-medium max-sm:py-3">
          <FoldMark />
          More fields
        </summary>
        <div className="mt-3 grid gap-4">
          {facts.usesFiles && (
            <Line
              label="Folder"
              hint="Absolute path. Each run works on a copy. Not together with files."
              value={draft.folder}
              mono
              onChange={(folder) => onChange({ folder })}
            />
          )}
          {facts.tools.length > 0 && (
            <Line
              label="Tools"
              hint={`Separated by commas; all if empty: ${facts.tools.join(', ')}.`}
              value={draft.tools}
              mono
              onChange={(tools) => onChange({ tools })}
            />
          )}
          <Lines
            label="Settings"
            hint={'A JSON object, such as {"tier": "trivial"}.'}
            rows={3}
            mono
            value={draft.settings}
            onChange={(settings) => onChange({ settings })}
          />
          <Lines
            label="Metadata"
            hint="A JSON object. Loupe keeps it and does not use it."
            rows={3}
            mono
            value={draft.metadata}
            onChange={(metadata) => onChange({ metadata })}
          />
        </div>
      </details>
    </>
  );
}

interface Text {
  label: string;
  hint?: string;
  value: string;
  mono?: boolean;
  onChange: (value: string) => void;
}

function Line({
  label,
  hint,
  value,
  mono = false,
  required = false,
  onChange,
}: Text & { required?: boolean }) {
  return (
    <Field label={label} hint={hint}>
      {(props) => (
        <input
          {...props}
          className={mono ? 'field font-mono text-sm' : 'field'}
          required={required}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function Lines({ label, hint, rows, value, mono = false, onChange }: Text & { rows: number }) {
  return (
    <Field label={label} hint={hint}>
      {(props) => (
        <textarea
          {...props}
          className={mono ? 'field font-mono text-sm' : 'field'}
          rows={rows}
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
