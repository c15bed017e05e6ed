import type { JsonValue } from '#lib/util/json.ts';
import { CopyButton } from './copy-button.tsx';
import { ForeignText } from './foreign-text.tsx';

/** A value as JSON that scrolls, with a button that copies it. @param label of the button */
export function JsonBlock({ label, value }: { label: string; value: JsonValue }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="relative min-w-0">
      <CopyButton text={text} label={label} className="absolute top-0 right-0 bg-raised" />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="foreign max-h-80 overflow-auto pr-7 font-mono text-xs leading-relaxed">
        <ForeignText text={text} />
      </pre>
    </div>
  );
}
