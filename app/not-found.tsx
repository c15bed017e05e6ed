import { buttonClass } from '../components/ui/button.tsx';
import { Link } from '../components/ui/link.tsx';

export default function NotFound() {
  return (
    <main id="main" className="mx-auto w-full max-w-page flex-1 px-3 py-16 sm:px-6">
      <h1 className="text-2xl font-semibold tracking-[-0.02em]">Page not found</h1>
      <p className="mt-2 text-ink-2">There is no page at this address.</p>
      <Link href="/" className={buttonClass('plain', 'md', 'mt-6')}>
        All runs
      </Link>
    </main>
  );
}
