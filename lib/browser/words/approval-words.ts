import type { ApprovalScope } from '../../events/approval.ts';
import type { ToolRow } from '../../events/timeline.ts';

/** What a person can do about a waiting call. */
export type ApprovalAnswer = ApprovalScope | 'deny';

/** The keys that decide about a waiting call. */
export const APPROVAL_KEYS: Readonly<Record<ApprovalAnswer, string>> = {
  once: 'a',
  run: 'r',
  tool_and_folder: 't',
  deny: 'x',
};

/** The key that approves all waiting calls once. */
export const APPROVE_ALL_KEY = 'A';

/** The label of an approval's button. */
export const SCOPE_LABELS: Readonly<Record<ApprovalScope, string>> = {
  once: 'Approve once',
  run: 'Always in this run',
  tool_and_folder: 'Always in this folder',
};

/** The coverage of an approval with a scope, in full sentences. The names of tools are Loupe's own. */
export function scopeWords(scope: Exclude<ApprovalScope, 'once'>, tool: string): string {
  const calls = tool === 'run_command' ? 'any command' : `any call of ${tool}`;
  const limits = tool === 'run_command' ? ' Blocked patterns and confinement still apply.' : '';
  return scope === 'run'
    ? `Always in this run: ${calls} until the run ends, without asking.${limits}`
    : `Always in this folder: ${calls} in this and later runs in this folder, without asking, until you revoke it.${limits}`;
}

/** Why a call ran without asking; `undefined` if there is no earlier approval. */
export function standingWords({
  decided,
}: ToolRow): { text: string; seq: number; runId?: string } | undefined {
  const { standing } = decided ?? {};
  if (!standing) return undefined;
  const { scope, seq, run_id: runId } = standing;
  const text = scope === 'run' ? 'allowed for this run at' : 'allowed for this folder at';
  return { text, seq, ...(runId === undefined ? {} : { runId }) };
}

/** The coverage of an operator's approval, to be appended to `approved by you`. */
export function coveredWords({ decided }: ToolRow): string {
  if (decided?.scope === 'run') return ' for this run';
  return decided?.scope === 'tool_and_folder' ? ' for this folder' : '';
}
