'use client';

import {
  APPROVAL_KEYS,
  type ApprovalAnswer,
  SCOPE_LABELS,
  scopeWords,
} from '#lib/browser/words/approval-words.ts';
import type { ApprovalScope } from '#lib/events/approval.ts';
import { Button, type ButtonKind } from '../../ui/button.tsx';
import { KeyHint } from '../../ui/key-hint.tsx';

/** The choices for a waiting call, each with its key. */
export function ApprovalButtons({
  scopes,
  tool,
  isFork,
  busy,
  onApprove,
  onEdit,
  onDeny,
}: {
  scopes: readonly ApprovalScope[];
  tool: string;
  /** Whether the run is a fork, in which earlier approvals don't apply. */
  isFork: boolean;
  busy: boolean;
  onApprove: (scope: ApprovalScope) => void;
  onEdit: () => void;
  onDeny: () => void;
}) {
  const wider = scopes.filter((scope) => scope !== 'once');
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {scopes.map((scope) => (
          <Choice
            key={scope}
            choice={scope}
            label={SCOPE_LABELS[scope]}
            kind={scope === 'once' ? 'primary' : 'plain'}
            busy={busy}
            onClick={() => onApprove(scope)}
          />
        ))}
        <Button size="sm" className="max-sm:h-11" disabled={busy} onClick={onEdit}>
          Edit
        </Button>
        <Choice choice="deny" label="Deny" kind="danger" busy={busy} onClick={onDeny} />
      </div>
      <ul className="grid gap-0.5 text-xs text-ink-2">
        {wider.map((scope) => (
          <li key={scope}>
            {scopeWords(scope, tool)}{' '}
            {scope === 'tool_and_folder' && (
              <a
                href="/health#standing-approvals"
                className="text-brass underline decoration-brass-line underline-offset-2"
              >
                Standing approvals
              </a>
            )}
          </li>
        ))}
        {wider.length === 0 && <li>Each call of this tool needs your approval.</li>}
        {isFork && wider.length > 0 && <li>This run is a fork, so earlier approvals don't apply to it.</li>}
      </ul>
    </div>
  );
}

function Choice({
  choice,
  label,
  kind,
  busy,
  onClick,
}: {
  choice: ApprovalAnswer;
  label: string;
  kind: ButtonKind;
  busy: boolean;
  onClick: () => void;
}) {
  return (
    <Button
      kind={kind}
      size="sm"
      className="max-sm:h-11"
      disabled={busy}
      data-choice={choice}
      aria-keyshortcuts={APPROVAL_KEYS[choice]}
      onClick={onClick}
    >
      {label}
      <KeyHint>{APPROVAL_KEYS[choice]}</KeyHint>
    </Button>
  );
}
