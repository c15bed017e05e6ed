import type { ServerTools } from '#lib/api/tools.ts';
import { toolSummary } from '#lib/browser/words/tool-words.ts';
import { serverAndTool } from '#lib/events/mcp-names.ts';

/** The accepted tools of a server: all at once, or one by one. */
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
  const without = chosen.filter((name) => !names.includes(name));
  return (
    <details className="min-w-0 rounded-md border px-3 py-2" open={count > 0 && count < names.length}>
      <summary className="flex cursor-pointer flex-wrap items-center gap-2.5 max-sm:min-h-11">
        <input
          type="checkbox"
          aria-label={`All tools of ${server}`}
          className="size-4 shrink-0 accent-brass-fill"
          checked={count === names.length}
          ref={(input) => {
            if (input) input.indeterminate = count > 0 && count < names.length;
          }}
          onClick={(event) => event.stopPropagation()}
          onChange={(event) => onChange(event.target.checked ? [...without, ...names] : without)}
        />
        <code className="text-sm font-semibold">{server}</code>
        <span className="tnum text-xs text-ink-3">
          {count} of {names.length}
        </span>
      </summary>
      <fieldset aria-label={`Tools of ${server}`} className="mt-2 grid gap-x-6 gap-y-1 sm:grid-cols-2">
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
              <span className="foreign line-clamp-2 text-xs text-ink-3">{toolSummary(tools, name)}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
