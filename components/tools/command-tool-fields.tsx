'use client';

import {
  type CommandToolDraft,
  type CommandToolProblems,
  rowsOf,
  schemaOf,
} from '#lib/browser/drafts/command-tool-draft.ts';
import { COMMAND_TOOL_SECONDS, offeredCommandName } from '#lib/events/mcp-names.ts';
import { isBoundedObject, jsonValue } from '#lib/util/json.ts';
import { Button } from '../ui/button.tsx';
import { Choice, Field, NumberField } from '../ui/form/fields.tsx';
import { ParameterRows } from './parameter-rows.tsx';

interface Part {
  draft: CommandToolDraft;
  problems: CommandToolProblems;
  onChange: (draft: CommandToolDraft) => void;
}

/** The fields of a custom tool: its description for models, and its command. */
export function CommandToolFields({ draft, problems, onChange }: Part) {
  const set = (change: Partial<CommandToolDraft>) => onChange({ ...draft, ...change });
  return (
    <>
      <Field
        label="Name"
        hint={`Models see it as ${offeredCommandName(draft.name.trim() || 'name')}.`}
        problem={problems.name}
      >
        {(props) => (
          <input
            {...props}
            className="field font-mono text-sm"
            autoComplete="off"
            spellCheck={false}
            placeholder="count_words"
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description" hint="What it does and when to use it." problem={problems.description}>
        {(props) => (
          <textarea
            {...props}
            className="field [field-sizing:content] min-h-16 resize-y text-sm"
            placeholder="Count the words of a text file."
            value={draft.description}
            onChange={(event) => set({ description: event.target.value })}
          />
        )}
      </Field>
      <Parameters draft={draft} problems={problems} onChange={onChange} />
      <Field
        label="Command"
        hint="The program and its arguments, one per line. {path} stands for the parameter path; a line whose optional parameter is missing is left out. Write {{ for a brace."
        problem={problems.command}
      >
        {(props) => (
          <textarea
            {...props}
            rows={4}
            className="field [field-sizing:content] resize-y font-mono text-sm"
            spellCheck={false}
            placeholder={'wc\n-w\n--\n{path}'}
            value={draft.command}
            onChange={(event) => set({ command: event.target.value })}
          />
        )}
      </Field>
      <Choice
        legend="Standard input"
        name="command-stdin"
        value={draft.stdin}
        options={[
          { value: 'none', label: 'Empty' },
          { value: 'json', label: 'The arguments as JSON' },
        ]}
        onChange={(stdin) => set({ stdin })}
      />
      <Choice
        legend="Access to the folder of a run"
        name="command-access"
        value={draft.access}
        options={[
          { value: 'read', label: 'Read' },
          { value: 'write', label: 'Read and write' },
        ]}
        onChange={(access) => set({ access })}
      />
      <NumberField
        label="Call timeout"
        unit="seconds"
        value={draft.timeoutSeconds}
        placeholder={String(COMMAND_TOOL_SECONDS.default)}
        problem={problems.timeoutSeconds}
        onChange={(timeoutSeconds) => set({ timeoutSeconds })}
      />
    </>
  );
}

/** The parameters, as rows or as a JSON schema. */
function Parameters({ draft, problems, onChange }: Part) {
  const { schema, parameters } = draft;
  const set = (change: Partial<CommandToolDraft>) => onChange({ ...draft, ...change });
  if (schema === undefined) {
    return (
      <div className="min-w-0">
        <ParameterRows
          rows={parameters}
          problem={problems.parameters}
          onChange={(rows) => set({ parameters: rows })}
        />
        <Button
          size="sm"
          kind="quiet"
          className="mt-1 max-sm:h-11"
          onClick={() => set({ schema: JSON.stringify(schemaOf(parameters), null, 2) })}
        >
          Edit as JSON schema
        </Button>
      </div>
    );
  }
  const value = jsonValue(schema);
  const rows = isBoundedObject(value, { maxChars: 100_000, maxDepth: 30 }) ? rowsOf(value) : undefined;
  return (
    <div className="min-w-0">
      <Field label="Parameters as a JSON schema" problem={problems.schema}>
        {(props) => (
          <textarea
            {...props}
            className="field [field-sizing:content] max-h-96 min-h-32 resize-y font-mono text-sm"
            spellCheck={false}
            value={schema}
            onChange={(event) => set({ schema: event.target.value })}
          />
        )}
      </Field>
      {rows && (
        <Button
          size="sm"
          kind="quiet"
          className="mt-1 max-sm:h-11"
          onClick={() => set({ schema: undefined, parameters: rows })}
        >
          Use the form
        </Button>
      )}
    </div>
  );
}
