import { diffText } from '#lib/browser/words/diff-text.ts';
import type { JsonValue } from '#lib/util/json.ts';
import { cx } from '../../ui/cx.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';

/** Max characters for a side-by-side view. */
const SHORT_CHARS = 24;

/** Two versions of a text, one above the other, with the differences highlighted. */
export function BeforeAfter({ before, after }: { before: string; after: string }) {
  if (before.length <= SHORT_CHARS && after.length <= SHORT_CHARS) {
    return (
      <p className="foreign">
        <Sign kind="del" text={before} /> <span className="text-ink-3">→</span>{' '}
        <Sign kind="ins" text={after} />
      </p>
    );
  }
  const pieces = diffText(before, after);
  const positions = new Map(pieces.map((piece, index) => [piece, index]));
  return (
    <div className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-1">
      <span className="text-ink-3">before</span>
      <p className="foreign text-ink-2">
        {pieces
          .filter(({ kind }) => kind !== 'added')
          .map((piece) =>
            piece.kind === 'same' ? (
              <ForeignText key={positions.get(piece)} text={piece.text} />
            ) : (
              <del key={positions.get(piece)} className="rounded-sm bg-fail-wash text-fail no-underline">
                <ForeignText text={piece.text} />
              </del>
            ),
          )}
      </p>
      <span className="text-ink-3">after</span>
      <p className="foreign text-ink-2">
        {pieces
          .filter(({ kind }) => kind !== 'removed')
          .map((piece) =>
            piece.kind === 'same' ? (
              <ForeignText key={positions.get(piece)} text={piece.text} />
            ) : (
              <ins key={positions.get(piece)} className="rounded-sm bg-ok-wash text-ok no-underline">
                <ForeignText text={piece.text} />
              </ins>
            ),
          )}
      </p>
    </div>
  );
}

/** A change of a few characters, such as a quote, shown without a diff. */
function Sign({ kind, text }: { kind: 'del' | 'ins'; text: string }) {
  const Tag = kind;
  return (
    <Tag
      className={cx(
        'rounded-sm border px-1 whitespace-pre no-underline',
        kind === 'del' ? 'border-fail/40 bg-fail-wash text-fail' : 'border-ok/40 bg-ok-wash text-ok',
      )}
    >
      {text === '' ? 'nothing' : <ForeignText text={text.replaceAll('\n', '↵')} />}
    </Tag>
  );
}

/** One argument that was converted to match the tool's schema (P9, P10): `start_line: "5" → 5`. */
export function ValueChange({ path, before, after }: { path: string; before: JsonValue; after?: JsonValue }) {
  return (
    <p className="foreign">
      <ForeignText text={path} />:{' '}
      <del className="rounded-sm bg-fail-wash px-0.5 text-fail no-underline">{JSON.stringify(before)}</del>{' '}
      <span className="text-ink-3">→</span>{' '}
      <ins className="rounded-sm bg-ok-wash px-0.5 text-ok no-underline">
        {after === undefined ? 'left out' : JSON.stringify(after)}
      </ins>
    </p>
  );
}
