/** The visible key of a button, which names it in `aria-keyshortcuts`. Hidden on phones, which have no keys. */
export function KeyHint({ children }: { children: string }) {
  return (
    <span
      aria-hidden="true"
      className="rounded-sm border border-current px-1 font-mono text-xs leading-tight opacity-80 max-sm:hidden"
    >
      {children}
    </span>
  );
}
