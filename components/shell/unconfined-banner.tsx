/** On every page, for as long as the server runs without confinement; it cannot be closed. */
export function UnconfinedBanner() {
  return (
    <aside
      aria-label="Warning"
      className="flex h-8 shrink-0 items-center justify-center gap-2 bg-fail px-3 text-sm font-semibold text-canvas"
    >
      <span className="truncate">
        Commands run without confinement<span className="max-sm:hidden"> on this machine</span>.{' '}
        <span className="font-normal max-sm:hidden">Each one waits for your approval.</span>
      </span>
    </aside>
  );
}
