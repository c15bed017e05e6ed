import { SETTINGS } from '#lib/events/settings.ts';
import { Field } from './fields.tsx';

/** The hosts that `fetch_url` may ask. */
export function HostsField({
  value,
  onChange,
  problem,
}: {
  value: string;
  onChange: (value: string) => void;
  problem: string | undefined;
}) {
  const { label, help } = SETTINGS.fetch_hosts;
  return (
    <Field label={label} hint={help} problem={problem}>
      {(props) => (
        <input
          {...props}
          autoComplete="off"
          spellCheck={false}
          className="field font-mono text-sm"
          value={value}
          placeholder="docs.example.com 127.0.0.1:8080"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
