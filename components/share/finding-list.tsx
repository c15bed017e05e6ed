import type { ShareFinding, SharePreviewReply } from '#lib/api/share.ts';
import { plural } from '#lib/browser/words/format.ts';
import { keysOf } from '#lib/util/records.ts';
import { ForeignText } from '../ui/foreign-text.tsx';
import { GROUP_WORDS } from './share-words.ts';

/** The findings in the run by kind, each masked unless chosen to be shown. */
export function FindingList({
  preview,
  show,
  onShow,
}: {
  preview: SharePreviewReply | undefined;
  show: readonly string[];
  onShow: (show: readonly string[]) => void;
}) {
  if (!preview) {
    return (
      <p className="text-sm text-ink-3" role="status">
        Scanning the run…
      </p>
    );
  }
  const { findings } = preview;
  const toggle = (kind: string) =>
    onShow(show.includes(kind) ? show.filter((one) => one !== kind) : [...show, kind]);
  return (
    <section aria-label="What was found">
      <h3 className="text-sm font-medium">What was found</h3>
      {findings.length === 0 ? (
        <p className="mt-1 text-sm text-ink-3">
          No secrets, addresses or local paths found. Secrets that look like ordinary words cannot be
          detected, so read the preview.
        </p>
      ) : (
        <>
          <p className="mt-0.5 text-sm text-ink-3">
            These are masked on the shared page. Tick a kind to show it.
          </p>
          <ul className="mt-2 divide-y border-y">
            {keysOf(GROUP_WORDS)
              .flatMap((group) => findings.filter((finding) => finding.group === group))
              .map((finding) => (
                <FindingRow
                  key={finding.kind}
                  finding={finding}
                  shown={show.includes(finding.kind)}
                  onToggle={() => toggle(finding.kind)}
                />
              ))}
          </ul>
        </>
      )}
    </section>
  );
}

function FindingRow({
  finding,
  shown,
  onToggle,
}: {
  finding: ShareFinding;
  shown: boolean;
  onToggle: () => void;
}) {
  const { kind, group, values, places, hint, showable } = finding;
  return (
    <li>
      <label className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-2.5 py-1.5 text-sm">
        <input
          type="checkbox"
          checked={shown}
          disabled={!showable}
          onChange={onToggle}
          aria-label={`Show ${kind}`}
          className="translate-y-0.5 accent-(--brass)"
        />
        <span className="min-w-0">
          <span className={shown ? 'font-medium text-warn' : 'font-medium'}>{kind}</span>{' '}
          <span className="foreign font-mono text-xs text-ink-3">
            <ForeignText text={hint} />
          </span>
          <span className="block text-xs text-ink-3">
            {GROUP_WORDS[group]}
            {shown && group === 'secret' && <span className="text-warn"> · will be shown</span>}
          </span>
        </span>
        <span className="tnum text-right text-xs text-ink-3">
          {values === places ? plural(places, 'place') : `${values} in ${plural(places, 'place')}`}
        </span>
      </label>
    </li>
  );
}
