'use client';

import { useEffect } from 'react';

/**
 * Gives the page a title as long as the component is shown. Next writes the title of the page's metadata once more after
 * React has started, which may be later than the data arrived that this title is made of.
 *
 * @param title without one the title stays as it is
 */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
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
