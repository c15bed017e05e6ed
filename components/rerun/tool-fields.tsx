'use client';

import { useState } from 'react';
import type { SentRequestReply } from '#lib/api/sent-request.ts';
import { type DraftTool, newRerunDraft } from '#lib/browser/drafts/rerun-draft.ts';
import { plural } from '#lib/browser/words/format.ts';
import { shortLine } from '#lib/browser/words/visible-text.ts';
import { Button } from '../ui/button.tsx';
import type { RerunPart } from './rerun-part.ts';
import { TextArea } from './text-area.tsx';

/** The tools of the request: each can be left out, and its definition edited. */
export function ToolFields({ draft, problems, onChange, sent }: RerunPart & { sent: SentRequestReply }) {
  const [originals] = useState(() => newRerunDraft(sent).tools);
  const { tools } = draft;
  if (tools.length === 0) return null;
  const offered = tools.filter(({ isOffered }) => isOffered).length;
  return (
    <section aria-label="Tools" className="min-w-0">
      <h3 className="caption mb-1.5">
        Tools{' '}
        <span className="tnum font-normal">({`${offered} of ${plural(tools.length, 'tool')} offered`})</span>
      </h3>
      <ul className="divide-y rounded-md border border-line-strong">
        {tools.map((tool) => (
          <li key={tool.key} className="min-w-0 px-3 py-1.5">
            <ToolItem
              tool={tool}
              original={originals.find(({ key }) => key === tool.key)}
              problem={problems[`tool:${tool.key}`]}
              onChange={(changes) =>
                onChange({
                  tools: tools.map((each) => (each.key === tool.key ? { ...each, ...changes } : each)),
                })
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ToolItem({
  tool,
  original,
  problem,
  onChange,
}: {
  tool: DraftTool;
  original: DraftTool | undefined;
  problem: string | undefined;
  onChange: (changes: Partial<DraftTool>) => void;
}) {
  const [open, setOpen] = useState(false);
  const name = shortLine(tool.name, 60);
  const isEdited = tool.text !== original?.text;
  return (
    <>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3">
        <label className="flex min-w-0 flex-1 items-center gap-2 max-sm:min-h-11">
          <input
            type="checkbox"
            className="size-4 shrink-0 accent-brass-fill"
            checked={tool.isOffered}
            onChange={(event) => onChange({ isOffered: event.target.checked })}
          />
          <span className="foreign min-w-0 truncate font-mono text-sm">{name}</span>
        </label>
        {isEdited && <span className="shrink-0 text-xs font-medium text-brass">changed</span>}
        <Button kind="quiet" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Close' : 'Edit'} <span className="sr-only">{name}</span>
        </Button>
      </div>
      {!open && problem && <p className="text-xs text-fail">{problem}</p>}
      {open && (
        <div className="my-1.5 grid gap-2">
          <TextArea
            label={`Definition of ${name} (JSON)`}
            value={tool.text}
            problem={problem}
            onChange={(text) => onChange({ text })}
          />
          {isEdited && original && (
            <Button
              size="sm"
              className="justify-self-start"
              onClick={() => onChange({ text: original.text })}
            >
              Undo changes
            </Button>
          )}
        </div>
      )}
    </>
  );
}
