import { hiddenMarks } from '#lib/browser/words/visible-text.ts';

const NAMED = 8;

/** Below a field for text of a model: names what a text field cannot show. Nothing when all of the text is seen. */
export function HiddenNote({ text }: { text: string }) {
  const marks = hiddenMarks(text);
  if (marks.length === 0) return null;
  const named = marks.slice(0, NAMED).map(({ mark, code }) => `${mark} (${code})`);
  const rest = marks.length - named.length;
  return (
    <p className="mt-1 text-xs text-warn">
      Holds characters that cannot be seen: {named.join(', ')}
      {rest > 0 && ` and ${rest} more`}
    </p>
  );
}
