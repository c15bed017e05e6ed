'use client';

import type { ApprovalTool, RunDraft } from '#lib/browser/run-draft.ts';
import { cx } from '../ui/cx.ts';

const CHOICES = [
  { value: 'auto', label: 'Run' },
  { value: 'ask', label: 'Ask me' },
  { value: 'deny', label: 'Refuse' },
] as const;

/** One rule per tool: its calls run, wait for a person, or are refused. */
export function ApprovalEditor({
  tools,
  value,
  onChange,
}: {
  tools: readonly ApprovalTool[];
  value: RunDraft['approval'];
  onChange: (value: RunDraft['approval']) => void;
}) {
  return (
    <div className="grid gap-2">
      {tools.map((tool) => (
        <div
          key={tool}
          role="radiogroup"
          aria-label={`Calls of ${tool}`}
          className="grid items-center gap-x-4 gap-y-1 sm:grid-cols-[9rem_minmax(0,1fr)]"
        >
          <code className="text-sm">{tool}</code>
          <div className="flex gap-1.5">
            {CHOICES.map((choice) => {
              const chosen = (value[tool] ?? 'auto') === choice.value;
              return (
                <label
                  key={choice.value}
                  className={cx(
                    'rounded-md border px-2.5 py-1 text-sm font-medium has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-brass',
                    chosen ? 'border-brass bg-brass-wash' : 'border-line-strong bg-raised hover:border-ink-3',
                  )}
                >
                  <input
                    type="radio"
                    name={`approval-${tool}`}
                    className="sr-only"
                    checked={chosen}
                    onChange={() => onChange({ ...value, [tool]: choice.value })}
                  />
                  {choice.label}
                </label>
              );
            })}
          </div>
        </div>
      ))}
    </div>
  );
}
