'use client';

import { ChevronDown, ChevronRight } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { remember, remembered } from '#lib/browser/prefs/remembered.ts';
import { useAddressQuery } from '../../hooks/use-address-query.ts';
import { useLoaded } from '../../hooks/use-loaded.ts';
import { cx } from '../../ui/cx.ts';

const loadPlots = () => import('./run-plots.tsx');

/** Smaller screens need their height for the timeline, so there the strip is opened by hand. */
const ROOMY_SCREEN = '(min-width: 640px) and (min-height: 700px)';

/** Whether the plots are shown in full, from the address, and how to change it. */
export function usePlotsInFull(): { full: boolean; open: () => void; close: () => void } {
  const [query, changeQuery] = useAddressQuery();
  const full = query.get('view') === 'plots';
  const show = useCallback(
    (next: boolean) => {
      const changed = new URLSearchParams(location.search);
      if (next) changed.set('view', 'plots');
      else changed.delete('view');
      changeQuery(changed);
    },
    [changeQuery],
  );
  const open = useCallback(() => show(true), [show]);
  const close = useCallback(() => show(false), [show]);
  return { full, open, close };
}

/** The strip of plots below the header of a run. Whether it is shown is remembered. Its code is loaded when needed. */
export function PlotsBar({
  plots: { full, open, close },
  over,
}: {
  plots: ReturnType<typeof usePlotsInFull>;
  /** The element that the full view covers. */
  over: HTMLElement | null;
}) {
  const [strip, setStrip] = useState(initiallyShown);
  const { opened, open: load } = useLoaded(loadPlots);
  const needed = strip || full;
  useEffect(() => {
    if (needed) load(() => true);
  }, [needed, load]);
  const toggle = () => {
    remember('plots', strip ? 'closed' : 'open');
    setStrip(!strip);
    if (strip && full) close();
  };
  const Chevron = strip ? ChevronDown : ChevronRight;
  return (
    <section
      aria-label="Plots"
      // A short window is for the timeline.
      className="border-b bg-surface px-3 sm:px-6 [@media(max-height:35rem)]:hidden"
    >
      <div className="sm:flex sm:items-center sm:gap-x-5">
        <button
          type="button"
          data-plots-toggle=""
          aria-expanded={strip}
          onClick={toggle}
          className="flex shrink-0 items-center gap-1 py-1.5 text-sm font-medium max-sm:h-11 max-sm:w-full print:hidden"
        >
          <Chevron className="size-4 text-ink-3" aria-hidden="true" />
          Plots
        </button>
        <div
          // As high as the strip, so that nothing moves when its code arrives.
          className={cx('min-w-0 flex-1', strip && 'min-h-29 pb-2 sm:min-h-30.5 sm:pt-1.5 lg:min-h-16')}
        >
          {needed && opened && (
            <opened.code.RunPlots
              strip={strip}
              over={full ? over : undefined}
              onOpen={open}
              onClose={close}
            />
          )}
        </div>
      </div>
    </section>
  );
}

function initiallyShown(): boolean {
  const kept = remembered('plots');
  return kept === undefined ? matchMedia(ROOMY_SCREEN).matches : kept === 'open';
}
