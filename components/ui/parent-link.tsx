import { Link } from './link.tsx';

/** Above a page's title: the list that the page belongs to. */
export function ParentLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className="text-sm text-ink-3 underline-offset-4 hover:underline">
      {children}
    </Link>
  );
}
