import { useState } from 'react';

/**
 * Whether the server runs another build than when this page was opened: older code may not understand what it sends.
 *
 * @param build the build of the server; `undefined` while it is unknown
 */
export function useIsOutdated(build: string | undefined): boolean {
  const [opened, setOpened] = useState(build);
  if (opened === undefined && build !== undefined) setOpened(build);
  return build !== undefined && opened !== undefined && build !== opened;
}

/** On a page from before an update. What is typed into forms survives the reload. */
export function UpdateBanner() {
  return (
    <aside
      aria-label="Update"
      data-header-banner
      className="flex h-9 shrink-0 items-center gap-3 border-b bg-brass-wash px-3 text-sm sm:px-6 print:hidden"
    >
      <p className="min-w-0 truncate" role="status">
        <strong className="font-semibold">Loupe has been updated.</strong>
        <span className="max-sm:hidden"> This page is older and may not show everything.</span>
      </p>
      <button
        type="button"
        className="target ml-auto shrink-0 font-semibold underline underline-offset-2"
        onClick={() => location.reload()}
      >
        Reload
      </button>
    </aside>
  );
}
