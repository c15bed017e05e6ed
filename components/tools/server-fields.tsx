'use client';

import type { ServerDraft, ServerProblems } from '#lib/browser/drafts/server-draft.ts';
import { SERVER_CALL_SECONDS } from '#lib/events/limits.ts';
import { SIGN_IN_PAGE } from '#lib/events/mcp-names.ts';
import { Choice, Field, NumberField, Switch } from '../ui/form/fields.tsx';
import { FolderRows } from './folder-rows.tsx';

interface Part {
  draft: ServerDraft;
  problems: ServerProblems;
  onChange: (draft: ServerDraft) => void;
}

/** The fields of a server: how it is started or reached, and what it may do. */
export function ServerFields({ draft, problems, isNew, onChange }: Part & { isNew: boolean }) {
  const part = { draft, problems, onChange };
  const set = (change: Partial<ServerDraft>) => onChange({ ...draft, ...change });
  return (
    <>
      {isNew && (
        <TextField part={part} name="name" label="Name" hint="The names of its tools begin with it." />
      )}
      {isNew && (
        <Choice
          legend="How it runs"
          name="server-type"
          value={draft.type}
          options={[
            { value: 'stdio', label: 'As a program' },
            { value: 'http', label: 'At an address' },
          ]}
          onChange={(type) => set({ type })}
        />
      )}
      {draft.type === 'http' ? <AddressFields {...part} /> : <ProgramFields {...part} />}
      <NumberField
        label="Call timeout"
        unit="seconds"
        value={draft.timeoutSeconds}
        placeholder={String(SERVER_CALL_SECONDS.default)}
        problem={problems.timeoutSeconds}
        onChange={(timeoutSeconds) => set({ timeoutSeconds })}
      />
      <Switch
        label="Trust its read-only marks"
        hint="Calls of tools that the server marks as read-only then run without asking you."
        checked={draft.trustReadOnly}
        onChange={(trustReadOnly) => set({ trustReadOnly })}
      />
    </>
  );
}

function AddressFields(part: Part) {
  return (
    <>
      <TextField part={part} name="url" label="Address" placeholder="http://127.0.0.1:3001/mcp" />
      <LinesField
        part={part}
        name="headers"
        label="Headers"
        placeholder={'Authorization: Bearer $' + '{MY_TOKEN}'}
        hint={REFERENCE_HINT}
      />
      <TextField
        part={part}
        name="clientId"
        label="Client ID (optional)"
        hint={`If you had to register an app to sign in. Its redirect URL: ${location.origin}${SIGN_IN_PAGE}`}
      />
      {(part.draft.clientId !== '' || part.draft.clientSecret !== '') && (
        <TextField
          part={part}
          name="clientSecret"
          label="Client secret (optional)"
          hint={`$${'{NAME}'} takes it from the environment that Loupe was started with. It is not shown again.`}
        />
      )}
    </>
  );
}

function ProgramFields(part: Part) {
  const { draft, problems, onChange } = part;
  const set = (change: Partial<ServerDraft>) => onChange({ ...draft, ...change });
  return (
    <>
      <TextField part={part} name="command" label="Command" placeholder="npx" />
      <LinesField
        part={part}
        name="args"
        label="Arguments"
        placeholder={'-y\n@modelcontextprotocol/server-memory'}
        hint="One per line."
      />
      <LinesField
        part={part}
        name="env"
        label="Environment variables"
        placeholder={'API_KEY=$' + '{API_KEY}'}
        hint={REFERENCE_HINT}
      />
      <FolderRows
        folders={draft.folders}
        problem={problems.folders}
        onChange={(folders) => set({ folders })}
      />
      <Choice
        legend="Access to the folder of a run"
        name="server-workspace"
        value={draft.workspace}
        options={[
          { value: 'none', label: 'None' },
          { value: 'read', label: 'Read' },
          { value: 'write', label: 'Read and write' },
        ]}
        onChange={(workspace) => set({ workspace })}
      />
      <Switch
        label="Network"
        hint="Off: no network access, not even to this machine. On: it can reach everything that you can. npx needs it to download packages."
        checked={draft.network}
        onChange={(network) => set({ network })}
      />
      <TextField
        part={part}
        name="cwd"
        label="Working folder"
        placeholder="its own folder"
        hint="Must be one of the folders above."
      />
    </>
  );
}

const REFERENCE_HINT = `One per line. $${'{NAME}'} takes the value from the environment that Loupe was started with. Values are not shown again.`;

type TextName = 'name' | 'url' | 'clientId' | 'clientSecret' | 'command' | 'cwd';

function TextField({
  part: { draft, problems, onChange },
  name,
  label,
  hint,
  placeholder,
}: {
  part: Part;
  name: TextName;
  label: string;
  hint?: string;
  placeholder?: string;
}) {
  return (
    <Field label={label} hint={hint} problem={problems[name]}>
      {(props) => (
        <input
          {...props}
          className="field font-mono text-sm"
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          value={draft[name]}
          onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
        />
      )}
    </Field>
  );
}

function LinesField({
  part: { draft, problems, onChange },
  name,
  label,
  hint,
  placeholder,
}: {
  part: Part;
  name: 'args' | 'env' | 'headers';
  label: string;
  hint: string;
  placeholder: string;
}) {
  return (
    <Field label={label} hint={hint} problem={problems[name]}>
      {(props) => (
        <textarea
          {...props}
          rows={2}
          className="field [field-sizing:content] max-h-60 resize-y font-mono text-sm"
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholder}
          value={draft[name]}
          onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
        />
      )}
    </Field>
  );
}
