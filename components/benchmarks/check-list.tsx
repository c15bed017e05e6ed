import { ShortName } from '../ui/foreign-name.tsx';

/** A list of check boxes that scrolls when it is long. */
export function CheckList<Value extends string>({
  legend,
  options,
  chosen,
  onChange,
}: {
  legend: string;
  options: readonly { value: Value; label: string; note?: string }[];
  chosen: readonly Value[];
  onChange: (chosen: readonly Value[]) => void;
}) {
  return (
    <fieldset className="max-h-80 divide-y overflow-y-auto rounded-md border border-line-strong bg-raised">
      <legend className="sr-only">{legend}</legend>
      {options.map(({ value, label, note }) => (
        <label
          key={value}
          className="flex items-baseline gap-3 px-3 py-1.5 hover:bg-surface max-sm:min-h-11 max-sm:items-center"
        >
          <input
            type="checkbox"
            className="accent-brass-fill sm:translate-y-0.5"
            checked={chosen.includes(value)}
            onChange={(event) =>
              onChange(event.target.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
          <span className="foreign min-w-0 flex-1">
            <ShortName text={label} />
          </span>
          {note && <span className="tnum shrink-0 font-mono text-xs text-ink-3">{note}</span>}
        </label>
      ))}
    </fieldset>
  );
}
