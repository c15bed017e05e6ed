'use client';

import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { watchLink } from '#lib/browser/shared-link.ts';
import { type ImageSource, imagesAt } from '#lib/browser/stream/image-source.ts';
import { type WholeTexts, wholeTextsAt } from '#lib/browser/stream/whole-texts.ts';
import { PlainMessage } from './plain-message.tsx';

/** Hides a shared run, even on an open page, once its link is revoked or expires. */
export function StillShared({
  url,
  children,
}: {
  /** The link, relative to the page; undefined in an exported file, which cannot be revoked. */
  url: string | undefined;
  children: (shared: {
    onGone: () => void;
    whole: WholeTexts | undefined;
    images: ImageSource | undefined;
  }) => ReactNode;
}) {
  const [isGone, setGone] = useState(false);
  const onGone = useCallback(() => setGone(true), []);
  useEffect(() => (url === undefined ? undefined : watchLink(url, onGone)), [url, onGone]);
  const whole = useMemo(() => (url === undefined ? undefined : wholeTextsAt(() => url)), [url]);
  const images = useMemo(() => (url === undefined ? undefined : imagesAt(() => url)), [url]);
  if (!isGone) return children({ onGone, whole, images });
  return (
    <PlainMessage title="This run is no longer shared.">
      The link was revoked or has expired. Ask the person who sent it for a new one.
    </PlainMessage>
  );
}
