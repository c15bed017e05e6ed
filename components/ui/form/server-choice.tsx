'use client';

import { useId, useState } from 'react';
import type { ServerTools } from '#lib/api/tools.ts';
import { toolSummary } from '#lib/browser/words/tool-words.ts';
import { CUSTOM_GROUP, serverAndTool } from '#lib/events/mcp-names.ts';
import { Button } from '../button.tsx';
import { ForeignText } from '../foreign-text.tsx';

/** The accepted tools of a server, or the custom tools: all at once, or one by one. */
export function ServerChoice({
  server: { server, tools },
  chosen,
  onChange,
}: {
  server: ServerTools;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const names = tools.map(({ name }) => name);
  const count = names.filter((name) => chosen.includes(name)).length;
  const [open, setOpen] = useState(count > 0 && count < names.length);
  const list = useId();
  const without = chosen.filter((name) => !names.includes(name));
  return (
    <div className="min-w-0 rounded-md border px-3 py-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <label className="flex min-w-0 items-center gap-2.5 max-sm:min-h-11">
          <input
            type="checkbox"
            aria-label={server === CUSTOM_GROUP ? 'All custom tools' : `All tools of ${server}`}
            className="size-4 shrink-0 accent-brass-fill"
            checked={count === names.length}
            ref={(input) => {
              if (input) input.indeterminate = count > 0 && count < names.length;
            }}
            onChange={(event) => onChange(event.target.checked ? [...without, ...names] : without)}
          />
          {server === CUSTOM_GROUP ? (
            <span className="text-sm font-semibold">Custom tools</span>
          ) : (
            <code className="text-sm font-semibold break-all">{server}</code>
          )}
          <span className="tnum text-xs text-ink-3">
            {count} of {names.length}
          </span>
        </label>
        <Button
          size="sm"
          kind="quiet"
          className="max-sm:h-11"
          aria-expanded={open}
          aria-controls={list}
          aria-label={server === CUSTOM_GROUP ? 'Choose custom tools' : `Choose tools of ${server}`}
          onClick={() => setOpen(!open)}
        >
          Choose
        </Button>
      </div>
      <fieldset
        id={list}
        hidden={!open}
        aria-label={server === CUSTOM_GROUP ? 'Custom tools' : `Tools of ${server}`}
        className="mt-2 grid gap-x-6 gap-y-1 sm:grid-cols-2 [&[hidden]]:hidden"
      >
        {tools.map(({ name }) => (
          <label key={name} className="flex min-w-0 items-start gap-2.5 py-1.5 max-sm:min-h-11">
            <input
              type="checkbox"
              className="mt-1 size-4 shrink-0 accent-brass-fill"
              checked={chosen.includes(name)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
              }
            />
            <span className="min-w-0">
              <code className="text-sm break-all">{serverAndTool(name)?.tool ?? name}</code>
              <span className="foreign line-clamp-2 text-xs text-ink-3">
                <ForeignText text={toolSummary(tools, name) ?? ''} />
              </span>
            </span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}
