import { hiddenMarks } from '#lib/browser/words/visible-text.ts';

const NAMED = 8;

/** Lists the invisible characters in a text field below it; empty if there are none. */
export function HiddenNote({ text }: { text: string }) {
  const marks = hiddenMarks(text);
  if (marks.length === 0) return null;
  const named = marks.slice(0, NAMED).map(({ mark, code }) => `${mark} (${code})`);
  const rest = marks.length - named.length;
  return (
    <p className="mt-1 text-xs text-warn">
      Contains invisible characters: {named.join(', ')}
      {rest > 0 && ` and ${rest} more`}
    </p>
  );
}
