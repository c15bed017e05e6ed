'use client';

import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { ApprovalReply } from '#lib/api/replies.ts';
import { getJson, postJson } from '#lib/browser/api.ts';
import { argumentFields, type EditField, editedArguments } from '#lib/browser/drafts/edit-arguments.ts';
import { focusUnlessMoved } from '#lib/browser/focus-soon.ts';
import { whenShown } from '#lib/browser/state/when-shown.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import type { RunEvent } from '#lib/events/registry.ts';
import type { RunState } from '#lib/events/run-state.ts';
import type { ToolRow } from '#lib/events/timeline.ts';
import { useRequest } from '../../hooks/use-request.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { HiddenNote } from '../../ui/hidden-note.tsx';
import { useRunSource } from '../run-context.tsx';
import { ApprovalButtons } from './approval-buttons.tsx';

type Step = 'choose' | 'edit' | 'deny';

/** A call that needs approval: its arguments, with buttons to approve, edit or deny it. */
export function ApprovalPanel({
  row,
  runId,
  tools,
  isFork,
  children,
}: {
  row: ToolRow;
  runId: string;
  /** Whether the run is a fork, in which earlier approvals don't apply. */
  isFork: boolean;
  /** The tools that the model was offered, with the parameters that they take. */
  tools: RunState['tools'];
  /** The arguments and what they change, for reading. */
  children: ReactNode;
}) {
  const [step, setStep] = useState<Step>('choose');
  const [fields, setFields] = useState<readonly EditField[]>([]);
  const [reason, setReason] = useState('');
  const source = useRunSource();
  const { busy, problem, setProblem, run } = useRequest();
  const panel = useRef<HTMLDivElement>(null);
  const began = useRef(false);

  useEffect(() => {
    // Not on mount: a new row must not take the focus.
    if (began.current) {
      const first = step === 'choose' ? 'button' : 'textarea';
      panel.current?.querySelector<HTMLElement>(first)?.focus();
    }
    began.current = true;
  }, [step]);

  const decide = (decision: Record<string, unknown>) =>
    run(async () => {
      const focus = focusUnlessMoved();
      const path = `/api/runs/${encodeURIComponent(runId)}/approvals`;
      const reply = await postJson<ApprovalReply>(path, { call_id: row.callId, ...decision });
      // The buttons disappear after the decision, so keep the focus in place.
      focus(document.getElementById(`row-${row.key}`));
      await whenShown(source, reply.run.last_seq);
    });
  const edit = () =>
    run(async () => {
      const definition = tools.find((tool) => tool.function.name === row.name);
      setFields(argumentFields(await wholeArguments(runId, row), definition?.function.parameters));
      setStep('edit');
    });
  const runEdited = () => {
    const read = editedArguments(fields);
    if (read.ok) void decide({ decision: 'edited', arguments: read.arguments });
    else setProblem({ message: read.problem });
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      ref={panel}
      role="group"
      aria-label={`Approval of ${shortLine(row.name)}`}
      className="mt-2 mb-1 grid gap-3 rounded-md border border-warn/50 bg-warn-wash p-3"
    >
      <p className="font-medium">The model wants to make this call. It waits for you.</p>
      {step === 'edit' ? (
        <div className="grid gap-3">
          {fields.map((field, index) => (
            <EditedField
              key={field.name}
              field={field}
              onChange={(text) =>
                setFields((before) => before.map((each, at) => (at === index ? { ...each, text } : each)))
              }
            />
          ))}
        </div>
      ) : (
        children
      )}
      {step === 'deny' && <Reason reason={reason} onChange={setReason} />}
      {problem && <ErrorNote error={problem} />}
      <div className="flex flex-wrap gap-2">
        {step === 'choose' && (
          <ApprovalButtons
            scopes={row.requested?.scopes ?? ['once']}
            tool={row.name}
            isFork={isFork}
            busy={busy}
            onApprove={(scope) => void decide({ decision: 'approved', scope })}
            onEdit={() => void edit()}
            onDeny={() => setStep('deny')}
          />
        )}
        {step === 'edit' && (
          <Button kind="primary" size="sm" disabled={busy} onClick={runEdited}>
            Run with these arguments
          </Button>
        )}
        {step === 'deny' && (
          <Button
            kind="danger"
            size="sm"
            disabled={busy}
            onClick={() => void decide({ decision: 'denied', ...(reason.trim() ? { reason } : {}) })}
          >
            Deny the call
          </Button>
        )}
        {step !== 'choose' && (
          <Button
            kind="quiet"
            size="sm"
            disabled={busy}
            onClick={() => {
              setProblem(undefined);
              setStep('choose');
            }}
          >
            Back
          </Button>
        )}
      </div>
    </div>
  );
}

function EditedField({ field, onChange }: { field: EditField; onChange: (text: string) => void }) {
  const id = useId();
  const lines = Math.min(16, Math.max(1, field.text.split('\n').length));
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block font-mono text-xs text-ink-2">
        {shortLine(field.name)}
        {!field.plain && ' (JSON)'}
      </label>
      <textarea
        id={id}
        rows={lines}
        className="field [field-sizing:content] max-h-96 resize-y font-mono text-sm"
        spellCheck={false}
        value={field.text}
        onChange={(event) => onChange(event.target.value)}
      />
      <HiddenNote text={field.text} />
    </div>
  );
}

function Reason({ reason, onChange }: { reason: string; onChange: (reason: string) => void }) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        Reason
      </label>
      <textarea
        id={id}
        rows={2}
        className="field resize-y"
        aria-describedby={`${id}-note`}
        value={reason}
        maxLength={4000}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-note`} className="mt-1 text-xs text-ink-2">
        The model sees the reason and continues. Optional.
      </p>
    </div>
  );
}

/** The full arguments, because the edited ones replace them. */
async function wholeArguments(runId: string, row: ToolRow): Promise<ToolRow['arguments']> {
  const cut = row.argumentsCuts.some(({ path }) => path.startsWith(`${row.argumentsPath}.`));
  if (!cut || !row.requested) return row.arguments;
  const event = await getJson<RunEvent>(`/api/runs/${encodeURIComponent(runId)}/events/${row.requested.seq}`);
  return event.type === 'approval.requested' ? event.arguments : row.arguments;
}
