'use client';

import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { watchLink } from '#lib/browser/shared-link.ts';
import { type WholeTexts, wholeTextsAt } from '#lib/browser/stream/whole-texts.ts';
import { PlainMessage } from './plain-message.tsx';

/** What is read by a link goes away with the right to read it, also from a page that is open. */
export function StillShared({
  url,
  children,
}: {
  /** The link, relative to the page; absent in a file, which belongs to whoever has it. */
  url: string | undefined;
  children: (shared: { onGone: () => void; whole: WholeTexts | undefined }) => ReactNode;
}) {
  const [isGone, setGone] = useState(false);
  const onGone = useCallback(() => setGone(true), []);
  useEffect(() => (url === undefined ? undefined : watchLink(url, onGone)), [url, onGone]);
  const whole = useMemo(() => (url === undefined ? undefined : wholeTextsAt(() => url)), [url]);
  if (!isGone) return children({ onGone, whole });
  return (
    <PlainMessage title="This run is no longer shared.">
      The link was taken back, or its time is over. Ask whoever sent it for a new one.
    </PlainMessage>
  );
}
