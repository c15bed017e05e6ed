'use client';

import { type FormEvent, useMemo, useState } from 'react';
import type { CallMcpToolReply } from '#lib/api/mcp.ts';
import { type ArgumentField, argumentFieldsOf, argumentsOf } from '#lib/browser/drafts/argument-draft.ts';
import { formatDuration } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { isRecord, type JsonObject, type JsonValue } from '#lib/util/json.ts';
import { useRequest } from '../hooks/use-request.ts';
import { Button } from '../ui/button.tsx';
import { JsonTree } from '../ui/content/json-tree.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { Field } from '../ui/form/fields.tsx';

/** A form made from a tool's schema, and the result of the call. */
export function TryTool({
  name,
  schema,
  note,
  onCall,
}: {
  name: string;
  schema: JsonObject;
  /** A note on the effect of a call. */
  note: string;
  onCall: (args: JsonObject) => Promise<CallMcpToolReply>;
}) {
  const fields = useMemo(() => argumentFieldsOf(schema), [schema]);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [reply, setReply] = useState<CallMcpToolReply>();
  const { busy, problem, run } = useRequest();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = argumentsOf(fields, texts);
    setProblems(read.ok ? {} : read.problems);
    if (!read.ok) return;
    setReply(undefined);
    void run(async () => setReply(await onCall(read.arguments)));
  };
  return (
    <form
      aria-label={`Try ${shortLine(name)}`}
      className="grid min-w-0 gap-3 rounded-md border p-3"
      onSubmit={submit}
    >
      {fields.map((field) => (
        <ArgumentInput
          key={field.name}
          field={field}
          text={texts[field.name] ?? ''}
          problem={problems[field.name]}
          onChange={(text) => setTexts({ ...texts, [field.name]: text })}
        />
      ))}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" size="sm" className="max-sm:h-11" disabled={busy}>
          {busy ? 'Calling' : 'Call'}
        </Button>
        <span className="text-sm text-ink-3">{note}</span>
      </div>
      {problem && <ErrorNote error={problem} />}
      {reply && <Result reply={reply} />}
    </form>
  );
}

function ArgumentInput({
  field,
  text,
  problem,
  onChange,
}: {
  field: ArgumentField;
  text: string;
  problem: string | undefined;
  onChange: (text: string) => void;
}) {
  const { kind, placeholder } = field;
  const label = `${shortLine(field.name)}${field.required ? '' : ' (optional)'}${kind === 'json' ? ', JSON' : ''}`;
  const choices = kind === 'switch' ? ['true', 'false'] : field.choices;
  return (
    <Field
      label={label}
      hint={field.description && <ForeignText text={field.description} />}
      problem={problem}
    >
      {(props) => {
        const shared = { ...props, value: text, className: 'field font-mono text-sm' };
        if (kind === 'choice' || kind === 'switch') {
          return (
            <select {...shared} onChange={(event) => onChange(event.target.value)}>
              <option value="">{placeholder === '' ? '–' : `default: ${shortLine(placeholder)}`}</option>
              {choices.map((choice) => (
                <option key={choice} value={choice}>
                  {shortLine(choice)}
                </option>
              ))}
            </select>
          );
        }
        if (kind === 'number') {
          return (
            <input
              {...shared}
              inputMode="decimal"
              autoComplete="off"
              placeholder={placeholder}
              onChange={(event) => onChange(event.target.value)}
            />
          );
        }
        return (
          <textarea
            {...shared}
            rows={kind === 'json' ? 3 : 1}
            className="field [field-sizing:content] max-h-96 resize-y font-mono text-sm"
            spellCheck={false}
            placeholder={placeholder}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }}
    </Field>
  );
}

function Result({ reply: { result, duration_ms } }: { reply: CallMcpToolReply }) {
  const { text, error, data, ...rest } = fieldsOf(result.output);
  const shown = [text, error].find((each) => typeof each === 'string');
  const others = { ...rest, ...(data === undefined ? {} : { data }) };
  return (
    <section aria-label="Result" className="min-w-0" aria-live="polite">
      <p className="text-sm">
        <span className={result.success ? 'font-medium text-ok' : 'font-medium text-fail'}>
          {result.success ? 'ok' : 'failed'}
        </span>{' '}
        <span className="tnum text-ink-3">
          {formatDuration(duration_ms)}
          {result.truncated && ', truncated'}
        </span>
      </p>
      {typeof shown === 'string' && (
        <pre className="foreign mt-1 max-h-96 overflow-y-auto font-mono text-xs leading-relaxed">
          <ForeignText text={shown} />
        </pre>
      )}
      {Object.keys(others).length > 0 && (
        <div className="mt-1 font-mono text-xs">
          <JsonTree value={others} />
        </div>
      )}
      {result.note && (
        <p className="foreign mt-1 text-sm text-warn">
          <ForeignText text={result.note} />
        </p>
      )}
    </section>
  );
}

function fieldsOf(output: JsonValue): { [name: string]: JsonValue } {
  return isRecord(output) ? output : { data: output };
}
