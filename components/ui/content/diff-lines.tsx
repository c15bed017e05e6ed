import type { DiffLine } from '#lib/browser/content/compare-files.ts';
import { cx } from '../cx.ts';
import { ForeignText } from '../foreign-text.tsx';

const looks = {
  same: { sign: ' ', row: '', number: 'text-ink-3', says: '' },
  removed: { sign: '−', row: 'bg-fail-wash', number: 'text-fail', says: 'removed: ' },
  header: { sign: ' ', row: 'bg-sunken text-ink-2', number: '', says: '' },
  added: { sign: '+', row: 'bg-ok-wash', number: 'text-ok', says: 'added: ' },
};

/** The room that the numbers of lines take, in characters. */
export function numberWidth(lines: readonly DiffLine[]): number {
  return String(lines.reduce((most, { before = 0, after = 0 }) => Math.max(most, before, after), 0)).length;
}

/**
 * Lines of a diff with their numbers in the old and the new version.
 *
 * @param chars the width of the numbers, if other lines of the same diff are shown next to these
 */
export function DiffLines({
  lines,
  chars = numberWidth(lines),
}: {
  lines: readonly DiffLine[];
  chars?: number;
}) {
  const width = `${chars + 1}ch`;
  return lines.map((line, index) => {
    const look = looks[line.kind];
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines of a comparison never move
      <div key={index} className={cx('flex gap-2 pr-3 [font-variant-ligatures:none]', look.row)}>
        <span
          aria-hidden="true"
          className={cx('tnum flex shrink-0 gap-1 pl-2 text-right select-none', look.number)}
        >
          <span style={{ width }} className="max-sm:hidden">
            {line.before}
          </span>
          <span style={{ width }}>{line.after ?? <span className="sm:hidden">{line.before}</span>}</span>
          <span className="w-[1ch] text-center">{look.sign}</span>
        </span>
        <span className="foreign min-w-0 flex-1">
          {look.says && <span className="sr-only">{look.says}</span>}
          <LineText line={line} />
        </span>
      </div>
    );
  });
}

function LineText({ line }: { line: DiffLine }) {
  if (!line.pieces) return line.text === '' ? '\n' : <ForeignText text={line.text} />;
  return line.pieces.map(({ kind, text }, index) => {
    if (kind === 'same') {
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
      return <ForeignText key={index} text={text} />;
    }
    const Tag = kind === 'added' ? 'ins' : 'del';
    return (
      <Tag
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line never move
        key={index}
        className={cx('rounded-[2px] no-underline', kind === 'added' ? 'bg-ok/25' : 'bg-fail/25')}
      >
        <ForeignText text={text} />
      </Tag>
    );
  });
}
