import { typedText } from '#lib/browser/content/content-kind.ts';
import { plainVisibleText } from '#lib/browser/words/visible-text.ts';
import type { Cut } from '#lib/events/timeline.ts';
import type { JsonValue } from '#lib/util/json.ts';
import { JsonTree } from '../../ui/content/json-tree.tsx';
import { cx } from '../../ui/cx.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { LongText } from './long-text.tsx';
import { wholeOf } from './whole-of.ts';

/**
 * A JSON value for reading: objects as names and values, texts by their kind instead of escaped, the rest as a tree.
 *
 * @param cuts truncated texts, with paths from the event's root; `path` is the path of this value
 */
export function JsonFields({
  id,
  value,
  label,
  seq,
  path,
  cuts,
}: {
  id: string;
  value: JsonValue;
  label: string;
  seq: number;
  path: string;
  cuts: readonly Cut[];
}) {
  if (typeof value === 'string' || value === null || typeof value !== 'object' || Array.isArray(value)) {
    return <Value id={id} value={value} label={label} seq={seq} path={path} cuts={cuts} />;
  }
  const file = {
    path: typeof value.path === 'string' ? value.path : undefined,
    firstLine: typeof value.start_line === 'number' ? value.start_line : undefined,
  };
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  if (entries.length === 0) return <span className="text-ink-3">nothing</span>;
  return (
    <dl className="grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-3 gap-y-1">
      {entries.map(([name, field]) => (
        <div key={name} className="contents">
          <dt className="max-w-32 truncate text-ink-3" title={plainVisibleText(name)}>
            <ForeignText text={name} />
          </dt>
          <dd className={cx('min-w-0', isLong(field) && 'max-sm:col-span-2')}>
            <Value
              id={`${id}.${name}`}
              value={typeof field === 'string' ? typedText(field, value) : field}
              label={name}
              file={file}
              seq={seq}
              path={`${path}.${name}`}
              cuts={cuts}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value(props: {
  id: string;
  value: JsonValue;
  label: string;
  seq: number;
  path: string;
  cuts: readonly Cut[];
  /** The file named by the fields beside it. */
  file?: { path: string | undefined; firstLine: number | undefined };
}) {
  const { value } = props;
  if (typeof value === 'string') {
    if (value === '') return <span className="text-ink-3">empty text</span>;
    return (
      <LongText
        id={props.id}
        text={value}
        label={props.label}
        as={{ name: props.label, ...props.file }}
        whole={wholeOf(props, props.path)}
      />
    );
  }
  if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')) {
    return <LongText id={props.id} text={value.join('\n')} label={props.label} />;
  }
  // Show a list of numbers on one line.
  const flat = value === null || typeof value !== 'object' || (Array.isArray(value) && value.every(isScalar));
  if (!flat) return <JsonTree value={value} />;
  return <LongText id={props.id} text={JSON.stringify(value).replaceAll(',', ', ')} label={props.label} />;
}

/** On a phone it takes the whole width, below its name. */
function isLong(value: JsonValue): boolean {
  return typeof value === 'string' ? value.length > 60 : typeof value === 'object' && value !== null;
}

function isScalar(value: JsonValue): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}
