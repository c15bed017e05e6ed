import type { HealthReply } from '#lib/api/replies.ts';
import type { ApiError } from '#lib/browser/api.ts';
import { shortText } from '#lib/util/short-text.ts';
import { cx } from '../ui/cx.ts';
import { Link } from '../ui/link.tsx';

/** Shows whether Ollama responds; links to the health page. */
export function HealthLight({ data, error }: { data: HealthReply | undefined; error: ApiError | undefined }) {
  const [dot, words] = state(data, error);
  return (
    <Link
      href="/health"
      className="target flex h-8 items-center justify-center gap-2 rounded-md px-3 text-sm text-ink-2 lg:px-2 hover:bg-sunken hover:text-ink"
    >
      <span className={cx('size-2 rounded-full', dot)} aria-hidden="true" />
      <span className="whitespace-nowrap max-lg:sr-only">{words}</span>
    </Link>
  );
}

function state(health: HealthReply | undefined, error: ApiError | undefined): [dot: string, words: string] {
  if (error?.status === 401) return ['bg-line-strong', 'Not signed in'];
  if (error) return ['bg-fail', 'Server offline'];
  if (!health) return ['bg-line-strong', 'Checking'];
  if (health.ollama.unknown) return ['bg-line-strong', 'Ollama not responding'];
  if (!health.ollama.ok) return ['bg-fail', 'No Ollama'];
  // A version can be long; the health page shows more of it.
  const version = health.ollama.version ? ` ${shortText(health.ollama.version, 14)}` : '';
  return health.status === 'ok' ? ['bg-ok', `Ollama${version}`] : ['bg-brass-fill', `Ollama${version}`];
}
