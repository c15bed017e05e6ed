/** A checkbox per tool, with what it is for. */
export function ToolChoice({
  tools,
  chosen,
  onChange,
}: {
  tools: readonly { name: string; summary?: string | undefined }[];
  chosen: readonly string[];
  onChange: (name: string, isChosen: boolean) => void;
}) {
  return (
    <fieldset aria-label="Offered tools" className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
      {tools.map(({ name, summary }) => (
        <label key={name} className="flex min-w-0 items-start gap-2.5 py-1.5 max-sm:min-h-11">
          <input
            type="checkbox"
            className="mt-1 size-4 shrink-0 accent-brass-fill"
            checked={chosen.includes(name)}
            onChange={(event) => onChange(name, event.target.checked)}
          />
          <span className="min-w-0">
            <code className="text-sm wrap-anywhere">{name}</code>
            {summary && <span className="block text-xs text-ink-3">{summary}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
