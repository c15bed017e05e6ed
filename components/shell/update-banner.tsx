import { useState } from 'react';
import { bannerAction, HeaderBanner } from './header-banner.tsx';

/**
 * Whether the server has been updated since this page was opened: older code may not understand what it sends.
 *
 * @param build the build of the server; `undefined` while it is unknown
 */
export function useIsOutdated(build: string | undefined): boolean {
  const [opened, setOpened] = useState(build);
  if (opened === undefined && build !== undefined) setOpened(build);
  return build !== undefined && opened !== undefined && build !== opened;
}

/** Offers to reload a page that is older than the server. Forms keep their entries. */
export function UpdateBanner() {
  return (
    <HeaderBanner
      label="Update"
      className="border-b bg-brass-wash"
      headline="Loupe has been updated."
      details="This page is older and may not show everything."
      action={
        <button type="button" className={bannerAction} onClick={() => location.reload()}>
          Reload
        </button>
      }
    />
  );
}
