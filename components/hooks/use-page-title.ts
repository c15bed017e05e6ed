'use client';

import { useLayoutEffect } from 'react';

/**
 * Gives the page a title as long as the component is shown. Next writes the title of the page's metadata once more after
 * React has started, which may be later than the data arrived that this title is made of. A layout effect, so that the
 * title of the next page is not overwritten between its rendering and its announcement to screen readers.
 *
 * @param title without one the title stays as it is
 */
export function usePageTitle(title: string | undefined): void {
  useLayoutEffect(() => {
    if (title === undefined) return;
    const keep = () => {
      if (document.title !== title) document.title = title;
    };
    keep();
    const watch = new MutationObserver(keep);
    watch.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => watch.disconnect();
  }, [title]);
}
